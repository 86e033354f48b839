/* SPDX-License-Identifier: MIT */
/*
 * System calls: table, calling convention, rules for handlers.
 *
 * A handler sys_NAME() gets the six argument registers and returns a value or a negative errno.
 * Guest and host agree on most numbers and structures; where powerpc differs from x86-64 (open
 * and mmap flags, ioctl numbers, termios, stat, socket options, ...) the conversion is in one
 * place: powerpc_abi.h. Guest file descriptors are host file descriptors.
 *
 * Rules:
 *  - guest memory is reached through uaccess.h only;
 *  - a host call that can sleep goes through task_syscall(); other host calls through
 *    host_call() or the C library;
 *  - paths go through path.h;
 *  - -EINTR of a sleeping call arrives as -ERESTARTSYS: return it as it is if Linux restarts that
 *    call under SA_RESTART, else turn it into -EINTR or -ERESTARTNOHAND;
 *  - arguments of type int arrive with undefined upper halves: cast them.
 */
#ifndef LINUX_SYSCALL_H
#define LINUX_SYSCALL_H

#include <errno.h>

#include "base/host_syscall.h"
#include "linux/sched.h"
#include "linux/task.h"

typedef s64 syscall_fn(struct task *task, const u64 args[6]);

/* Results that never reach the guest; include/linux/errno.h of Linux. */
#define ERESTARTSYS	      512 /* restart if SA_RESTART, else EINTR */
#define ERESTARTNOINTR	      513 /* always restart */
#define ERESTARTNOHAND	      514 /* restart if no handler ran, else EINTR */
#define ERESTART_RESTARTBLOCK 516 /* the same, by task->restart */
/* The handler has set the registers itself: rt_sigreturn, execve. */
#define SYSCALL_REGS_SET (-0x10000)

#define SYSCALL_MAX 512

struct syscall {
	const char *name;
	syscall_fn *handler;   /* NULL: ENOSYS */
	const char *arguments; /* see syscalls.def */
};

/* The task is parked: the call goes on when it is woken. sched.h */
#define SYSCALL_PARKED INT64_MIN
/* The task has ended. */
#define SYSCALL_EXITED (INT64_MIN + 1)

/* Indexed by number; entries without name do not exist. */
extern const struct syscall syscall_table[SYSCALL_MAX];

#define SYSCALL(number, name, arguments) syscall_fn sys_##name;
#define NOSYS(number, name, arguments)
#include "linux/syscalls.def"
#undef SYSCALL
#undef NOSYS

/**
 * syscall_dispatch - perform the system call that the CPU of the task asks for
 * @task: current task; r0 holds the number, r3-r8 the arguments
 *
 * Sets r3 and CR0[SO], and prints the call under --strace.
 *
 * Return: 0; or if the call may be to be restarted its result, and r3 is left to signal_deliver().
 */
s64 syscall_dispatch(struct task *task);

/* The end of a call that had parked its task: as syscall_dispatch(), with the result. */
s64 syscall_finish(struct task *task, s64 result);

/* strace.c: print a call before it is performed, and its result. Quoted from guest memory. */
void strace_enter(struct task *task, const struct syscall *call, u64 number, const u64 args[6]);
void strace_exit(struct task *task, const struct syscall *call, const u64 args[6], s64 result);
/* Print a signal that is being delivered. */
void strace_signal(struct task *task, const union guest_siginfo *info);
/* The process whose lines need no number; 0: none yet. Programs that it executes inherit it. */
int strace_first(void);
void strace_set_first(int pid);

static inline s64 task_syscall6(struct task *task, long number, u64 a, u64 b, u64 c, u64 d, u64 e,
				u64 f)
{
	s64 result;

	sched_enter_host(task, number);
	result = host_syscall_interruptible(&task->interrupt, number, a, b, c, d, e, f);
	sched_exit_host(task);
	return result == -EINTR ? -ERESTARTSYS : result;
}

/**
 * task_syscall - a host system call that can sleep: task_syscall(task, SYS_read, fd, buffer, n)
 *
 * A signal that arrives before or while it sleeps ends it with -ERESTARTSYS; it is never lost.
 */
#define task_syscall(task, number, ...)                                                            \
	TASK_SYSCALL_PADDED(task, number, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define TASK_SYSCALL_PADDED(task, number, a, b, c, d, e, f, ...)                                   \
	task_syscall6(task, number, (u64)(a), (u64)(b), (u64)(c), (u64)(d), (u64)(e), (u64)(f))

/* Another host system call; same arguments, errors as negative errno. */
#define host_call(number, ...) HOST_CALL_PADDED(number, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define HOST_CALL_PADDED(number, a, b, c, d, e, f, ...)                                            \
	host_syscall(number, (u64)(a), (u64)(b), (u64)(c), (u64)(d), (u64)(e), (u64)(f))

#endif
