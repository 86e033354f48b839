// SPDX-License-Identifier: MIT
/*
 * A bank whose only lock is hardly ever taken: lock elision by hardware transactional memory.
 *
 * Clerks move money between accounts; each transfer is a transaction that reads the lock word, so
 * that it fails if somebody takes the lock meanwhile. After some failures, or one that says that
 * trying again is of no use, a clerk takes the lock. An auditor adds up all accounts, and sometimes
 * the journal as well, which is more than a transaction of a POWER8 can hold. The sum must always
 * be what it was at the start.
 *
 *	powerpc64le-linux-gnu-gcc -O2 -g -mcpu=power8 -mhtm -static -pthread -o bank bank.c
 *	powertm stat --smp 4 bank [TRANSFERS]
 */
#include <htmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#define CLERKS	  3
#define ACCOUNTS  48
#define START	  1000
#define TRIES	  5
#define LINE	  128
#define LOCK_BUSY 0x34 /* our failure code: the lock was taken, try again when it is free */

#ifndef PPC_FEATURE2_HAS_HTM
#define PPC_FEATURE2_HAS_HTM 0x40000000
#endif

/* Each on a line of its own, so that only transfers of the same account are in conflict. */
struct account {
	long balance;
} __attribute__((aligned(LINE)));

static struct account accounts[ACCOUNTS];
static struct account journal[ACCOUNTS]; /* transfers from each account */
static int bank_lock __attribute__((aligned(LINE)));

static int has_transactions;
static long transfers = 20000;
static int clerks_at_work = CLERKS;
static long audits, wrong;

static int lock_is_free(void)
{
	return !__atomic_load_n(&bank_lock, __ATOMIC_ACQUIRE);
}

static void wait_for_lock(void)
{
	while (!lock_is_free())
		sched_yield();
}

/* Return: whether a transaction was begun; otherwise the lock was taken. */
static inline int enter(void)
{
	for (int try = 0; has_transactions && try < TRIES; try++) {
		if (__builtin_tbegin(0)) {
			if (lock_is_free())
				return 1;
			__builtin_tabort(LOCK_BUSY);
		}
		if (_TEXASRU_FAILURE_PERSISTENT(__builtin_get_texasru()))
			break;
		wait_for_lock();
	}
	while (__atomic_exchange_n(&bank_lock, 1, __ATOMIC_ACQUIRE))
		wait_for_lock();
	return 0;
}

static inline void leave(int in_transaction)
{
	if (in_transaction)
		__builtin_tend(0);
	else
		__atomic_store_n(&bank_lock, 0, __ATOMIC_RELEASE);
}

static void transfer(int from, int to, long amount)
{
	int in_transaction = enter();

	accounts[from].balance -= amount;
	accounts[to].balance += amount;
	journal[from].balance++;
	leave(in_transaction);
}

static long audit(int with_journal)
{
	int in_transaction = enter();
	long sum = 0, entries = 0;

	for (int i = 0; i < ACCOUNTS; i++)
		sum += accounts[i].balance;
	for (int i = 0; with_journal && i < ACCOUNTS; i++)
		entries += journal[i].balance;
	leave(in_transaction);
	return entries < 0 ? -1 : sum;
}

static void *clerk(void *arg)
{
	unsigned int seed = (unsigned int)(long)arg;

	for (long i = 0; i < transfers; i++) {
		int from = rand_r(&seed) % ACCOUNTS, to = rand_r(&seed) % ACCOUNTS;

		transfer(from, to, rand_r(&seed) % 100);
	}
	__atomic_sub_fetch(&clerks_at_work, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *auditor(void *arg)
{
	do {
		wrong += audit(audits % 4 == 3) != (long)ACCOUNTS * START;
		audits++;
		sched_yield();
	} while (__atomic_load_n(&clerks_at_work, __ATOMIC_ACQUIRE));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[CLERKS + 1];
	long entries = 0;

	if (argc > 1)
		transfers = atol(argv[1]);
	has_transactions = (getauxval(AT_HWCAP2) & PPC_FEATURE2_HAS_HTM) != 0;
	for (int i = 0; i < ACCOUNTS; i++)
		accounts[i].balance = START;
	for (long i = 0; i < CLERKS; i++)
		pthread_create(&threads[i], NULL, clerk, (void *)(i + 1));
	pthread_create(&threads[CLERKS], NULL, auditor, NULL);
	for (int i = 0; i < CLERKS + 1; i++)
		pthread_join(threads[i], NULL);
	wrong += audit(0) != (long)ACCOUNTS * START;
	for (int i = 0; i < ACCOUNTS; i++)
		entries += journal[i].balance;
	printf("%ld transfers by %d clerks, %ld audits: %s\n", entries, CLERKS, audits,
	       wrong || entries != CLERKS * transfers ? "MONEY IS MISSING" : "not a cent is missing");
	return wrong || entries != CLERKS * transfers;
}
