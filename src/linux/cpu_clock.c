// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/cpu_clock.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "linux/syscall_pass.h"

#define CLOCK_OF_THREAD 4
#define CLOCK_KIND	3 /* 3 = not of CPU time: a descriptor */

static bool is_encoded(clockid_t clock)
{
	return clock < 0 && (clock & CLOCK_KIND) != CLOCK_KIND;
}

/* The thread a clock is of; 0 = the caller; -1 = it is no clock of a thread. */
static int clock_tid(clockid_t clock)
{
	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return 0;
	return is_encoded(clock) && clock & CLOCK_OF_THREAD ? ~(clock >> 3) : -1;
}

bool cpu_clock_to_host(struct task *task, clockid_t *clock)
{
	int tid = clock_tid(*clock);

	if (tid < 0)
		return true;
	if (sched_is_threaded() && task->sched.state != TASK_ALONE)
		return false;
	if (tid == task->tid)
		*clock = CLOCK_THREAD_CPUTIME_ID;
	return true;
}

s64 cpu_clock_read(struct task *task, clockid_t clock)
{
	struct process *process = task->process;
	int tid = clock_tid(clock);
	struct task *target;
	s64 ns = -EINVAL;

	pthread_mutex_lock(&process->task_lock);
	target = tid ? task_find(process, tid) : task;
	if (target)
		ns = (s64)sched_task_cpu_ns(target);
	pthread_mutex_unlock(&process->task_lock);
	return ns;
}

s64 sys_clock_gettime(struct task *task, const u64 args[6])
{
	clockid_t clock = (clockid_t)args[0];
	struct timespec time;
	s64 result;

	if (cpu_clock_to_host(task, &clock)) {
		result = host_call(SYS_clock_gettime, clock, &time);
	} else {
		result = cpu_clock_read(task, clock);
		time = (struct timespec){.tv_sec = result / 1000000000,
					 .tv_nsec = result % 1000000000};
		result = MIN(result, 0);
	}
	return result ? result : put_user(task, time, args[1]);
}

s64 sys_clock_getres(struct task *task, const u64 args[6])
{
	clockid_t clock = (clockid_t)args[0];
	struct timespec time = {.tv_nsec = 1};
	s64 result = cpu_clock_to_host(task, &clock) ? host_call(SYS_clock_getres, clock, &time)
						     : MIN(cpu_clock_read(task, clock), 0);

	return result || !args[1] ? result : put_user(task, time, args[1]);
}

/* Of a thread: its CPU time counts as user time, and its switches are those of the scheduler. */
static s64 thread_usage(struct task *task, struct rusage *usage)
{
	s64 ns = cpu_clock_read(task, CLOCK_THREAD_CPUTIME_ID);

	*usage = (struct rusage){
		.ru_utime = {.tv_sec = ns / 1000000000, .tv_usec = ns % 1000000000 / 1000},
		.ru_nvcsw = (long)task->sched.voluntary,
		.ru_nivcsw = (long)task->sched.involuntary,
	};
	return 0;
}

s64 sys_getrusage(struct task *task, const u64 args[6])
{
	clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
	struct rusage usage;
	s64 result;

	if ((int)args[0] == RUSAGE_THREAD && !cpu_clock_to_host(task, &clock))
		result = thread_usage(task, &usage);
	else
		result = host_call(SYS_getrusage, (int)args[0], &usage);
	return result ? result : put_user(task, usage, args[1]);
}
