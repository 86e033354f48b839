/* SPDX-License-Identifier: MIT */
/*
 * Guest memory as seen by system calls.
 *
 * Guest addresses are host addresses below GUEST_ADDRESS_LIMIT, so a buffer can often be handed
 * to the host kernel as it is: user_read_buffer() and user_write_buffer() check the range and give
 * the host pointer; the host kernel reports EFAULT for what is not mapped. Everything else is
 * copied. None of these crash on any address.
 *
 * A thread whose transaction is suspended sees its own speculative bytes, and a store into the
 * footprint of its transaction fails that.
 *
 * Call from the host thread that drives the task, OUT of the gate (tm/gate.h). Locks may be held.
 */
#ifndef LINUX_UACCESS_H
#define LINUX_UACCESS_H

#include <sys/uio.h>

#include "base/types.h"
#include "arch/cpu.h"
#include "linux/task.h"

/* Does the range lie in guest space? An empty range does if its address does. */
static inline bool user_range_ok(u64 address, u64 length)
{
	return address <= GUEST_ADDRESS_LIMIT && length <= GUEST_ADDRESS_LIMIT - address;
}

/**
 * user_access_begin - guest memory is about to be touched
 *
 * Until user_access_end() no transaction commits. For a few accesses without a lock, a system call
 * or anything else that could wait in between; the functions below do it themselves.
 *
 * Return: what user_access_end() wants to know.
 */
bool user_access_begin(struct task *task);
void user_access_end(struct task *task, bool begun);

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

/* --- buffers of host system calls: user_buffer.c --------------------------------------------- */

/**
 * user_read_buffer - hand guest memory to a host system call that reads it
 * @pointer: receives the host address; until the guest's system call is over
 *
 * Return: 0 or -EFAULT (outside guest space; unmapped memory is for the host to find).
 */
int user_read_buffer(struct task *task, u64 address, u64 length, const void **pointer);

/*
 * The same where the host can only be given the guest's own address: if the transaction of the
 * caller has written there, it fails.
 */
int user_read_in_place(struct task *task, u64 address, u64 length);
/* A string of which nobody knows the length. */
int user_read_string(struct task *task, u64 address);

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

/* The system call is over: the host does not use its buffers any more. */
static inline bool user_buffers_in_use(const struct task *task)
{
	return task->cpu->io.count || task->user_copies;
}
void user_buffers_free(struct task *task);

#endif
