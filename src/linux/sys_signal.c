// SPDX-License-Identifier: MIT
/*
 * System calls on signals.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "linux/signal_frame.h"
#include "linux/signal_host.h"
#include "linux/sched.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"

#define SET_UNBLOCKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))

static bool valid(int signo)
{
	return signo >= 1 && signo <= GUEST_NSIG;
}

s64 sys_rt_sigaction(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	int signo = (int)args[0];
	struct guest_sigaction action, old;

	if (args[3] != sizeof(u64) || !valid(signo))
		return -EINVAL;
	old = process->signals.action[signo];
	if (args[1]) {
		if (get_user(task, &action, args[1]))
			return -EFAULT;
		if (SIGNAL_BIT(signo) & SET_UNBLOCKABLE)
			return -EINVAL;
		signal_set_action(process, signo, &action);
	}
	if (args[2] && put_user(task, old, args[2]))
		return -EFAULT;
	return 0;
}

/* signal(2), with the semantics of System V: one shot. */
s64 sys_signal(struct task *task, const u64 args[6])
{
	struct guest_sigaction action = {.handler = args[1], .flags = SA_RESETHAND | SA_NODEFER};
	int signo = (int)args[0];
	u64 old;

	if (!valid(signo) || SIGNAL_BIT(signo) & SET_UNBLOCKABLE)
		return -EINVAL;
	old = task->process->signals.action[signo].handler;
	signal_set_action(task->process, signo, &action);
	return (s64)old;
}

s64 sys_rt_sigprocmask(struct task *task, const u64 args[6])
{
	u64 old = task->blocked, set;

	if (args[3] != sizeof(u64))
		return -EINVAL;
	if (args[1]) {
		if (get_user(task, &set, args[1]))
			return -EFAULT;
		switch ((int)args[0]) {
		case SIG_BLOCK:
			set |= old;
			break;
		case SIG_UNBLOCK:
			set = old & ~set;
			break;
		case SIG_SETMASK:
			break;
		default:
			return -EINVAL;
		}
		signal_set_mask(task, set);
	}
	if (args[2] && put_user(task, old, args[2]))
		return -EFAULT;
	return 0;
}

s64 sys_rt_sigpending(struct task *task, const u64 args[6])
{
	u64 set = (signal_pending_set(task) | signal_host_pending()) & task->blocked;

	if (args[1] > sizeof(set))
		return -EINVAL;
	return copy_to_user(task, args[0], &set, args[1]);
}

s64 sys_rt_sigsuspend(struct task *task, const u64 args[6])
{
	u64 set;

	if (args[1] != sizeof(set))
		return -EINVAL;
	if (get_user(task, &set, args[0]))
		return -EFAULT;
	signal_set_temporary_mask(task, set);
	task_syscall(task, SYS_pause);
	return -ERESTARTNOHAND;
}

s64 sys_pause(struct task *task, const u64 args[6])
{
	task_syscall(task, SYS_pause);
	return -ERESTARTNOHAND;
}

/*
 * One of several threads waits: the host's signals are not its own, and some are for another
 * thread, so it is parked until one of the set is in its queues. restart.args: set, address for the
 * siginfo, deadline in ns.
 */
static s64 wait_parked(struct task *task)
{
	u64 set = task->restart.args[0], address = task->restart.args[1];
	u64 deadline = task->restart.args[2];
	union guest_siginfo info;
	s64 result;

	/* What comes from here on sets it again. */
	__atomic_store_n(&task->interrupt, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&task->waits_for, set, __ATOMIC_SEQ_CST);
	if (signal_dequeue(task, set, &info))
		result = info.signo;
	else if (signal_pending(task))
		result = -EINTR;
	else if (deadline && sched_now() >= deadline)
		result = -EAGAIN;
	else
		return sched_park(task, wait_parked, deadline);
	__atomic_store_n(&task->waits_for, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&task->interrupt, 1, __ATOMIC_SEQ_CST);
	if (result > 0 && address && copy_to_user(task, address, &info, sizeof(info)))
		return -EFAULT;
	return result;
}

