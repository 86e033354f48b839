/* SPDX-License-Identifier: MIT */
/*
 * Clocks of CPU time of threads.
 *
 * A guest thread runs now on this host thread, now on that one, so the host's clocks of threads say
 * nothing of it once there are several. The scheduler then adds up what each has used, from the
 * first question on (sched_task_cpu_ns()). The number of a clock holds the number of its thread:
 * ~tid << 3, or'ed with 4 for a thread and with the kind (include/linux/posix-timers.h of Linux).
 */
#ifndef LINUX_CPU_CLOCK_H
#define LINUX_CPU_CLOCK_H

#include <time.h>

#include "base/types.h"

struct task;

/**
 * cpu_clock_to_host - may the host answer for a clock?
 * @task: current task
 * @clock: guest's; changed to the host's
 *
 * Return: false if it is the clock of a guest thread that only the scheduler knows.
 */
bool cpu_clock_to_host(struct task *task, clockid_t *clock);

/* Read such a clock, in ns; -EINVAL if there is no such thread. */
s64 cpu_clock_read(struct task *task, clockid_t clock);

#endif
