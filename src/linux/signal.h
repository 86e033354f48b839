/* SPDX-License-Identifier: MIT */
/*
 * Signals of the guest: queues, actions, delivery. Numbers are those of Linux and the same on
 * powerpc and x86-64.
 *
 * A host signal is only noted (signal_host.c) and delivered to the guest at a safepoint, where the
 * register file is exact.
 */
#ifndef LINUX_SIGNAL_H
#define LINUX_SIGNAL_H

#include <pthread.h>
#include <signal.h>

#include "base/types.h"

#define GUEST_NSIG 64

struct task;
struct process;

/* The generic siginfo of 64-bit Linux: the same bytes on powerpc64le and x86-64. */
union guest_siginfo {
	struct {
		s32 signo, error, code, pad;
		u64 fields[14];
	};
	siginfo_t host;
	u8 bytes[128];
};

/* struct sigaction as rt_sigaction passes it on powerpc64. */
struct guest_sigaction {
	u64 handler;
	u64 flags;
	u64 restorer; /* not used by ppc64 */
	u64 mask;
};

struct signal_stack {
	u64 sp;
	s32 flags;
	u64 size;
};

struct queued_signal {
	struct queued_signal *next;
	union guest_siginfo info;
};

/* Pending signals of a task, or those of the process as a whole. */
struct signal_queue {
	u64 set; /* bit n-1: signal n; read without lock as a hint */
	struct queued_signal *first, **last;
};

struct signal_shared {
	pthread_mutex_t lock; /* of all queues and actions of the process */
	struct guest_sigaction action[GUEST_NSIG + 1];
	struct signal_queue pending;
};

#define SIGNAL_BIT(signo) (1ull << ((signo) - 1))

/* Take over the host's signals: actions and mask are inherited. Once, before the first instruction.
 */
void signal_init(struct task *task);

/* Forget what is pending for a task that has ended. */
void signal_flush_task(struct task *task);

/* Is there something to deliver to this task? */
bool signal_pending(struct task *task);

/**
 * signal_send_task - queue a signal for one task
 * @info: signo, code and what belongs to the code
 *
 * Return: 0; -EAGAIN if a queued (realtime, with SI_QUEUE) signal found no memory.
 */
int signal_send_task(struct task *task, const union guest_siginfo *info);
/* The same for a thread of the process by number; -ESRCH if there is none. Signal 0 only looks. */
int signal_send_thread(struct process *process, int tid, const union guest_siginfo *info);
int signal_send_process(struct process *process, const union guest_siginfo *info);

/*
 * A host call of the task has failed with an error that comes with a signal for the calling thread:
 * EPIPE with SIGPIPE, EFBIG with SIGXFSZ.
 */
void signal_of_failed_call(struct task *task);

/* Fetch what host handlers have noted and tell the tasks that it concerns. */
void signal_distribute(struct process *process);

/**
 * signal_force_fault - a synchronous signal that the task cannot escape
 * @task: current task
 * @signo: SIGSEGV, SIGBUS, SIGILL, SIGFPE or SIGTRAP
 * @code: si_code
 * @address: si_addr
 *
 * If the signal is ignored or blocked its action becomes the default one, as in Linux.
 */
void signal_force_fault(struct task *task, int signo, int code, u64 address);

/**
 * signal_deliver - at a safepoint: deliver what is pending, or restart the system call
 * @task: current task, its CPU exact
 * @syscall_result: result of the system call just done, or 0 if none is to be restarted
 *
 * May not return: a default action can end the process.
 */
void signal_deliver(struct task *task, s64 syscall_result);

/*
 * Replace the signal mask until the system call in progress returns, as ppoll, pselect and
 * sigsuspend do: the old mask comes back after delivery. @set as read from the guest.
 */
void signal_set_temporary_mask(struct task *task, u64 set);

/* Set the mask of blocked signals for good. */
void signal_set_mask(struct task *task, u64 set);

/* New action of a signal. The caller has checked the number. */
void signal_set_action(struct process *process, int signo, const struct guest_sigaction *action);

/**
 * signal_dequeue - take a pending signal of a set
 *
 * Return: false if there is none.
 */
bool signal_dequeue(struct task *task, u64 set, union guest_siginfo *info);

/* Numbers of all pending signals, blocked or not. */
u64 signal_pending_set(struct task *task);

/* End the process as if by this signal; tells the parent so. */
void signal_die(struct task *task, int signo) __attribute__((noreturn));

/* End the call in progress without a signal: put the old mask back. */
void signal_restore_mask(struct task *task);

#endif
