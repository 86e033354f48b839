// SPDX-License-Identifier: MIT
/*
 * Futexes. A guest address is a host address, so the host kernel's futexes serve; a scheduler of
 * our own will take the private ones over.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "linux/syscall.h"
#include "linux/uaccess.h"

static s64 wait_until(struct task *task, u64 address, u32 operation, u32 value,
		      const struct timespec *deadline, u32 bitset)
{
	return task_syscall(task, SYS_futex, address, operation, value, deadline, 0, bitset);
}

/* A relative wait that no handler ended goes on to the same deadline. */
static s64 restart_wait(struct task *task)
{
	const u64 *args = task->restart.args;
	const struct timespec deadline = {.tv_sec = (time_t)args[3], .tv_nsec = (long)args[4]};
	s64 result = wait_until(task, args[0], (u32)args[1], (u32)args[2], &deadline,
				FUTEX_BITSET_MATCH_ANY);

	return result == -ERESTARTSYS ? -ERESTART_RESTARTBLOCK : result;
}

static s64 wait_relative(struct task *task, u64 address, u32 private_flag, u32 value,
			 const struct timespec *timeout)
{
	u32 operation = FUTEX_WAIT_BITSET | private_flag;
	struct timespec deadline;

	if (timeout->tv_sec < 0 || (u64)timeout->tv_nsec >= 1000000000)
		return -EINVAL;
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	if (__builtin_add_overflow(deadline.tv_sec, timeout->tv_sec, &deadline.tv_sec))
		deadline.tv_sec = INT64_MAX - 1;
	deadline.tv_nsec += timeout->tv_nsec;
	if (deadline.tv_nsec >= 1000000000) {
		deadline.tv_nsec -= 1000000000;
		deadline.tv_sec++;
	}
	task->restart = (struct restart_block){
		.function = restart_wait,
		.args = {address, operation, value, (u64)deadline.tv_sec, (u64)deadline.tv_nsec}};
	return restart_wait(task);
}

s64 sys_futex(struct task *task, const u64 args[6])
{
	u64 address = args[0], second = args[4];
	u32 operation = (u32)args[1], value = (u32)args[2];
	u32 command = operation & (u32)FUTEX_CMD_MASK;
	struct timespec timeout;

	if (!user_range_ok(address, 4))
		return -EFAULT;
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		if (args[3] && get_user(task, &timeout, args[3]))
			return -EFAULT;
		if (command == FUTEX_WAIT && args[3] && !(operation & FUTEX_CLOCK_REALTIME))
			return wait_relative(task, address, operation & FUTEX_PRIVATE_FLAG, value,
					     &timeout);
		if (command == FUTEX_WAIT_REQUEUE_PI && !user_range_ok(second, 4))
			return -EFAULT;
		return task_syscall(task, SYS_futex, address, operation, value,
				    args[3] ? &timeout : NULL, second, args[5]);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
	case FUTEX_WAKE_OP:
		if (!user_range_ok(second, 4))
			return -EFAULT;
		/* The fourth argument is a number here. */
		return host_call(SYS_futex, address, operation, value, args[3], second, args[5]);
	default:
		return host_call(SYS_futex, address, operation, value, args[3], second, args[5]);
	}
}
