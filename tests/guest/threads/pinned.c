/* SPDX-License-Identifier: MIT */
/*
 * Two processes, then two threads, pinned to the same CPU take turns: both get on, in about equal
 * parts, and the kernel counts the switches. Two that are pinned to different CPUs do not mind.
 */
#define _GNU_SOURCE
#include "../ppc/tap.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
	volatile u64 turns[2];
	volatile int stop;
} *shared;

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static void hog(int me)
{
	while (!shared->stop)
		shared->turns[me]++;
}

static void *hog_thread(void *arg)
{
	struct rusage usage;

	if (pin(0))
		return (void *)-1;
	hog((int)(intptr_t)arg);
	getrusage(RUSAGE_THREAD, &usage);
	return (void *)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* Wait until both have got on by so much, or half a minute. */
static void wait_for(u64 turns)
{
	u64 until = now_ms() + 30000;

	while ((shared->turns[0] < turns || shared->turns[1] < turns) && now_ms() < until)
		usleep(10000);
}

static void fair(const char *who)
{
	u64 a = shared->turns[0], b = shared->turns[1];

	ok(a && b, "%s: both get on", who);
	ok(a < 8 * b && b < 8 * a, "%s: and neither gets nearly all (%llu, %llu)", who,
	   (unsigned long long)a, (unsigned long long)b);
}

static void reset(void)
{
	memset(shared, 0, sizeof(*shared));
}

static void processes(void)
{
	struct rusage usage;
	pid_t child[2];

	reset();
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		if (!child[i]) {
			pin(0);
			hog(i);
			getrusage(RUSAGE_SELF, &usage);
			_exit(usage.ru_nivcsw + usage.ru_nvcsw > 1 ? 0 : 1);
		}
	}
	wait_for(200000);
	usleep(300000);
	shared->stop = 1;
	for (int i = 0; i < 2; i++) {
		int status;

		waitpid(child[i], &status, 0);
		is((u64)status, 0, "a process counts its switches");
	}
	fair("processes");
}

static void threads(void)
{
	pthread_t id[2];
	void *switches;

	reset();
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, hog_thread, (void *)i);
	wait_for(200000);
	usleep(300000);
	shared->stop = 1;
	for (int i = 0; i < 2; i++) {
		pthread_join(id[i], &switches);
		ok((long)switches > 1, "a thread counts its switches (%ld)", (long)switches);
	}
	fair("threads");
}

/* A process that yields lets the other one on at once, however long its slice is. */
static void yielding(void)
{
	enum { ROUNDS = 200 };
	struct rusage before, after;
	int status;
	pid_t child;

	reset();
	child = fork();
	if (!child) {
		pin(0);
		for (int i = 0; i < ROUNDS; i++) {
			while (shared->turns[0] <= (u64)i)
				sched_yield();
			shared->turns[1]++;
		}
		_exit(0);
	}
	pin(0);
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < ROUNDS; i++) {
		shared->turns[0]++;
		while (shared->turns[1] <= (u64)i)
			sched_yield();
	}
	getrusage(RUSAGE_SELF, &after);
	waitpid(child, &status, 0);
	is((u64)status, 0, "ping-pong on one CPU by sched_yield");
	ok(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw >= ROUNDS / 2,
	   "each turn is a switch (%ld)",
	   after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
}

int main(void)
{
	cpu_set_t set;

	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	processes();
	threads();
	yielding();
	sched_getaffinity(0, sizeof(set), &set);
	ok(CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set), "the affinity is what was set");
	CPU_ZERO(&set);
	CPU_SET(1000, &set);
	is((u64)sched_setaffinity(0, sizeof(set), &set), (u64)-1, "a CPU that is not there");
	is((u64)errno, EINVAL, "is refused");
	return tap_end();
}
