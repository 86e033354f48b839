// SPDX-License-Identifier: MIT
/*
 * What the kernel half costs: nanoseconds of one operation each, printed as "NAME NS". Two threads
 * or processes that take turns are pinned to one CPU, so each turn is a context switch.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void report(const char *name, double start, long operations)
{
	printf("%s %.1f\n", name, (now() - start) / (double)operations);
	fflush(stdout);
}

static void pin(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void null_syscall(long n)
{
	double start = now();

	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	report("null_syscall", start, n);
}

static volatile int ready, finished;
static long turns;

static void *yielder(void *arg)
{
	pin();
	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < 2)
		sched_yield();
	for (long i = 0; i < turns; i++)
		sched_yield();
	return arg;
}

static void pair(const char *name, void *(*body)(void *), long n)
{
	pthread_t a, b;
	double start;

	turns = n;
	ready = finished = 0;
	start = now();
	pthread_create(&a, NULL, body, (void *)0);
	pthread_create(&b, NULL, body, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	report(name, start, 2 * n);
}

static int turn;

static void *futexer(void *arg)
{
	int me = (int)(long)arg;

	pin();
	for (long i = 0; i < turns; i++) {
		while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != me)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !me, NULL, NULL, 0);
		__atomic_store_n(&turn, !me, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return NULL;
}

static int pipes[2][2];

static void *piper(void *arg)
{
	int me = (int)(long)arg;
	char c = 0;

	pin();
	for (long i = 0; i < turns; i++) {
		if (me == 0 && write(pipes[0][1], &c, 1) != 1)
			abort();
		if (read(pipes[!me][0], &c, 1) != 1)
			abort();
		if (me == 1 && write(pipes[1][1], &c, 1) != 1)
			abort();
	}
	return NULL;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long counter;

static void *locker(void *arg)
{
	for (long i = 0; i < turns; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void thread_create(long n)
{
	double start = now();
	pthread_t t;

	for (long i = 0; i < n; i++) {
		pthread_create(&t, NULL, nothing, NULL);
		pthread_join(t, NULL);
	}
	report("thread_create_join", start, n);
}

/* qemu-ppc64le cannot execute a program without binfmt_misc: then there is nothing to report. */
static void fork_wait(long n, const char *self)
{
	double start = now();
	int status;

	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid && self) {
			execl(self, self, "exit", NULL);
			_exit(1);
		}
		if (!pid)
			_exit(0);
		if (waitpid(pid, &status, 0) != pid || status)
			return;
	}
	report(self ? "fork_exec_wait" : "fork_wait", start, n);
}

static void on_signal(int signo)
{
	counter += signo;
}

static void signals(long n)
{
	double start;

	signal(SIGUSR1, on_signal);
	start = now();
	for (long i = 0; i < n; i++)
		raise(SIGUSR1);
	report("signal_delivery", start, n);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "exit"))
		return 0;
	null_syscall(200000);
	signals(20000);
	fork_wait(50, NULL);
	fork_wait(20, argv[0]);
	pair("mutex_uncontended_pair", locker, 200000);
	thread_create(1000);
	pair("yield_switch", yielder, 50000);
	pair("futex_switch", futexer, 10000);
	if (pipe(pipes[0]) || pipe(pipes[1]))
		return 1;
	pair("pipe_switch", piper, 5000);
	return 0;
}
