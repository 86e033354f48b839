/* SPDX-License-Identifier: MIT */
/*
 * Futexes.
 *
 * A futex in memory that only this process maps is kept here: a waiter is parked, and waking it is
 * no host call. A futex in shared memory is the host's, so that other processes, native ones
 * too, can wake it. Priority inheritance has no effect on who runs; what PI futexes promise
 * besides (ownership, FUTEX_OWNER_DIED, deadlock detection for the direct case) holds.
 */
#ifndef LINUX_FUTEX_H
#define LINUX_FUTEX_H

#include "base/types.h"

struct task;

/* A task's place in a futex queue; part of struct task. */
struct futex_waiter {
	struct futex_waiter *next, *previous;
	struct task *task;
	u64 key;    /* what it waits on; 0 = not queued */
	u32 bitset; /* of FUTEX_WAIT_BITSET */
	bool pi;    /* waits for ownership */
	bool passed_on; /* the task ends; nobody may wait for it to unlock something */
};

/* Wake @n waiters of the word at @address, as FUTEX_WAKE without FUTEX_PRIVATE_FLAG. */
void futex_wake_shared(struct task *task, u64 address, u32 n);

/* At the end of a task: mark the robust futexes it holds, clear and wake its clear_child_tid. */
void futex_exit_task(struct task *task);

/* Around fork; in the child nobody waits. */
void futex_before_fork(void);
void futex_after_fork(bool in_child);

#endif
