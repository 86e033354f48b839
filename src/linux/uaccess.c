// SPDX-License-Identifier: MIT
#include "linux/uaccess.h"

#include <errno.h>
#include <string.h>

#include "base/host_copy.h"
#include "linux/mm.h"
#include "linux/task.h"

#define PAGE_MASK (GUEST_PAGE_SIZE - 1)

static void *pointer_of(u64 address)
{
	return (void *)(uintptr_t)address;
}

int copy_from_user(struct task *task, void *to, u64 from, u64 length)
{
	if (!user_range_ok(from, length) || host_copy(to, pointer_of(from), length))
		return -EFAULT;
	return 0;
}

int copy_to_user(struct task *task, u64 to, const void *from, u64 length)
{
	size_t rest;

	if (!user_range_ok(to, length))
		return -EFAULT;
	rest = host_copy(pointer_of(to), from, length);
	if (unlikely(rest) && mm_write_prepare(task->process->mm, to, length))
		rest = host_copy(pointer_of(to), from, length);
	return rest ? -EFAULT : 0;
}

int clear_user(struct task *task, u64 to, u64 length)
{
	size_t rest;

	if (!user_range_ok(to, length))
		return -EFAULT;
	rest = host_clear(pointer_of(to), length);
	if (unlikely(rest) && mm_write_prepare(task->process->mm, to, length))
		rest = host_clear(pointer_of(to), length);
	return rest ? -EFAULT : 0;
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

int user_read_buffer(struct task *task, u64 address, u64 length, const void **pointer)
{
	if (!user_range_ok(address, length))
		return -EFAULT;
	*pointer = pointer_of(address);
	return 0;
}

int user_write_buffer(struct task *task, u64 address, u64 length, void **pointer)
{
	if (!user_range_ok(address, length))
		return -EFAULT;
	mm_write_prepare(task->process->mm, address, length);
	*pointer = pointer_of(address);
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

		if ((s64)iov[i].iov_len < 0)
			return -EINVAL;
		if (iov[i].iov_len && !user_range_ok(base, iov[i].iov_len))
			return -EFAULT;
		if (write && iov[i].iov_len)
			mm_write_prepare(task->process->mm, base, iov[i].iov_len);
	}
	return 0;
}
