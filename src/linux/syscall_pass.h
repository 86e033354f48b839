/* SPDX-License-Identifier: MIT */
/*
 * Handlers for system calls that the host kernel performs as they are.
 *
 * Most structures have the same bytes on powerpc64le and x86-64, and guest addresses are host
 * addresses. What is left for such a call is to see that its pointers stay inside guest space and
 * that decoded code is not overwritten behind the engine's back:
 *
 *	PASS(getsid)				no pointers
 *	PASS(sysinfo, OUT(0, 112))		argument 0 points to 112 bytes that the host writes
 *	PASS_SLEEP(wait4, OUT(1, 4), OUT(3, 144))	can sleep; -EINTR means -ERESTARTSYS
 *
 * A pointer that is 0 is passed on as it is. Arguments of type int need no care: the host kernel
 * looks at their lower halves only.
 */
#ifndef LINUX_SYSCALL_PASS_H
#define LINUX_SYSCALL_PASS_H

#include <sys/syscall.h>

#include "linux/syscall.h"
#include "linux/uaccess.h"

/**
 * struct pass_buffer - what an argument points to
 * @argument: its index
 * @write: the host writes there
 * @size: bytes; times argument @count if that is not 0; 0 = a string
 * @count: index + 1 of the argument that holds the number of items
 * @narrow: that argument is an int
 */
struct pass_buffer {
	u8 argument;
	bool write;
	u8 count;
	bool narrow;
	u32 size;
};

#define IN(argument, size)                                                                         \
	{                                                                                          \
		(argument), false, 0, false, (size)                                                \
	}
#define OUT(argument, size)                                                                        \
	{                                                                                          \
		(argument), true, 0, false, (size)                                                 \
	}
#define IN_N(argument, count, size)                                                                \
	{                                                                                          \
		(argument), false, (count) + 1, false, (size)                                      \
	}
#define OUT_N(argument, count, size)                                                               \
	{                                                                                          \
		(argument), true, (count) + 1, false, (size)                                       \
	}
#define IN_INT(argument, count, size)                                                              \
	{                                                                                          \
		(argument), false, (count) + 1, true, (size)                                       \
	}
#define OUT_INT(argument, count, size)                                                             \
	{                                                                                          \
		(argument), true, (count) + 1, true, (size)                                        \
	}
/* A string: its end is found by the host, long before the end of the address space. */
#define STRING(argument) IN(argument, 0)

/*
 * Check and prepare. An argument becomes the address of a copy if the host must not see what is in
 * memory. Return: 0 or -EFAULT.
 */
int pass_prepare(struct task *task, u64 args[6], const struct pass_buffer *buffers, size_t n);

/* A copy of the arguments, for pass_prepare(). */
#define PASS_ARGUMENTS(name, args)                                                                 \
	u64 name[6] = {(args)[0], (args)[1], (args)[2], (args)[3], (args)[4], (args)[5]}

#define PASS_BUFFERS(...)                                                                          \
	const struct pass_buffer buffers[] = {__VA_ARGS__};                                        \
	PASS_ARGUMENTS(a, args);                                                                   \
	int error = pass_prepare(task, a, buffers, ARRAY_SIZE(buffers))

#define PASS(name, ...)                                                                            \
	s64 sys_##name(struct task *task, const u64 args[6])                                       \
	{                                                                                          \
		PASS_BUFFERS(__VA_ARGS__);                                                         \
		return error ? error                                                               \
			     : host_syscall(SYS_##name, a[0], a[1], a[2], a[3], a[4], a[5]);       \
	}

#define PASS_SLEEP(name, ...)                                                                      \
	s64 sys_##name(struct task *task, const u64 args[6])                                       \
	{                                                                                          \
		PASS_BUFFERS(__VA_ARGS__);                                                         \
		return error ? error                                                               \
			     : task_syscall6(task, SYS_##name, a[0], a[1], a[2], a[3], a[4],       \
					     a[5]);                                                \
	}

#endif
