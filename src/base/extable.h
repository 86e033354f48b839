/* SPDX-License-Identifier: MIT */
/*
 * The exception table: where a faulting host access of host_access.h continues.
 */
#ifndef BASE_EXTABLE_H
#define BASE_EXTABLE_H

#include <signal.h>

#include "base/types.h"

/**
 * struct host_fault - what the host said about the last access of this thread that faulted
 * @signo: SIGSEGV or SIGBUS
 * @code: si_code of the host
 * @addr: si_addr of the host; 0 for non-canonical addresses
 */
struct host_fault {
	int signo;
	int code;
	u64 addr;
};

/* Valid after a host access returned false, until the thread's next fault. */
extern _Thread_local struct host_fault host_last_fault;

/* Sorts the table; call once before the first access, from one thread. */
void extable_init(void);

/*
 * Ask this function, too, where a fault at an address goes on; it returns 0 if it does not know. It is
 * called in signal handlers.
 */
void extable_more(u64 (*lookup)(u64 pc));

/**
 * extable_fixup - continue after a faulting access
 * @si: as given to the signal handler
 * @ucontext: as given to the signal handler
 *
 * For use in a SIGSEGV or SIGBUS handler installed with SA_SIGINFO. Async-signal-safe.
 *
 * Return: true if the context was changed to continue at a landing; false if the fault is not
 * one of host_access.h, that is, a bug of this program or a signal sent from outside.
 */
bool extable_fixup(const siginfo_t *si, void *ucontext);

#endif
