// SPDX-License-Identifier: MIT
/*
 * Runs the litmus tests that rows.py writes: litmus [-n COUNT] [-m COUNT] [-s SEED] [ROW...]
 *
 *	-n	how often each row of one or two threads (20000)
 *	-m	how often each row of more threads (the same)
 *
 * The threads of a row go through arrays of locations together, batch after batch. Before each
 * round they wait for each other a little, and then for a random time, so that all interleavings
 * have a chance. Locations are lines of their own, or in every fourth batch lie in one line.
 *
 * A random delay lies between the accesses of a thread, too.
 *
 * Prints TAP, and how often each outcome was seen: a forbidden one is a failure; an allowed one
 * need not come about.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t u64;

#define BATCH	    512
#define LINE	    128
#define MAX_THREADS 4
#define PATIENCE    1000 /* spins before a round, for the others */

enum verdict { FORBIDDEN, ALLOWED, EXCLUDED };

struct places {
	u64 *x, *y, *z, *w;
};

struct values {
	u64 a, b, c, d, s;
};

struct row {
	const char *name, *text, *outcome_text;
	enum verdict verdict;
	int n_threads;
	u64 (*threads[MAX_THREADS])(const struct places *places, struct values *out, u64 delay);
	bool (*outcome)(const struct places *places, const struct values *values);
};

#include "rows.inc"

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static unsigned char memory[BATCH * 4 * LINE] __attribute__((aligned(65536)));
static struct places places[BATCH];
static struct values values[MAX_THREADS][BATCH];

/* Each on lines of its own. */
static struct {
	_Alignas(LINE) u64 value;
} progress[MAX_THREADS], arrived, generation;

static const struct row *row;
static u64 batches, batch_number;
static u64 hits, failures, seed = 1;
static u64 delay_mask;

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void barrier(void)
{
	u64 now = __atomic_load_n(&generation.value, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&arrived.value, 1, __ATOMIC_ACQ_REL) == (u64)row->n_threads) {
		arrived.value = 0;
		__atomic_store_n(&generation.value, now + 1, __ATOMIC_RELEASE);
		return;
	}
	for (int spins = 0; __atomic_load_n(&generation.value, __ATOMIC_ACQUIRE) == now;)
		if (++spins > 2000)
			sched_yield();
}

static void prepare_batch(void)
{
	static u64 state;
	static const u64 masks[] = {0, 7, 63, 255};
	u64 where;

	if (!state)
		state = seed * 0x9e3779b97f4a7c15ull | 1;
	where = next_random(&state);
	delay_mask = masks[where >> 8 & 3];
	memset(memory, 0, sizeof(memory));
	memset(values, 0, sizeof(values));
	for (int i = 0; i < BATCH; i++) {
		unsigned char *base = memory + (size_t)i * 4 * LINE;
		size_t apart = batch_number % 4 == 3 ? 8 : LINE;

		places[i] = (struct places){(u64 *)base, (u64 *)(base + apart),
					    (u64 *)(base + 2 * apart), (u64 *)(base + 3 * apart)};
	}
	for (int t = 0; t < MAX_THREADS; t++)
		progress[t].value = 0;
	batch_number++;
}

static void judge_batch(void)
{
	for (int i = 0; i < BATCH; i++) {
		struct values all = {0};

		for (int t = 0; t < row->n_threads; t++) {
			all.a |= values[t][i].a;
			all.b |= values[t][i].b;
			all.c |= values[t][i].c;
			all.d |= values[t][i].d;
			all.s |= values[t][i].s;
		}
		hits += row->outcome(&places[i], &all);
	}
}

static void wait_for_others(int me, u64 round)
{
	__atomic_store_n(&progress[me].value, round, __ATOMIC_RELAXED);
	for (int t = 0; t < row->n_threads; t++)
		for (int spins = 0, naps = 0; naps < 10; spins++) {
			if (__atomic_load_n(&progress[t].value, __ATOMIC_RELAXED) >= round)
				break;
			if (spins >= PATIENCE) {
				naps++;
				usleep(50);
			}
		}
}

static void *run_thread(void *arg)
{
	int me = (int)(intptr_t)arg;
	u64 state = (seed + 1 + (u64)me) * 0xbf58476d1ce4e5b9ull | 1;
	u64 failed = 0;

	for (u64 n = 0; n < batches; n++) {
		if (me == 0)
			prepare_batch();
		barrier();
		for (int i = 0; i < BATCH; i++) {
			u64 random = next_random(&state);

			wait_for_others(me, (u64)i + 1);
			for (u64 delay = random & delay_mask; delay; delay--)
				asm volatile("");
			if ((random >> 32) % 1024 == 0)
				sched_yield();
			failed += row->threads[me](&places[i], &values[me][i],
						   1 + (random >> 16 & delay_mask & random >> 42));
		}
		barrier();
		if (me == 0)
			judge_batch();
	}
	__atomic_fetch_add(&failures, failed, __ATOMIC_RELAXED);
	return NULL;
}

static bool run_row(const struct row *r, u64 count)
{
	pthread_t threads[MAX_THREADS];

	row = r;
	hits = failures = 0;
	batches = (count + BATCH - 1) / BATCH;
	for (int t = 1; t < r->n_threads; t++)
		pthread_create(&threads[t], NULL, run_thread, (void *)(intptr_t)t);
	run_thread(NULL);
	for (int t = 1; t < r->n_threads; t++)
		pthread_join(threads[t], NULL);
	return r->verdict == ALLOWED || !hits;
}

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = optind; i < argc; i++)
		if (!strcmp(name, argv[i]))
			return true;
	return optind == argc;
}

int main(int argc, char **argv)
{
	static const char *const words[] = {"forbidden", "allowed", "excluded"};
	u64 count = 20000, count_many = 0;
	bool all_ok = true;
	int n = 0;

	for (int option; (option = getopt(argc, argv, "n:m:s:")) != -1;)
		if (option == 'n')
			count = strtoull(optarg, NULL, 0);
		else if (option == 'm')
			count_many = strtoull(optarg, NULL, 0);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	for (size_t i = 0; i < N_ROWS; i++)
		n += wanted(rows[i].name, argc, argv);
	printf("1..%d\n", n);
	n = 0;
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct row *r = &rows[i];
		bool ok;

		if (!wanted(r->name, argc, argv))
			continue;
		ok = run_row(r, r->n_threads > 2 && count_many ? count_many : count);
		all_ok &= ok;
		printf("%sok %d - row %s: %s\n# %s: %s: seen %llu in %llu, failed transactions "
		       "%llu\n",
		       ok ? "" : "not ", ++n, r->name, r->text, words[r->verdict], r->outcome_text,
		       (unsigned long long)hits, (unsigned long long)(batches * BATCH),
		       (unsigned long long)failures);
		fflush(stdout);
	}
	return !all_ok;
}
