/* SPDX-License-Identifier: MIT */
/*
 * Deadlines of sleeping tasks: a heap, earliest first. Protected by its owner's lock.
 */
#ifndef LINUX_TIMERS_H
#define LINUX_TIMERS_H

#include "base/types.h"

struct task;

struct timer_heap {
	struct task **tasks;
	u32 n, room;
};

/* Add a task with a deadline; sets task->sched.timer_index. Aborts if memory is short. */
void timer_add(struct timer_heap *heap, struct task *task);
/* Remove it, if it is there. */
void timer_remove(struct timer_heap *heap, struct task *task);
/* The task with the earliest deadline; NULL if there is none. */
struct task *timer_first(const struct timer_heap *heap);

#endif
