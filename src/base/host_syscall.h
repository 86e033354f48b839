/* SPDX-License-Identifier: MIT */
/*
 * Raw host system calls. They return negative errno values and leave errno alone.
 */
#ifndef BASE_HOST_SYSCALL_H
#define BASE_HOST_SYSCALL_H

#include "base/types.h"

/* A call that cannot sleep for long, or that need not be interrupted. */
s64 host_syscall(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);

/**
 * host_syscall_interruptible - a call that a signal must be able to end
 * @interrupt: if *interrupt is nonzero at the moment of entering the host kernel, the call is not
 *	made; host signal handlers set it and then call host_syscall_interrupt()
 *
 * Return: result of the host, or -EINTR if *interrupt was set before the call.
 */
s64 host_syscall_interruptible(const u32 *interrupt, long number, u64 a, u64 b, u64 c, u64 d, u64 e,
			       u64 f);

/**
 * host_syscall_interrupt - for host signal handlers, after *interrupt was set
 * @ucontext: as given to the handler
 *
 * If the thread was between the look at *interrupt and the system call, the call is skipped and
 * returns -EINTR. Async-signal-safe.
 */
void host_syscall_interrupt(void *ucontext);

/* sa_restorer of signal handlers that are installed with the raw system call. */
void host_signal_restorer(void);

#endif
