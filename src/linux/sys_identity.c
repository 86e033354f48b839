// SPDX-License-Identifier: MIT
/*
 * Who a process is: numbers, users, groups, sessions, capabilities.
 *
 * Linux keeps users and groups by thread, POSIX by process. powertm's own threads must follow, so
 * they are changed through the C library, which tells all threads of the host process.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <limits.h>
#include <unistd.h>

#include "linux/syscall_pass.h"

s64 sys_getpid(struct task *task, const u64 args[6])
{
	return task->process->pid;
}

s64 sys_gettid(struct task *task, const u64 args[6])
{
	return task->tid;
}

PASS(getppid)
/* These take the number of any thread for its process. */
s64 sys_getpgid(struct task *task, const u64 args[6])
{
	return host_call(SYS_getpgid, task_process_number(task->process, (int)args[0]));
}

s64 sys_getsid(struct task *task, const u64 args[6])
{
	return host_call(SYS_getsid, task_process_number(task->process, (int)args[0]));
}

PASS(getpgrp)
PASS(setpgid)
PASS(setsid)
PASS(getuid)
PASS(geteuid)
PASS(getgid)
PASS(getegid)
PASS(getresuid, OUT(0, 4), OUT(1, 4), OUT(2, 4))
PASS(getresgid, OUT(0, 4), OUT(1, 4), OUT(2, 4))

s64 sys_getgroups(struct task *task, const u64 args[6])
{
	static const struct pass_buffer list[] = {OUT_INT(1, 0, 4)};
	PASS_ARGUMENTS(a, args);
	int error = (int)args[0] < 0 ? -EINVAL : pass_prepare(task, a, list, ARRAY_SIZE(list));

	return error ? error : host_call(SYS_getgroups, args[0], args[1]);
}

/*
 * A child of vfork shares this memory with its parent, and with it the C library's list of
 * threads; telling them would change the parent. It has only one thread, so the bare call will do.
 */
#define CREDENTIAL_CALL(name, call)                                                                \
	s64 sys_##name(struct task *task, const u64 args[6])                                       \
	{                                                                                          \
		if (task->process->shares_memory)                                                  \
			return host_call(SYS_##name, args[0], args[1], args[2]);                   \
		return call ? -errno : 0;                                                          \
	}

CREDENTIAL_CALL(setuid, setuid((uid_t)args[0]))
CREDENTIAL_CALL(setgid, setgid((gid_t)args[0]))
CREDENTIAL_CALL(setreuid, setreuid((uid_t)args[0], (uid_t)args[1]))
CREDENTIAL_CALL(setregid, setregid((gid_t)args[0], (gid_t)args[1]))
CREDENTIAL_CALL(setresuid, setresuid((uid_t)args[0], (uid_t)args[1], (uid_t)args[2]))
CREDENTIAL_CALL(setresgid, setresgid((gid_t)args[0], (gid_t)args[1], (gid_t)args[2]))

s64 sys_setgroups(struct task *task, const u64 args[6])
{
	static const struct pass_buffer list[] = {IN_INT(1, 0, 4)};
	PASS_ARGUMENTS(a, args);
	int error;

	if ((u32)args[0] > NGROUPS_MAX)
		return -EINVAL;
	error = pass_prepare(task, a, list, ARRAY_SIZE(list));
	if (error)
		return error;
	if (task->process->shares_memory)
		return host_call(SYS_setgroups, a[0], a[1]);
	/* The host kernel reads the list and reports a bad address. */
	return setgroups((size_t)(u32)a[0], (const gid_t *)(uintptr_t)a[1]) ? -errno : 0;
}

/* These affect the calling thread alone, also in Linux. */
PASS(setfsuid)
PASS(setfsgid)

/* Version 3 has two entries of 12 bytes. */
PASS(capget, OUT(0, 8), OUT(1, 24))
PASS(capset, OUT(0, 8), IN(1, 24))
