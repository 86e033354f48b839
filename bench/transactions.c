/* SPDX-License-Identifier: MIT */
/*
 * What transactions cost: prints "NAME NANOSECONDS" lines.
 *
 * usage: transactions OTHERS: so many other threads run plain code meanwhile
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE_WORDS 16 /* of 8 bytes in 128 */
#define LINES	   64

static volatile int stop;
static volatile uint64_t words[LINES * LINE_WORDS] __attribute__((aligned(128)));

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Computes, and comes to safepoints as compiled programs do. */
static void *other(void *argument)
{
	volatile uint64_t own[32] = {0};

	while (!stop)
		for (int i = 0; i < 32; i++)
			own[i] = own[i] * 3 + 1;
	return argument;
}

/* Nanoseconds of one call, the least of five rounds: other work of the host only adds. */
static double measure(void (*function)(void), long times)
{
	double best = 1e30;

	for (int round = 0; round < 5; round++) {
		double begin = now(), each;

		for (long i = 0; i < times; i++)
			function();
		each = (now() - begin) / (double)times;
		if (each < best)
			best = each;
	}
	return best;
}

/* A transaction is tried until it commits. */
#define TRANSACTION(...)                                                                           \
	do {                                                                                       \
		if (__builtin_tbegin(0)) {                                                         \
			__VA_ARGS__;                                                               \
			__builtin_tend(0);                                                         \
			return;                                                                    \
		}                                                                                  \
	} while (1)

static void empty(void) { TRANSACTION((void)0); }
static void small(void)
{
	TRANSACTION(uint64_t a = words[0] + words[1] + words[2]; words[3] = a; words[4] = a);
}

static void write_lines(int n)
{
	TRANSACTION(for (int i = 0; i < n; i++) words[i * LINE_WORDS]++);
}

static void lines_1(void) { write_lines(1); }
static void lines_8(void) { write_lines(8); }
static void lines_64(void) { write_lines(64); }
static void loads(void) { TRANSACTION(for (int i = 0; i < 100; i++)(void) words[i & 15]); }
static void stores(void) { TRANSACTION(for (int i = 0; i < 100; i++) words[i & 15] = 1); }

int main(int argc, char **argv)
{
	int others = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t threads[16];
	double nothing;

	for (int i = 0; i < others && i < 16; i++)
		pthread_create(&threads[i], NULL, other, NULL);
	nothing = measure(empty, 100000);
	printf("empty %.1f\n", nothing);
	printf("small %.1f\n", measure(small, 100000));
	printf("lines-1 %.1f\n", measure(lines_1, 100000));
	printf("lines-8 %.1f\n", measure(lines_8, 20000));
	printf("lines-64 %.1f\n", measure(lines_64, 4000));
	printf("load %.2f\n", (measure(loads, 20000) - nothing) / 100);
	printf("store %.2f\n", (measure(stores, 20000) - nothing) / 100);
	stop = 1;
	for (int i = 0; i < others && i < 16; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