/* A point of time at least 1; 0 would be none. */
static u64 deadline_in(const struct timespec *timeout)
{
	u64 ns;

	if (__builtin_mul_overflow((u64)timeout->tv_sec, 1000000000ull, &ns) ||
	    __builtin_add_overflow(ns, (u64)timeout->tv_nsec + sched_now(), &ns))
		return UINT64_MAX;
	return ns;
}

/*
 * What is pending in our queues comes first, then what the host holds because it is blocked. A
 * signal of the set that is not blocked is ours as soon as its host handler has run.
 */
s64 sys_rt_sigtimedwait(struct task *task, const u64 args[6])
{
	union guest_siginfo info;
	struct timespec timeout;
	s64 result;
	u64 set;

	if (args[3] != sizeof(set))
		return -EINVAL;
	if (get_user(task, &set, args[0]) || (args[2] && get_user(task, &timeout, args[2])))
		return -EFAULT;
	if (args[2] && (timeout.tv_sec < 0 || (u64)timeout.tv_nsec >= 1000000000))
		return -EINVAL;
	set &= ~SET_UNBLOCKABLE;
	if (sched_is_threaded() && task->sched.state != TASK_ALONE) {
		task->restart = (struct restart_block){
			.args = {set, args[1], args[2] ? deadline_in(&timeout) : 0},
		};
		return wait_parked(task);
	}
	if (signal_dequeue(task, set, &info)) {
		result = info.signo;
	} else {
		u64 host_set = set & ~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS));

		__atomic_store_n(&task->waits_for, set, __ATOMIC_SEQ_CST);
		result = task_syscall(task, SYS_rt_sigtimedwait, &host_set, &info,
				      args[2] ? &timeout : NULL, sizeof(host_set));
		__atomic_store_n(&task->waits_for, 0, __ATOMIC_SEQ_CST);
		if (result == -ERESTARTSYS) {
			if (!signal_dequeue(task, set, &info))
				return -EINTR;
			result = info.signo;
		}
	}
	if (result > 0 && args[1] && copy_to_user(task, args[1], &info, sizeof(info)))
		return -EFAULT;
	return result;
}

s64 sys_sigaltstack(struct task *task, const u64 args[6])
{
	u64 sp = task->cpu->gpr[1];
	struct guest_stack_t new_stack, old;

	memset(&old, 0, sizeof(old));
	old.sp = task->altstack.sp;
	old.size = task->altstack.size;
	old.flags = signal_stack_flags(task, sp) | (task->altstack.flags & (s32)SS_AUTODISARM_FLAG);
	if (args[0]) {
		int error;

		if (get_user(task, &new_stack, args[0]))
			return -EFAULT;
		error = signal_set_stack(task, &new_stack, sp);
		if (error)
			return error;
	}
	if (args[1] && put_user(task, old, args[1]))
		return -EFAULT;
	return 0;
}

s64 sys_rt_sigreturn(struct task *task, const u64 args[6])
{
	u64 mask = task->blocked;
	int error;

	task->restart.function = NULL;
	error = signal_frame_pop(task, &mask);
	signal_set_mask(task, mask);
	if (error) {
		signal_force_fault(task, SIGSEGV, SI_KERNEL, 0);
		task->cpu->gpr[3] = 0; /* it has returned, after all */
		task->result = 0;
	}
	return SYSCALL_REGS_SET;
}

s64 sys_swapcontext(struct task *task, const u64 args[6])
{
	bool vsx = args[2] >= sizeof(struct guest_ucontext);
	u64 msr = 0, mask;

	if (args[1] &&
	    get_user(task, &msr,
		     args[1] + offsetof(struct guest_ucontext, mcontext.gp_regs[PT_MSR])))
		return -EFAULT;
	if (args[2] < UCONTEXT_SIZE_WITHOUT_VSX || (!vsx && msr & MSR_VSX))
		return -EINVAL;
	if (args[0] && signal_context_save(task, args[0], vsx))
		return -EFAULT;
	if (!args[1])
		return 0;
	if (signal_context_load(task, args[1], &mask)) {
		signal_force_fault(task, SIGSEGV, SI_KERNEL, 0);
		return SYSCALL_REGS_SET;
	}
	signal_set_mask(task, mask);
	return SYSCALL_REGS_SET;
}

