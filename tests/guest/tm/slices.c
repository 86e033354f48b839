/* SPDX-License-Identifier: MIT */
/*
 * Transactions and time: a thread in a transaction keeps its CPU for a bounded time, a suspended one
 * does not; one that waits for another CPU's store fails.
 *
 * Argument: number of CPUs.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "transaction.h"

static volatile int stop;
static volatile u64 word __attribute__((aligned(128)));
static volatile u64 counter __attribute__((aligned(128)));

static u64 timebase(void)
{
	return __builtin_ppc_get_timebase();
}

#define TICKS_PER_MS 512000ull

static void *busy(void *argument)
{
	while (!stop)
		counter++;
	return argument;
}

static void *store_soon(void *argument)
{
	usleep(20000);
	word = 1;
	return argument;
}

/* Longer than a slice of 5 ms. */
static int long_transaction(void)
{
	if (tbegin()) {
		u64 begin = timebase();

		while (timebase() - begin < 10 * TICKS_PER_MS)
			;
		word++;
		tend();
		return 1;
	}
	return 0;
}

static void beside_a_busy_thread(void)
{
	unsigned committed = 0, rescheduled = 0;
	pthread_t thread;
	u64 before;

	pthread_create(&thread, NULL, busy, NULL);
	for (int i = 0; i < 20; i++) {
		if (long_transaction())
			committed++;
		else
			rescheduled += code() == CODE_RESCHEDULE;
	}
	ok(committed >= 10, "transactions of 10 ms beside a busy thread commit (%u of 20, %u switched)",
	   committed, rescheduled);
	before = counter;
	usleep(50000);
	ok(counter > before, "and the busy thread gets on");
	stop = 1;
	pthread_join(thread, NULL);
	stop = 0;
}

static void suspended_beside_a_busy_thread(void)
{
	pthread_t thread;
	int failed = 0;

	pthread_create(&thread, NULL, busy, NULL);
	for (int i = 0; i < 5; i++) {
		if (tbegin()) {
			u64 begin = timebase();

			tsuspend();
			while (!doomed() && timebase() - begin < 2000 * TICKS_PER_MS)
				;
			tresume();
			tend();
		} else {
			failed += code() == CODE_RESCHEDULE;
		}
	}
	is((u64)failed, 5, "a suspended transaction is switched, and fails with 0xde (tm-resched-dscr)");
	stop = 1;
	pthread_join(thread, NULL);
	stop = 0;
}

static void wait_for_a_store(void)
{
	pthread_t thread;
	u64 texasr = 0;
	int failed = 0;

	for (int i = 0; i < 100 && !failed; i++) {
		word = 0;
		pthread_create(&thread, NULL, store_soon, NULL);
		if (tbegin()) {
			while (!word)
				;
			tend();
		} else {
			texasr = __builtin_get_texasr();
			failed = !(texasr >> 32 & 1); /* not by the kernel */
		}
		pthread_join(thread, NULL);
	}
	ok(failed && texasr >> 51 & 1,
	   "a transaction that spins on a word which another CPU changes fails: non-transactional");
}

int main(int argc, char **argv)
{
	if (argc > 1 && atoi(argv[1]) == 1) {
		beside_a_busy_thread();
		suspended_beside_a_busy_thread();
	} else {
		wait_for_a_store();
	}
	return tap_end();
}
