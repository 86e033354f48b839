// SPDX-License-Identifier: MIT
/*
 * Stands in for strace.c until that is there.
 */
#include "linux/syscall.h"

__attribute__((weak)) void strace_enter(struct task *task, const struct syscall *call, u64 number,
					const u64 args[6])
{
}

__attribute__((weak)) void strace_exit(struct task *task, const struct syscall *call,
				       const u64 args[6], s64 result)
{
}

__attribute__((weak)) void strace_signal(struct task *task, const union guest_siginfo *info)
{
}
