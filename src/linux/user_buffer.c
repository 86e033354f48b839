// SPDX-License-Identifier: MIT
/*
 * Guest memory that the host kernel reads and writes itself.
 *
 * It does so while other CPUs run and commit. So each buffer is made known to them until the system
 * call is over: a transaction that would write into one fails (docs/tm.md: transfers).
 *
 * The host kernel does not see what a suspended transaction has written. Where it would read such
 * bytes it gets a copy.
 */
#include <errno.h>
#include <stdlib.h>

#include "tm/tm.h"
#include "linux/mm.h"
#include "linux/task.h"
#include "linux/uaccess.h"

#define COPY_MAX   (1ull << 20) /* bytes; longer ones fail the transaction */
#define STRING_MAX 4096ull	/* bytes; nowhere does the host read more */

/* A copy of a buffer, until the end of the system call. */
struct user_copy {
	struct user_copy *next;
	u8 bytes[];
};

static void make_known(struct task *task, u64 address, u64 length)
{
	bool begun = user_access_begin(task);

	if (!begun)
		return;
	tm_io_begin(task->cpu, address, length);
	user_access_end(task, begun);
}

/* The transaction has written bytes of what the host is to read. NULL: let the host read memory. */
static const void *copy_for_host(struct task *task, u64 address, u64 length)
{
	struct user_copy *copy = length <= COPY_MAX ? malloc(sizeof(*copy) + length) : NULL;

	if (copy && !copy_from_user(task, copy->bytes, address, length)) {
		copy->next = task->user_copies;
		task->user_copies = copy;
		return copy->bytes;
	}
	free(copy);
	tm_fail(task->cpu, TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT, task->cpu->pc, TEXASR_PR);
	return NULL;
}

static bool reads_written(const struct task *task, u64 address, u64 length)
{
	return unlikely(tm_in_transaction(task->cpu)) &&
	       tm_overlaps_written(task->cpu, address, length);
}

int user_read_buffer(struct task *task, u64 address, u64 length, const void **pointer)
{
	if (!user_range_ok(address, length))
		return -EFAULT;
	*pointer = reads_written(task, address, length) ? copy_for_host(task, address, length)
							 : NULL;
	if (*pointer)
		return 0;
	make_known(task, address, length);
	*pointer = (const void *)(uintptr_t)address;
	return 0;
}

int user_read_in_place(struct task *task, u64 address, u64 length)
{
	if (!user_range_ok(address, length))
		return -EFAULT;
	if (reads_written(task, address, length))
		tm_fail(task->cpu, TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT, task->cpu->pc,
			TEXASR_PR);
	make_known(task, address, length);
	return 0;
}

int user_read_string(struct task *task, u64 address)
{
	if (!user_range_ok(address, 1))
		return -EFAULT;
	return user_read_in_place(task, address, MIN(STRING_MAX, GUEST_ADDRESS_LIMIT - address));
}

int user_write_buffer(struct task *task, u64 address, u64 length, void **pointer)
{
	if (!user_range_ok(address, length))
		return -EFAULT;
	if (unlikely(tm_in_transaction(task->cpu)))
		tm_conflict_by_store(task->cpu, task->cpu->pc, address, length);
	make_known(task, address, length);
	mm_write_prepare(task->process->mm, address, length);
	*pointer = (void *)(uintptr_t)address;
	return 0;
}

int user_iovec(struct task *task, u64 address, u64 count, bool write, struct iovec *iov)
{
	if (count > USER_IOV_MAX)
		return -EINVAL;
	/* struct iovec is the same on both sides. */
	if (copy_from_user(task, iov, address, count * sizeof(*iov)))
		return -EFAULT;
	for (u64 i = 0; i < count; i++) {
		u64 base = (u64)(uintptr_t)iov[i].iov_base;
		const void *in;
		int error;

		if ((s64)iov[i].iov_len < 0)
			return -EINVAL;
		if (!iov[i].iov_len)
			continue;
		error = write ? user_write_buffer(task, base, iov[i].iov_len, &iov[i].iov_base)
			      : user_read_buffer(task, base, iov[i].iov_len, &in);
		if (error)
			return error;
		if (!write)
			iov[i].iov_base = (void *)(uintptr_t)in;
	}
	return 0;
}

void user_buffers_free(struct task *task)
{
	tm_io_end(task->cpu);
	for (struct user_copy *copy = task->user_copies, *next; copy; copy = next) {
		next = copy->next;
		free(copy);
	}
	task->user_copies = NULL;
}
