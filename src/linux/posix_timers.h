/* SPDX-License-Identifier: MIT */
/*
 * Timers of timer_create().
 *
 * Each is a host timer with the same number. Its signal comes to the host process; whom it is for
 * among the guest's threads (SIGEV_THREAD_ID), and how often the timer went off before the guest
 * took the signal, is kept here. As in Linux one signal of a timer waits at most.
 *
 * All functions but posix_timers_forget() are called with process->signals.lock.
 */
#ifndef LINUX_POSIX_TIMERS_H
#define LINUX_POSIX_TIMERS_H

#include "linux/signal.h"

struct process;
struct task;

/* Timers go off at most that often: an emulated handler must leave time for the program. */
#define POSIX_TIMER_INTERVAL_MIN_NS 50000

/**
 * posix_timer_receiver - whom a signal is for
 * @info: a signal from the host
 * @task: set to the thread; NULL = the process
 *
 * Return: false if it comes from a timer that was deleted or whose thread has ended; it is dropped.
 */
bool posix_timer_receiver(struct process *process, const union guest_siginfo *info,
			  struct task **task);

/* If the queue holds a signal of the same timer: count an overrun there. Return: whether so. */
bool posix_timer_merge(struct signal_queue *queue, const union guest_siginfo *info);

/* The guest takes a signal of a timer: its overruns are what timer_getoverrun() tells. */
void posix_timer_taken(struct process *process, const union guest_siginfo *info);

/* A new process has no timers. */
void posix_timers_forget(struct process *process);

#endif
