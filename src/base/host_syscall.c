// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/host_syscall.h"

#include <ucontext.h>

/* Labels of host_syscall_x86_64.S. */
extern const char host_syscall_window_start[], host_syscall_window_end[];
extern const char host_syscall_interrupted[];

void host_syscall_interrupt(void *ucontext)
{
	ucontext_t *uc = ucontext;
	u64 pc = (u64)uc->uc_mcontext.gregs[REG_RIP];

	/*
	 * At the end label the call was made. At the syscall instruction itself it was not, or the
	 * host kernel went back there to restart it.
	 */
	if (pc >= (u64)(uintptr_t)host_syscall_window_start &&
	    pc < (u64)(uintptr_t)host_syscall_window_end)
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)host_syscall_interrupted;
}
