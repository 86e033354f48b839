// SPDX-License-Identifier: MIT
/* Clocks, sleeps, timers. Only what does not depend on the machine is printed. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static volatile sig_atomic_t caught;
static volatile int value;

static void on_alarm(int signo)
{
	caught++;
}

static void on_timer(int signo, siginfo_t *info, void *context)
{
	caught++;
	value = info->si_value.sival_int;
	CHECK(info->si_code == SI_TIMER);
}

static long long ns(clockid_t clock)
{
	struct timespec t;

	CHECK(!clock_gettime(clock, &t));
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void clocks(void)
{
	static const clockid_t list[] = {CLOCK_REALTIME,	   CLOCK_MONOTONIC,
					 CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
					 CLOCK_MONOTONIC_RAW,	   CLOCK_REALTIME_COARSE,
					 CLOCK_MONOTONIC_COARSE,   CLOCK_BOOTTIME};
	struct timespec t, res;
	struct timex tx = {0};
	struct timeval tv;
	struct tms tms;
	time_t now;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		long long first = ns(list[i]), second = ns(list[i]);

		CHECK(second >= first && first >= 0);
		CHECK(!syscall(SYS_clock_gettime, list[i], &t) && t.tv_nsec < 1000000000);
		CHECK(!clock_getres(list[i], &res) && res.tv_sec == 0 && res.tv_nsec >= 1);
	}
	SHOW(clock_gettime(99, &t));
	SHOW(syscall(SYS_clock_gettime, CLOCK_REALTIME, (void *)16));
	CHECK(!gettimeofday(&tv, NULL));
	now = time(NULL);
	CHECK(now >= tv.tv_sec && now <= tv.tv_sec + 2 && now > 1600000000);
	CHECK(syscall(SYS_gettimeofday, &tv, NULL) == 0 && tv.tv_usec < 1000000);
	CHECK(times(&tms) != -1 && sysconf(_SC_CLK_TCK) == 100);
	CHECK(adjtimex(&tx) >= 0 && tx.tick > 0);
	SHOW(clock_settime(CLOCK_MONOTONIC, &t));
}

static void sleeping(void)
{
	struct timespec t = {0, 30000000}, bad = {0, 1000000000}, rest = {7, 7};
	long long start = ns(CLOCK_MONOTONIC), end;

	SHOW(nanosleep(&t, &rest));
	printf("rest untouched %d\n", rest.tv_sec == 7);
	end = ns(CLOCK_MONOTONIC);
	CHECK(end - start >= 30000000 && end - start < 2000000000);
	SHOW(nanosleep(&bad, NULL));
	bad.tv_nsec = 0;
	bad.tv_sec = -1;
	SHOW(nanosleep(&bad, NULL));
	SHOW(nanosleep((void *)16, NULL));
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
	end = ns(CLOCK_MONOTONIC) + 20000000;
	t.tv_sec = end / 1000000000;
	t.tv_nsec = end % 1000000000;
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	CHECK(ns(CLOCK_MONOTONIC) >= end);
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	t.tv_sec = 0;
	t.tv_nsec = 5000000;
	SHOW(clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL));
	SHOW(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &t, NULL));
	SHOW(usleep(1000));
}

static void timers(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval it = {{0, 10000}, {0, 10000}}, got;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = SIGRTMIN,
				 .sigev_value.sival_int = 4711};
	struct itimerspec set = {.it_value = {0, 10000000}}, old;
	struct timespec t = {5, 0};
	timer_t timer;

	MUST(sigaction(SIGALRM, &action, NULL));
	MUST(setitimer(ITIMER_REAL, &it, NULL));
	while (caught < 3)
		pause();
	memset(&it, 0, sizeof(it));
	MUST(setitimer(ITIMER_REAL, &it, &got));
	printf("interval was %ld\n", (long)got.it_interval.tv_usec);
	MUST(getitimer(ITIMER_REAL, &got));
	printf("off %ld\n", (long)got.it_value.tv_usec);
	SHOW(alarm(100));
	SHOW(alarm(0));
	action.sa_sigaction = on_timer;
	action.sa_flags = SA_SIGINFO;
	MUST(sigaction(SIGRTMIN, &action, NULL));
	MUST(timer_create(CLOCK_REALTIME, &event, &timer));
	caught = 0;
	MUST(timer_settime(timer, 0, &set, NULL));
	SHOW(nanosleep(&t, &t));
	printf("caught %d value %d\n", (int)caught, value);
	set.it_value.tv_sec = 100;
	MUST(timer_settime(timer, 0, &set, NULL));
	MUST(timer_gettime(timer, &old));
	CHECK(old.it_value.tv_sec >= 99);
	MUST(timer_delete(timer));
	SHOW(timer_delete(timer));
	/* CPU time of the process. */
	action.sa_handler = on_alarm;
	action.sa_flags = 0;
	caught = 0;
	MUST(sigaction(SIGVTALRM, &action, NULL));
	it.it_value.tv_usec = 20000;
	MUST(setitimer(ITIMER_VIRTUAL, &it, NULL));
	while (!caught)
		;
	printf("virtual timer %d\n", (int)caught);
}

int main(void)
{
	struct rusage usage;

	fresh_directory();
	clocks();
	sleeping();
	timers();
	CHECK(!getrusage(RUSAGE_SELF, &usage) &&
	      usage.ru_utime.tv_sec + usage.ru_utime.tv_usec > 0);
	return 0;
}
