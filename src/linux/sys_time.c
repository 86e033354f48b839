// SPDX-License-Identifier: MIT
/*
 * Clocks, sleeping and interval timers.
 *
 * struct timespec, timeval, itimerval and timex have the same bytes on both sides. Interval timers
 * are the host's: their signals arrive as host signals. Clocks of threads are in cpu_clock.c.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>
#include <utime.h>

#include "base/log.h"
#include "linux/cpu_clock.h"
#include "linux/syscall_pass.h"

#define NS 1000000000ll

PASS(clock_settime, IN(1, sizeof(struct timespec)))
PASS(clock_adjtime, OUT(1, sizeof(struct timex)))
PASS(adjtimex, OUT(0, sizeof(struct timex)))
PASS(gettimeofday, OUT(0, sizeof(struct timeval)), OUT(1, sizeof(struct timezone)))
PASS(settimeofday, IN(0, sizeof(struct timeval)), IN(1, sizeof(struct timezone)))
PASS(time, OUT(0, sizeof(time_t)))
PASS(times, OUT(0, sizeof(struct tms)))
PASS(alarm)
PASS(setitimer, IN(1, sizeof(struct itimerval)), OUT(2, sizeof(struct itimerval)))
PASS(getitimer, OUT(1, sizeof(struct itimerval)))

static s64 to_ns(const struct timespec *time)
{
	s64 ns;

	/* Linux clamps, too: KTIME_MAX. */
	if (__builtin_mul_overflow(time->tv_sec, NS, &ns) ||
	    __builtin_add_overflow(ns, time->tv_nsec, &ns))
		return INT64_MAX;
	return ns;
}

static struct timespec from_ns(s64 ns)
{
	return (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
}

static s64 monotonic_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return to_ns(&now);
}

/* Sleep until a point in time; args: clock, deadline in ns, address for the rest. */
static s64 sleep_until(struct task *task)
{
	clockid_t clock = (clockid_t)task->restart.args[0];
	struct timespec deadline = from_ns((s64)task->restart.args[1]);
	u64 rest_address = task->restart.args[2];
	s64 result;

	result = task_syscall(task, SYS_clock_nanosleep, clock, TIMER_ABSTIME, &deadline, NULL);
	if (result != -ERESTARTSYS)
		return result;
	if (rest_address) {
		s64 left = (s64)task->restart.args[1] - monotonic_ns(clock);
		struct timespec rest = from_ns(MAX(left, 0));

		if (put_user(task, rest, rest_address))
			return -EFAULT;
	}
	return -ERESTART_RESTARTBLOCK;
}

static s64 sleep_for(struct task *task, clockid_t clock, const struct timespec *time, u64 rest)
{
	s64 deadline;

	if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= NS)
		return -EINVAL;
	if (__builtin_add_overflow(monotonic_ns(clock), to_ns(time), &deadline))
		deadline = INT64_MAX;
	task->restart = (struct restart_block){
		.function = sleep_until,
		.args = {(u64)clock, (u64)deadline, rest},
	};
	return sleep_until(task);
}

s64 sys_nanosleep(struct task *task, const u64 args[6])
{
	struct timespec time;

	if (get_user(task, &time, args[0]))
		return -EFAULT;
	return sleep_for(task, CLOCK_MONOTONIC, &time, args[1]);
}

s64 sys_clock_nanosleep(struct task *task, const u64 args[6])
{
	clockid_t clock = (clockid_t)args[0];
	struct timespec time;
	s64 result;

	if (get_user(task, &time, args[2]))
		return -EFAULT;
	if (!cpu_clock_to_host(task, &clock)) {
		log_line(LOG_UNIMPLEMENTED, "a sleep on the CPU clock of one thread of several");
		return -EINVAL;
	}
	if ((u32)args[1] & TIMER_ABSTIME) {
		result = task_syscall(task, SYS_clock_nanosleep, clock, TIMER_ABSTIME, &time);
		return result == -ERESTARTSYS ? -ERESTARTNOHAND : result;
	}
	switch (clock) {
	case CLOCK_REALTIME: /* a relative sleep does not follow when that clock is set */
	case CLOCK_TAI:
	case CLOCK_MONOTONIC:
		return sleep_for(task, CLOCK_MONOTONIC, &time, args[3]);
	case CLOCK_BOOTTIME:
		return sleep_for(task, CLOCK_BOOTTIME, &time, args[3]);
	case CLOCK_THREAD_CPUTIME_ID:
		return -EINVAL;
	default: {
		/* Clocks of CPU time and alarms: rare enough to say EINTR when interrupted. */
		void *rest = NULL;
		int error = args[3] ? user_write_buffer(task, args[3], sizeof(time), &rest) : 0;

		if (error)
			return error;
		result = task_syscall(task, SYS_clock_nanosleep, clock, (int)args[1], &time, rest);
		return result == -ERESTARTSYS ? -EINTR : result;
	}
	}
}
