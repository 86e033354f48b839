// SPDX-License-Identifier: MIT
#include "linux/timers.h"

#include <stdlib.h>

#include "base/log.h"
#include "linux/task.h"

/* timer_index is the place in the heap plus 1; 0 = not in it. */

static void place(struct timer_heap *heap, u32 at, struct task *task)
{
	heap->tasks[at] = task;
	task->sched.timer_index = at + 1;
}

static bool earlier(const struct task *a, const struct task *b)
{
	return a->sched.deadline < b->sched.deadline;
}

static void sift_up(struct timer_heap *heap, u32 at, struct task *task)
{
	while (at && earlier(task, heap->tasks[(at - 1) / 2])) {
		place(heap, at, heap->tasks[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(heap, at, task);
}

static void sift_down(struct timer_heap *heap, u32 at, struct task *task)
{
	for (u32 child; (child = 2 * at + 1) < heap->n; at = child) {
		if (child + 1 < heap->n && earlier(heap->tasks[child + 1], heap->tasks[child]))
			child++;
		if (!earlier(heap->tasks[child], task))
			break;
		place(heap, at, heap->tasks[child]);
	}
	place(heap, at, task);
}

void timer_add(struct timer_heap *heap, struct task *task)
{
	if (heap->n == heap->room) {
		u32 room = heap->room ? 2 * heap->room : 64;
		struct task **tasks = realloc(heap->tasks, room * sizeof(*tasks));

		if (!tasks)
			log_fatal(126, "out of memory for timers");
		heap->tasks = tasks;
		heap->room = room;
	}
	heap->n++;
	sift_up(heap, heap->n - 1, task);
}

void timer_remove(struct timer_heap *heap, struct task *task)
{
	u32 at = task->sched.timer_index;
	struct task *last;

	if (!at)
		return;
	at--;
	task->sched.timer_index = 0;
	last = heap->tasks[--heap->n];
	if (last == task)
		return;
	if (at && earlier(last, heap->tasks[(at - 1) / 2]))
		sift_up(heap, at, last);
	else
		sift_down(heap, at, last);
}

struct task *timer_first(const struct timer_heap *heap)
{
	return heap->n ? heap->tasks[0] : NULL;
}
