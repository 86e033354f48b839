// SPDX-License-Identifier: MIT
/*
 * System calls that end processes and threads.
 */
#include "linux/sched.h"
#include "linux/syscall.h"

s64 sys_exit_group(struct task *task, const u64 args[6])
{
	process_exit(task->process, (int)args[0] & 0xff);
}

s64 sys_exit(struct task *task, const u64 args[6])
{
	/* What the thread leaves behind is done while it can still be found as an owner. */
	futex_exit_task(task);
	task->exit_code = (int)args[0] & 0xff;
	if (task->sched.state == TASK_ALONE || !task_leave(task))
		return sys_exit_group(task, args);
	/* A signal for the process may have been left to this thread. */
	signal_distribute(task->process);
	return SYSCALL_EXITED;
}
