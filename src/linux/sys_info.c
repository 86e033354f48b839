// SPDX-License-Identifier: MIT
/*
 * What the system says of itself, and switches of a process.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "linux/proc.h"
#include "linux/proc_task.h"
#include "linux/syscall_pass.h"

s64 sys_uname(struct task *task, const u64 args[6])
{
	struct utsname name; /* the same bytes on both sides */
	s64 result = host_call(SYS_uname, &name);

	if (result < 0)
		return result;
	strcpy(name.release, GUEST_RELEASE);
	strcpy(name.version, GUEST_VERSION);
	strcpy(name.machine, "ppc64le");
	return put_user(task, name, args[0]);
}

PASS(sethostname, IN_INT(0, 1, 1))
PASS(setdomainname, IN_INT(0, 1, 1))
PASS(syslog, OUT_INT(1, 2, 1))
PASS_SLEEP(getrandom, OUT_N(0, 1, 1))
PASS(vhangup)

s64 sys_personality(struct task *task, const u64 args[6])
{
	u32 old = task->personality;

	if ((u32)args[0] != 0xffffffff)
		task->personality = (u32)args[0];
	return old;
}

s64 sys_set_tid_address(struct task *task, const u64 args[6])
{
	task->clear_child_tid = args[0];
	return task->tid;
}

/* struct robust_list_head: three 64-bit words. */
#define ROBUST_LIST_HEAD_SIZE 24

s64 sys_set_robust_list(struct task *task, const u64 args[6])
{
	if (args[1] != ROBUST_LIST_HEAD_SIZE)
		return -EINVAL;
	task->robust_list = args[0];
	return 0;
}

s64 sys_get_robust_list(struct task *task, const u64 args[6])
{
	int tid = (int)args[0];
	struct task *other = tid ? task_find(task->process, tid) : task;

	if (!other)
		return -ESRCH;
	if (put_user(task, (u64)ROBUST_LIST_HEAD_SIZE, args[2]))
		return -EFAULT;
	return put_user(task, other->robust_list, args[1]);
}

/* Values of PR_SET_FPEXC; PR_FP_EXC_SW_ENABLE is for embedded processors. */
#define FPEXC_MAX PR_FP_EXC_PRECISE

static s64 set_fpexc(struct task *task, u64 mode)
{
	static const u64 bits[] = {
		[PR_FP_EXC_DISABLED] = 0,
		[PR_FP_EXC_NONRECOV] = MSR_FE1,
		[PR_FP_EXC_ASYNC] = MSR_FE0,
		[PR_FP_EXC_PRECISE] = MSR_FE0 | MSR_FE1,
	};

	if (mode > FPEXC_MAX)
		return -EINVAL;
	task->fpexc_mode = bits[mode];
	if (task->cpu->msr & MSR_FP)
		task->cpu->msr = (task->cpu->msr & ~(MSR_FE0 | MSR_FE1)) | bits[mode];
	return 0;
}

static s64 get_fpexc(struct task *task, u64 address)
{
	u32 mode = (task->fpexc_mode & MSR_FE0 ? 2 : 0) | (task->fpexc_mode & MSR_FE1 ? 1 : 0);

	return put_user(task, mode, address);
}

static s64 set_name(struct task *task, u64 address)
{
	char name[16] = "";
	s64 length = strncpy_from_user(task, name, address, sizeof(name));

	if (length == -EFAULT)
		return length;
	name[sizeof(name) - 1] = 0; /* a longer one is cut */
	proc_task_set_name(task, name);
	return 0;
}

static s64 get_name(struct task *task, u64 address)
{
	char name[16];

	proc_task_get_name(task, name);
	return copy_to_user(task, address, name, sizeof(name));
}

static s64 pass_prctl(struct task *task, const u64 args[6], bool write, u32 size)
{
	const struct pass_buffer buffer = {.argument = 1, .write = write, .size = size};
	PASS_ARGUMENTS(a, args);
	int error = size ? pass_prepare(task, a, &buffer, 1) : 0;

	return error ? error : host_call(SYS_prctl, a[0], a[1], a[2], a[3], a[4]);
}

s64 sys_prctl(struct task *task, const u64 args[6])
{
	switch ((int)args[0]) {
	case PR_SET_NAME:
		return set_name(task, args[1]);
	case PR_GET_NAME:
		return get_name(task, args[1]);
	case PR_SET_FPEXC:
		return set_fpexc(task, args[1]);
	case PR_GET_FPEXC:
		return get_fpexc(task, args[1]);
	case PR_GET_ENDIAN:
		return put_user(task, (u32)PR_ENDIAN_LITTLE, args[1]);
	case PR_SET_ENDIAN:
		if (args[1] == PR_ENDIAN_LITTLE)
			return 0;
		log_line(LOG_UNIMPLEMENTED, "prctl(PR_SET_ENDIAN): there is no big-endian mode");
		return -EINVAL;
	case PR_GET_UNALIGN:
		return put_user(task, (u32)PR_UNALIGN_NOPRINT, args[1]);
	case PR_SET_UNALIGN:
		return args[1] == PR_UNALIGN_NOPRINT ? 0 : -EINVAL;
	case PR_GET_TIMING:
		return PR_TIMING_STATISTICAL;
	case PR_SET_TIMING:
		return args[1] == PR_TIMING_STATISTICAL ? 0 : -EINVAL;
	case PR_GET_TID_ADDRESS:
		return put_user(task, task->clear_child_tid, args[1]);
	case PR_GET_SECCOMP:
		return 0;
	case PR_SET_SECCOMP: /* the filter would judge the host's calls */
		log_line(LOG_UNIMPLEMENTED, "prctl(PR_SET_SECCOMP) is not implemented");
		return -EINVAL;
	case PR_GET_PDEATHSIG:
	case PR_GET_CHILD_SUBREAPER:
		return pass_prctl(task, args, true, 4);
	case PR_SET_VMA:
		if (!user_range_ok(args[2], args[3]) || !user_range_ok(args[4], 1))
			return -EFAULT;
		return pass_prctl(task, args, false, 0);
	case PR_SET_PDEATHSIG:
	case PR_GET_DUMPABLE:
	case PR_SET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_SET_KEEPCAPS:
	case PR_GET_SECUREBITS:
	case PR_SET_SECUREBITS:
	case PR_GET_TIMERSLACK:
	case PR_SET_TIMERSLACK:
	case PR_GET_NO_NEW_PRIVS:
	case PR_SET_NO_NEW_PRIVS:
	case PR_SET_CHILD_SUBREAPER:
	case PR_CAPBSET_READ:
	case PR_CAPBSET_DROP:
	case PR_CAP_AMBIENT:
	case PR_MCE_KILL:
	case PR_MCE_KILL_GET:
	case PR_GET_THP_DISABLE:
	case PR_SET_THP_DISABLE:
	case PR_SET_PTRACER:
	case PR_GET_SPECULATION_CTRL:
	case PR_SET_SPECULATION_CTRL:
	case PR_GET_IO_FLUSHER:
	case PR_SET_IO_FLUSHER:
		return pass_prctl(task, args, false, 0);
	default:
		log_line(LOG_UNIMPLEMENTED, "prctl(%d) is not known", (int)args[0]);
		return -EINVAL;
	}
}
