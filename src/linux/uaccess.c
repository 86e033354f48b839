// SPDX-License-Identifier: MIT
#include "linux/uaccess.h"

#include <errno.h>
#include <string.h>

#include "base/host_copy.h"
#include "tm/gate.h"
#include "tm/tm.h"
#include "linux/mm.h"
#include "linux/task.h"

#define PAGE_MASK (GUEST_PAGE_SIZE - 1)

/* What is touched at a time: nobody waits longer for a CPU that is in RUN. */
#define PIECE 4096ull

static void *pointer_of(u64 address)
{
	return (void *)(uintptr_t)address;
}

bool user_access_begin(struct task *task)
{
	if (likely(task_is_alone(task)))
		return false;
	gate_enter(task->process->mm->gate, task->cpu);
	return true;
}

void user_access_end(struct task *task, bool begun)
{
	if (begun)
		gate_leave(task->process->mm->gate, task->cpu);
}

int copy_from_user(struct task *task, void *to, u64 from, u64 length)
{
	size_t rest = 0;

	if (!user_range_ok(from, length))
		return -EFAULT;
	for (u64 done = 0, n; done < length && !rest; done += n) {
		bool begun = user_access_begin(task);

		n = MIN(length - done, PIECE);
		rest = host_copy((u8 *)to + done, pointer_of(from + done), n);
		user_access_end(task, begun);
	}
	if (rest)
		return -EFAULT;
	if (unlikely(tm_in_transaction(task->cpu)))
		tm_overlay(task->cpu, from, to, length);
	return 0;
}

/* Store at most PIECE bytes; zeros if @from is NULL. Return: bytes that could not be stored. */
static size_t store_piece(struct task *task, u64 to, const void *from, u64 length)
{
	bool begun = user_access_begin(task);
	size_t rest = from ? host_copy(pointer_of(to), from, length)
			   : host_clear(pointer_of(to), length);

	user_access_end(task, begun);
	return rest;
}

static int store(struct task *task, u64 to, const u8 *from, u64 length)
{
	if (!user_range_ok(to, length))
		return -EFAULT;
	if (unlikely(tm_in_transaction(task->cpu)))
		tm_conflict_by_store(task->cpu, task->cpu->pc, to, length);
	for (u64 done = 0, n; done < length; done += n) {
		const u8 *piece = from ? from + done : NULL;

		n = MIN(length - done, PIECE);
		if (unlikely(store_piece(task, to + done, piece, n)) &&
		    (!mm_write_prepare(task->process->mm, to + done, n) ||
		     store_piece(task, to + done, piece, n)))
			return -EFAULT;
	}
	return 0;
}

int copy_to_user(struct task *task, u64 to, const void *from, u64 length)
{
	return store(task, to, from, length);
}

int clear_user(struct task *task, u64 to, u64 length)
{
	return store(task, to, NULL, length);
}

s64 strncpy_from_user(struct task *task, char *to, u64 from, u64 size)
{
	u64 done = 0;

	/* Page by page: what lies behind the string need not be mapped. */
	while (done < size) {
		u64 n = MIN(size - done, GUEST_PAGE_SIZE - ((from + done) & PAGE_MASK));
		const char *zero;

		if (copy_from_user(task, to + done, from + done, n))
			return -EFAULT;
		zero = memchr(to + done, 0, n);
		if (zero)
			return zero - to;
		done += n;
	}
	return -ENAMETOOLONG;
}
