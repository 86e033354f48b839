/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: guest threads (tasks) on virtual CPUs.
 *
 * A *slot* is a virtual CPU, shared by all processes of the machine (slots.h). A *worker* is a host
 * thread with a struct cpu; it runs tasks while it holds a slot. Tasks are cheap: one that waits
 * for something the kernel half itself provides (a private futex, a time, a signal) is *parked*,
 *that is, it is nothing but its struct task; switching from one task to another is done by a worker
 * without a host call. A task in a host system call keeps its worker, and its slot until somebody
 * else wants it.
 *
 *	worker loop:	pick a task -> switch_to() -> run it until it parks, yields or exits
 *
 * The context switch moves the registers by Linux's rules (switch.h), because that is where the
 * policies for transactional memory live.
 *
 * Unless said otherwise a function may be called by any thread of the process that drives a task.
 * Host signal handlers may call only sched_interrupt().
 */
#ifndef LINUX_SCHED_H
#define LINUX_SCHED_H

#include "linux/task.h"

struct slots;

/* Start: the calling host thread becomes the first worker. Returns its CPU. */
struct cpu *sched_init(struct process *process, struct slots *slots);

/* Run tasks, beginning with this one, until the process ends. */
void sched_main(struct task *first) __attribute__((noreturn));

/* A child of vfork, in a host process of its own but in the parent's memory: run it alone. */
void sched_run_alone(struct task *task) __attribute__((noreturn));

/* Make a new task runnable. It belongs to the scheduler from now on. */
void sched_start(struct task *task);

/**
 * sched_park - wait without a host thread
 * @task: the current task
 * @resume: called when it has been woken, by whoever runs it then: returns the result of the
 *	system call, or SYSCALL_PARKED after parking once more
 * @deadline: CLOCK_MONOTONIC ns at which it is woken in any case; 0 = never
 *
 * The caller has first published the task where its waker finds it; a sched_wake() in between is
 * not lost. Also woken when a signal is sent to it. The handler returns the result of this
 * function at once.
 *
 * Return: SYSCALL_PARKED.
 */
s64 sched_park(struct task *task, s64 (*resume)(struct task *task), u64 deadline);

/* Make a parked task runnable; nothing if it is not parked. */
void sched_wake(struct task *task);

/* Has the task something else to do than to go on: a signal, the end of the process? */
static inline bool task_interrupted(const struct task *task)
{
	return __atomic_load_n(&task->interrupt, __ATOMIC_SEQ_CST) != 0;
}

/* With threads: a host signal was noted by a thread other than the ticker. From signal handlers. */
void sched_look_for_signals(void);

/*
 * Tell a task to look at its signals: wakes it if it is parked, gets it out of guest code and of
 * an interruptible host call.
 */
void sched_interrupt(struct task *task);

/* The current task offers its CPU: does anybody want it, or must it go to another one? */
bool sched_yield_makes_sense(struct task *task);

/* Current task, at a safepoint: is it another one's turn? */
bool sched_should_yield(struct task *task);

/*
 * Around a host system call that can sleep. The task keeps its slot, which others may take if the
 * call lasts; one whose last call of this number did last offers the slot at once.
 */
void sched_enter_host(struct task *task, long number);
void sched_exit_host(struct task *task);

/*
 * Around a fork: no other task runs and no lock of the scheduler is held by another. In the child
 * only the current task is left; its number may have changed.
 */
void sched_before_fork(struct task *task);
void sched_after_fork(struct task *task, bool in_child);

/* Add what all CPUs have executed to the counters. */
void sched_count_instructions(void);

/* Give up the slot for good: the process ends or becomes another program. */
void sched_leave(void);
/* Have one again: it did not. */
void sched_come_back(struct task *task);

/*
 * CPU time of a task in ns. Once a process has several threads it is counted from the first call
 * on, so that nobody else pays for it; what a thread has used before is missing. The first thread's
 * begins with what it had used alone. With process->task_lock.
 */
u64 sched_task_cpu_ns(struct task *task);

/* Number of virtual CPUs. */
u32 sched_n_cpus(void);
/* The table of slots, for a child to inherit. */
struct slots *sched_slots(void);
/* A number for a new thread, unique in the machine. */
int sched_new_tid(void);

/* Has the process had more than one thread? Then signals go to whom they concern. */
bool sched_is_threaded(void);

/* Time of the scheduler, CLOCK_MONOTONIC in ns. */
u64 sched_now(void);

#endif
