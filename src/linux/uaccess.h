/* SPDX-License-Identifier: MIT */
/*
 * Guest memory as seen by system calls.
 *
 * Guest addresses are host addresses below GUEST_ADDRESS_LIMIT, so a buffer can often be handed
 * to the host kernel as it is: user_read_buffer() and user_write_buffer() check the range and give
 * the host pointer; the host kernel reports EFAULT for what is not mapped. Everything else is
 * copied. None of these crash on any address.
 *
 * Call from the host thread that drives the task.
 */
#ifndef LINUX_UACCESS_H
#define LINUX_UACCESS_H

#include <sys/uio.h>

#include "base/types.h"
#include "arch/cpu.h"

struct task;

/* Does the range lie in guest space? An empty range does if its address does. */
static inline bool user_range_ok(u64 address, u64 length)
{
	return address <= GUEST_ADDRESS_LIMIT && length <= GUEST_ADDRESS_LIMIT - address;
}

/* Return: 0 or -EFAULT. A part may have been copied when they fail. */
int copy_from_user(struct task *task, void *to, u64 from, u64 length);
int copy_to_user(struct task *task, u64 to, const void *from, u64 length);
int clear_user(struct task *task, u64 to, u64 length);

/* Read or write one value of the type of *to or of value. Return: 0 or -EFAULT. */
#define get_user(task, to, address) copy_from_user(task, (to), (address), sizeof(*(to)))
#define put_user(task, value, address)                                                             \
	({                                                                                         \
		const __typeof__(value) value__ = (value);                                         \
		copy_to_user(task, (address), &value__, sizeof(value__));                          \
	})

/**
 * strncpy_from_user - copy a string
 * @to: room for @size bytes
 *
 * Return: length without the zero byte; -EFAULT; -ENAMETOOLONG if no zero byte came within @size.
 */
s64 strncpy_from_user(struct task *task, char *to, u64 from, u64 size);

/**
 * user_read_buffer - hand guest memory to a host system call that reads it
 * @pointer: receives the host address
 *
 * Return: 0 or -EFAULT (outside guest space; unmapped memory is for the host to find).
 */
int user_read_buffer(struct task *task, u64 address, u64 length, const void **pointer);

/**
 * user_write_buffer - hand guest memory to a host system call that writes it
 *
 * Decoded code in the range is forgotten and its pages made writable again first.
 */
int user_write_buffer(struct task *task, u64 address, u64 length, void **pointer);

#define USER_IOV_MAX 1024 /* UIO_MAXIOV of Linux */

/**
 * user_iovec - read an array of struct iovec and check its buffers
 * @write: the host will write into the buffers
 * @iov: room for @count entries
 *
 * Return: 0, -EFAULT, or -EINVAL for lengths that make no sense.
 */
int user_iovec(struct task *task, u64 address, u64 count, bool write, struct iovec *iov);

#endif
