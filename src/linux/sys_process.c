// SPDX-License-Identifier: MIT
/*
 * System calls that end processes.
 */
#include "linux/syscall.h"

s64 sys_exit_group(struct task *task, const u64 args[6])
{
	process_exit(task->process, (int)args[0] & 0xff);
}

s64 sys_exit(struct task *task, const u64 args[6])
{
	/* The only thread: its end is that of the process. */
	return sys_exit_group(task, args);
}
