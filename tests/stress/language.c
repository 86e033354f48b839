// SPDX-License-Identifier: MIT
/*
 * The compiler's transactions (gcc -fgnu-tm, libitm): transfers between accounts and sums over all.
 * The library tries the hardware first. Runs in the guest; prints TAP.
 */
#include "../guest/ppc/tap.h"

#include <pthread.h>

#define THREADS	 4
#define ACCOUNTS 16
#define ROUNDS	 20000

static long accounts[ACCOUNTS], wrong;

/* The library does without the hardware while only one thread has had a transaction. */
static pthread_barrier_t all_know_it, all_done;

static void *run_thread(void *arg)
{
	unsigned random = (unsigned)(uintptr_t)arg * 7919 + 1;

	for (int i = 0; i < ROUNDS; i++) {
		if (i == 1)
			pthread_barrier_wait(&all_know_it);
		random = random * 1103515245u + 12345;

		unsigned from = random >> 8 & 15, to = random >> 16 & 15;
		long sum = 0;

		if (i % 8) {
			__transaction_atomic
			{
				accounts[from] -= 3;
				accounts[to] += 3;
			}
			continue;
		}
		__transaction_atomic
		{
			for (int k = 0; k < ACCOUNTS; k++)
				sum += accounts[k];
			if (sum)
				wrong++;
		}
	}
	pthread_barrier_wait(&all_done);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	long sum = 0;

	pthread_barrier_init(&all_know_it, NULL, THREADS);
	pthread_barrier_init(&all_done, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int k = 0; k < ACCOUNTS; k++)
		sum += accounts[k];
	ok(!sum && !wrong, "transfers by __transaction_atomic keep the sum");
	printf("# %d transactions\n", THREADS * ROUNDS);
	return tap_end();
}