s64 sys_restart_syscall(struct task *task, const u64 args[6])
{
	return task->restart.function ? task->restart.function(task) : -EINTR;
}

/* --- sending --------------------------------------------------------------------------------- */

s64 sys_kill(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	int pid = task_process_number(process, (int)args[0]), signo = (int)args[1];
	union guest_siginfo info = {.signo = signo, .code = SI_USER};

	/*
	 * To ourselves: the host's handler notes it before the call returns, or, if host signals
	 * go to another thread, it does not go through the host at all.
	 */
	if (pid == process->pid && sched_is_threaded() && valid(signo) &&
	    !signal_host_decides(signo, process->signals.action[signo].handler)) {
		info.fields[0] = (u64)getpid() | (u64)getuid() << 32;
		return signal_send_process(process, &info);
	}
	return host_call(SYS_kill, pid, signo);
}

/*
 * A signal for a thread of this process stays inside; one with a default action that stops, which
 * only the host can do, is sent by the host too.
 */
static s64 send_thread(struct task *task, pid_t process, pid_t thread, int signo,
		       const union guest_siginfo *info)
{
	s64 result;

	if (signo < 0 || signo > GUEST_NSIG)
		return -EINVAL;
	result = signal_send_thread(task->process, thread, info);
	if (result != -ESRCH)
		return process > 0 && process != task->process->pid ? -ESRCH : result;
	if (info->code == SI_TKILL)
		return process > 0 ? host_call(SYS_tgkill, process, thread, signo)
				   : host_call(SYS_tkill, thread, signo);
	return host_call(SYS_rt_tgsigqueueinfo, process, thread, signo, info);
}

static union guest_siginfo tkill_info(int signo)
{
	union guest_siginfo info = {.signo = signo, .code = SI_TKILL};

	info.fields[0] = (u64)getpid() | (u64)getuid() << 32;
	return info;
}

s64 sys_tkill(struct task *task, const u64 args[6])
{
	const union guest_siginfo info = tkill_info((int)args[1]);

	if ((int)args[0] <= 0)
		return -EINVAL;
	return send_thread(task, 0, (pid_t)args[0], (int)args[1], &info);
}

s64 sys_tgkill(struct task *task, const u64 args[6])
{
	const union guest_siginfo info = tkill_info((int)args[2]);

	if ((int)args[0] <= 0 || (int)args[1] <= 0)
		return -EINVAL;
	return send_thread(task, (pid_t)args[0], (pid_t)args[1], (int)args[2], &info);
}

/* A process may forge any siginfo for itself, but only some for others. */
static bool may_claim(const struct task *task, pid_t pid, const union guest_siginfo *info)
{
	return pid == task->process->pid || (info->code < 0 && info->code != SI_TKILL);
}

s64 sys_rt_sigqueueinfo(struct task *task, const u64 args[6])
{
	union guest_siginfo info;

	if (get_user(task, &info, args[2]))
		return -EFAULT;
	info.signo = (int)args[1];
	if (!may_claim(task, (pid_t)args[0], &info))
		return -EPERM;
	return host_call(SYS_rt_sigqueueinfo, (pid_t)args[0], (int)args[1], &info);
}

s64 sys_rt_tgsigqueueinfo(struct task *task, const u64 args[6])
{
	union guest_siginfo info;

	if (get_user(task, &info, args[3]))
		return -EFAULT;
	if ((int)args[0] <= 0 || (int)args[1] <= 0)
		return -EINVAL;
	info.signo = (int)args[2];
	if (!may_claim(task, (pid_t)args[0], &info))
		return -EPERM;
	return send_thread(task, (pid_t)args[0], (pid_t)args[1], (int)args[2], &info);
}
