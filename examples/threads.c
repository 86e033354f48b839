// SPDX-License-Identifier: MIT
/*
 * Threads on virtual CPUs: philosophers at a round table, each with two forks that are mutexes, a
 * bell that is a condition variable, and a waiter who counts. Deterministic where it should be:
 * everybody eats exactly the same number of times, whatever the order.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define SEATS 5
#define MEALS 20000

static pthread_mutex_t forks[SEATS];
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static int seated;
static long meals;		  /* atomic, by lwarx and stwcx. */
static _Thread_local long my_meals; /* through the thread pointer, r13 */
static unsigned long cpus_seen;

static void sit_down(void)
{
	pthread_mutex_lock(&table);
	if (++seated == SEATS)
		pthread_cond_broadcast(&bell);
	while (seated < SEATS)
		pthread_cond_wait(&bell, &table);
	pthread_mutex_unlock(&table);
}

static void *philosopher(void *arg)
{
	long seat = (long)arg;
	/* the lower fork first, so that nobody starves */
	int left = (int)seat, right = (int)(seat + 1) % SEATS;
	int first = left < right ? left : right, second = left < right ? right : left;

	sit_down();
	for (int i = 0; i < MEALS; i++) {
		pthread_mutex_lock(&forks[first]);
		pthread_mutex_lock(&forks[second]);
		my_meals++;
		__atomic_fetch_add(&meals, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_or(&cpus_seen, 1ul << sched_getcpu(), __ATOMIC_RELAXED);
		pthread_mutex_unlock(&forks[second]);
		pthread_mutex_unlock(&forks[first]);
	}
	return (void *)my_meals;
}

int main(void)
{
	pthread_t threads[SEATS];
	int fair = 1;

	for (int i = 0; i < SEATS; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (long i = 0; i < SEATS; i++)
		pthread_create(&threads[i], NULL, philosopher, (void *)i);
	for (int i = 0; i < SEATS; i++) {
		void *eaten;

		pthread_join(threads[i], &eaten);
		fair &= (long)eaten == MEALS;
	}
	printf("%d philosophers ate %ld meals on %d virtual CPUs: %s\n", SEATS, meals,
	       __builtin_popcountl(cpus_seen), fair && meals == SEATS * MEALS ? "all the same" : "WRONG");
	return !(fair && meals == SEATS * MEALS);
}
