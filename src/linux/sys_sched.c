// SPDX-License-Identifier: MIT
/*
 * Scheduling parameters, priorities and CPUs.
 */
#define _GNU_SOURCE
#include <sched.h>

#include "linux/syscall_pass.h"

PASS(sched_yield)
PASS(sched_get_priority_max)
PASS(sched_get_priority_min)
PASS(sched_getscheduler)
PASS(sched_setscheduler, IN(2, sizeof(struct sched_param)))
PASS(sched_getparam, OUT(1, sizeof(struct sched_param)))
PASS(sched_setparam, IN(1, sizeof(struct sched_param)))
PASS(sched_rr_get_interval, OUT(1, sizeof(struct timespec)))
PASS(sched_getaffinity, OUT_INT(2, 1, 1))
PASS(sched_setaffinity, IN_INT(2, 1, 1))
PASS(sched_getattr, OUT_INT(1, 2, 1))
/* The structure says its own size; 56 bytes is the newest known. */
PASS(sched_setattr, IN(1, 56))
PASS(getcpu, OUT(0, 4), OUT(1, 4))
PASS(getpriority)
PASS(setpriority)
PASS(ioprio_get)
PASS(ioprio_set)

/* x86-64 has no such call. */
s64 sys_nice(struct task *task, const u64 args[6])
{
	s64 priority = host_call(SYS_getpriority, 0, 0);
	int nice;

	if (priority < 0)
		return priority;
	nice = 20 - (int)priority + (int)args[0];
	return host_call(SYS_setpriority, 0, 0, nice < -20 ? -20 : nice > 19 ? 19 : nice);
}

/* Barriers among the threads of the process, which are host threads while they run. */
PASS_SLEEP(membarrier)
