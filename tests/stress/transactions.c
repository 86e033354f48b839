// SPDX-License-Identifier: MIT
/*
 * Transactions under stress, with the right answers known. Runs in the guest.
 *
 *	transactions [-t THREADS] [-n OPERATIONS] [-s SEED] [SCENARIO...]
 *
 * Each scenario performs OPERATIONS operations (500000), shared among the threads (4). Prints TAP.
 * A violation that only a running transaction sees is told by tabort. with the code BROKEN: that
 * may show no state that never was.
 */
#define _GNU_SOURCE
#include "../guest/ppc/tap.h"

#include <htmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef uint64_t u64;

#define LINE	    128
#define MAX_THREADS 16
#define BROKEN	    0xb6

#define ALIGNED _Alignas(LINE)

static int n_threads = 4;
static u64 operations = 500000, seed = 1;

struct thread {
	ALIGNED pthread_t id;
	int number;
	u64 random;
	u64 share; /* of the operations */
	/* What it has done. */
	u64 commits, failures, broken;
	u64 done[4];
	/* Written in S. */
	ALIGNED volatile u64 suspended[2];
	/* Written in rollback-only transactions. */
	ALIGNED volatile u64 private[2][LINE / sizeof(u64)];
};

static struct thread threads[MAX_THREADS];
static u64 violations;

static u64 next_random(struct thread *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return t->random;
}

static void wait_a_little(struct thread *t)
{
	u64 r = next_random(t);

	for (u64 n = r & r >> 8 & 127; n; n--)
		asm volatile("");
	if ((r >> 32) % 4096 == 0)
		sched_yield();
}

static void violation(void)
{
	__atomic_fetch_add(&violations, 1, __ATOMIC_RELAXED);
}

/* A transaction has failed: remember, wait, try again. */
static void failed(struct thread *t)
{
	t->failures++;
	if (_TEXASRU_FAILURE_CODE(__builtin_get_texasru()) == BROKEN)
		t->broken++;
	wait_a_little(t);
}

/* Run the body in a transaction until it commits. */
#define ATOMICALLY(t, kind, body)                                                                  \
	do {                                                                                       \
		for (;;) {                                                                         \
			if (__builtin_expect(__builtin_tbegin(kind), 1)) {                         \
				body;                                                              \
				__builtin_tend(0);                                                 \
				break;                                                             \
			}                                                                          \
			failed(t);                                                                 \
		}                                                                                  \
		(t)->commits++;                                                                    \
	} while (0)

static u64 get(const volatile u64 *p)
{
	return *p;
}

static void put(volatile u64 *p, u64 value)
{
	*p = value;
}

/* --- lost updates -------------------------------------------------------------------------------
 */

/* Counters of all sizes in one line, and one elsewhere. */
static struct {
	ALIGNED volatile u64 by_all;
	volatile uint32_t word;
	volatile uint16_t half;
	volatile uint8_t byte;
	ALIGNED volatile u64 elsewhere;
} counters;

static void count_up(struct thread *t)
{
	for (u64 i = 0; i < t->share; i++) {
		u64 r = next_random(t);

		if (r % 4) {
			ATOMICALLY(t, 0, {
				counters.by_all++;
				counters.word++;
				counters.half++;
				counters.byte++;
				counters.elsewhere++;
			});
			t->done[0]++;
		} else if (r >> 8 & 1) {
			__atomic_fetch_add(&counters.by_all, 1, __ATOMIC_RELAXED);
		} else {
			__atomic_fetch_add(&counters.elsewhere, 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&counters.by_all, 1, __ATOMIC_SEQ_CST);
			t->done[1]++;
		}
		wait_a_little(t);
	}
}

static bool check_counters(void)
{
	u64 transactions = 0, elsewhere = 0, all = 0;

	for (int i = 0; i < n_threads; i++) {
		all += threads[i].share;
		transactions += threads[i].done[0];
		elsewhere += threads[i].done[0] + threads[i].done[1];
	}
	return counters.by_all == all && counters.word == (uint32_t)transactions &&
	       counters.half == (uint16_t)transactions && counters.byte == (uint8_t)transactions &&
	       counters.elsewhere == elsewhere;
}

/* --- torn commits, opacity ----------------------------------------------------------------------
 */

#define CELLS 24 /* in twelve lines */

static ALIGNED volatile u64 cells[CELLS][LINE / sizeof(u64) / 2];

/* All cells always hold the same number, which only grows. */
static void write_and_look(struct thread *t)
{
	for (u64 i = 0; i < t->share; i++) {
		u64 r = next_random(t);
		unsigned a = r % CELLS, b = (r >> 16) % CELLS;

		if ((r >> 32) % 4 == 0) {
			ATOMICALLY(t, 0, {
				u64 next = cells[0][0] + 1;

				for (int c = 0; c < CELLS; c++)
					cells[c][0] = next;
			});
		} else if ((r >> 32) % 4 == 1) {
			ATOMICALLY(t, 0, {
				if (cells[a][0] != cells[b][0])
					__builtin_tabort(BROKEN);
			});
		} else {
			u64 first = get(&cells[a][0]);

			asm volatile("lwsync" : : : "memory");
			if (get(&cells[b][0]) < first)
				violation();
		}
	}
}

static bool check_cells(void)
{
	for (int c = 1; c < CELLS; c++)
		if (cells[c][0] != cells[0][0])
			return false;
	return cells[0][0] > 0;
}

/*
 * A plain writer toggles: x y go 0 0, 1 0, 1 1, 1 0, 0 0. So "x is 0 and y is 1" never was, and no
 * transaction may show that it saw it: not by tabort., not by a store in S, nor by a commit.
 */
static ALIGNED volatile u64 toggles[2][LINE / sizeof(u64)];
static ALIGNED volatile u64 leaked;
static ALIGNED int looking; /* threads that are not done */

static void prepare_toggles(void)
{
	looking = n_threads - 1;
}

static void toggle_or_look(struct thread *t)
{
	while (t->number == 0 && __atomic_load_n(&looking, __ATOMIC_RELAXED)) {
		put(&toggles[0][0], 1);
		asm volatile("lwsync" : : : "memory");
		put(&toggles[1][0], 1);
		asm volatile("lwsync" : : : "memory");
		put(&toggles[1][0], 0);
		asm volatile("lwsync" : : : "memory");
		put(&toggles[0][0], 0);
		asm volatile("lwsync" : : : "memory");
	}
	for (u64 i = 0; t->number && i < t->share; i++) {
		if (__builtin_tbegin(0)) {
			u64 x = toggles[0][0], y = toggles[1][0];

			if (!x && y) {
				if (i & 1)
					__builtin_tabort(BROKEN);
				__builtin_tsuspend();
				leaked = leaked + 1;
				__builtin_tresume();
			}
			__builtin_tend(0);
			t->commits++;
			if (!x && y)
				violation();
		} else {
			failed(t);
		}
	}
	if (t->number)
		__atomic_sub_fetch(&looking, 1, __ATOMIC_RELAXED);
}

static bool check_toggles(void)
{
	return !leaked;
}

/* --- privatisation and publication ---------------------------------------------------------------
 */

struct node {
	ALIGNED volatile u64 a;
	ALIGNED volatile u64 b;
};

static struct node nodes[2];
static ALIGNED struct node *volatile head;

static void prepare_node(void)
{
	head = &nodes[0];
}

/* Who has taken the node out of sight uses it without transactions. */
static void privatise(struct thread *t)
{
	for (u64 i = 0; i < t->share; i++) {
		struct node *mine = NULL;

		if (next_random(t) % 2) {
			ATOMICALLY(t, 0, {
				struct node *n = head;

				if (n) {
					n->a++;
					n->b++;
				}
				mine = n;
			});
			t->done[0] += mine != NULL;
			continue;
		}
		ATOMICALLY(t, 0, {
			mine = head;
			head = NULL;
		});
		if (!mine)
			continue;
		if (get(&mine->a) != get(&mine->b))
			violation();
		put(&mine->a, mine->a + 1);
		wait_a_little(t);
		put(&mine->b, mine->b + 1);
		t->done[0]++;
		ATOMICALLY(t, 0, head = mine);
	}
}

static bool check_node(void)
{
	u64 sum = 0;

	for (int i = 0; i < n_threads; i++)
		sum += threads[i].done[0];
	return head == &nodes[0] && nodes[0].a == sum && nodes[0].b == sum;
}

/* Filled in by plain stores, then published by a transaction or after one. */
#define SLOTS 64

static struct {
	ALIGNED volatile u64 contents[2];
	ALIGNED volatile u64 published;
} slots[SLOTS];

static void publish(struct thread *t)
{
	for (u64 i = 1; i <= t->share; i++) {
		int n = (int)(i % (SLOTS / MAX_THREADS));
		int mine = t->number * (SLOTS / MAX_THREADS) + n;
		int other = (int)(next_random(t) % SLOTS);
		u64 seen = 0;

		put(&slots[mine].contents[0], i);
		put(&slots[mine].contents[1], i);
		ATOMICALLY(t, 0, slots[mine].published = i);
		if (i & 1)
			ATOMICALLY(t, 0, seen = slots[other].published);
		else
			seen = __atomic_load_n(&slots[other].published, __ATOMIC_ACQUIRE);
		/* It may have been filled in anew since. */
		if (slots[other].contents[0] < seen || slots[other].contents[1] < seen)
			violation();
	}
}

/* --- everything at once --------------------------------------------------------------------------
 */

#define ACCOUNTS 32

/* Four to a line, so that transfers meet others' lines. */
static ALIGNED volatile u64 accounts[ACCOUNTS][LINE / sizeof(u64) / 4];
static ALIGNED volatile u64 paid_in[MAX_THREADS][LINE / sizeof(u64)];

static void transfer(struct thread *t, u64 r)
{
	unsigned from = r % ACCOUNTS, to = (r >> 8) % ACCOUNTS;

	ATOMICALLY(t, 0, {
		accounts[from][0] -= 7;
		accounts[to][0] += 7;
	});
}

/* A sum over all, by a transaction that writes nothing: whatever others do, transfers keep it. */
static void sum_up(struct thread *t)
{
	u64 before = 0, after = 0, sum = 0;

	for (int i = 0; i < n_threads; i++)
		before += __atomic_load_n(&paid_in[i][0], __ATOMIC_SEQ_CST);
	ATOMICALLY(t, 0, {
		sum = 0;
		for (int i = 0; i < ACCOUNTS; i++)
			sum += accounts[i][0];
	});
	for (int i = 0; i < n_threads; i++)
		after += __atomic_load_n(&paid_in[i][0], __ATOMIC_SEQ_CST);
	/* A thread tells of at most one payment too early. */
	if (sum + (u64)n_threads < before || sum > after)
		violation();
}

/* A plain larx and stcx., told beforehand. */
static void pay_in(struct thread *t, u64 r)
{
	__atomic_store_n(&paid_in[t->number][0], paid_in[t->number][0] + 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&accounts[r % ACCOUNTS][0], 1, __ATOMIC_SEQ_CST);
}

/* Plain stores while suspended last, whatever becomes of the transaction. */
static void transfer_with_log(struct thread *t, u64 r)
{
	unsigned from = r % ACCOUNTS, to = (r >> 8) % ACCOUNTS;

	ATOMICALLY(t, 0, {
		accounts[from][0] -= 5;
		__builtin_tsuspend();
		t->suspended[0] = t->suspended[0] + 1;
		__atomic_fetch_add(&t->suspended[1], 1, __ATOMIC_RELAXED);
		__builtin_tresume();
		accounts[to][0] += 5;
	});
}

/* A store in S to the transaction's own line fails it, and stays. */
static void harm_oneself(struct thread *t)
{
	u64 before = t->private[0][1];

	if (__builtin_tbegin(0)) {
		t->private[0][0] = t->private[0][0] + 1000;
		__builtin_tsuspend();
		t->private[0][1] = before + 1;
		__builtin_tresume();
		__builtin_tend(0);
		violation();
	} else if (_TEXASRU_SELF_INDUCED_CONFLICT(__builtin_get_texasru())) {
		if (t->private[0][1] != before + 1)
			violation();
	} else {
		failed(t);
		return;
	}
	if (t->private[0][0] >= 1000)
		violation();
}

/* Stores of a rollback-only transaction: all or none. */
static void roll_back(struct thread *t, u64 r)
{
	volatile u64 *p = t->private[1];
	u64 before = p[0];
	bool give_up = r & 1;

	if (__builtin_tbegin(1)) {
		for (int i = 0; i < LINE / (int)sizeof(u64); i++)
			p[i] = before + 1;
		if (give_up)
			__builtin_tabort(2);
		__builtin_tend(0);
		before++;
		if (give_up)
			violation();
	} else {
		failed(t);
	}
	for (int i = 0; i < LINE / (int)sizeof(u64); i++)
		if (p[i] != before)
			violation();
}

static void everything(struct thread *t)
{
	for (u64 i = 0; i < t->share; i++) {
		u64 r = next_random(t);

		switch (r >> 40 & 15) {
		case 0:
			sum_up(t);
			break;
		case 1 ... 3:
			pay_in(t, r);
			break;
		case 4 ... 5:
			transfer_with_log(t, r);
			break;
		case 6:
			harm_oneself(t);
			break;
		case 7 ... 8:
			roll_back(t, r);
			break;
		default:
			transfer(t, r);
			break;
		}
	}
}

static bool check_everything(void)
{
	u64 sum = 0, expected = 0;

	for (int i = 0; i < ACCOUNTS; i++)
		sum += accounts[i][0];
	for (int i = 0; i < n_threads; i++) {
		expected += paid_in[i][0];
		if (threads[i].suspended[0] != threads[i].suspended[1])
			return false;
	}
	return sum == expected;
}

/* --- running ------------------------------------------------------------------------------------
 */

static const struct scenario {
	const char *name, *text;
	void (*body)(struct thread *t);
	void (*prepare)(void);
	bool (*check)(void);
} scenarios[] = {
	{"lost-update", "no increment is lost", count_up, NULL, check_counters},
	{"torn-commit", "nobody sees a part of a commit", write_and_look, NULL, check_cells},
	{"opacity", "no transaction shows a state that never was", toggle_or_look, prepare_toggles,
	 check_toggles},
	{"privatisation", "what was taken out by a transaction is private", privatise, prepare_node,
	 check_node},
	{"publication", "what a transaction published is complete", publish, NULL, NULL},
	{"everything", "transfers, atomics, suspended stores, rollback-only", everything, NULL,
	 check_everything},
};

#define N_SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

static const struct scenario *scenario;

static void *run_thread(void *arg)
{
	scenario->body(arg);
	return NULL;
}

static void run(const struct scenario *s)
{
	u64 commits = 0, failures = 0, broken = 0;

	scenario = s;
	violations = 0;
	if (s->prepare)
		s->prepare();
	for (int i = 0; i < n_threads; i++) {
		struct thread *t = &threads[i];

		t->number = i;
		t->random = (seed * 64 + (u64)i + 1) * 0x9e3779b97f4a7c15ull;
		t->share = operations / (u64)n_threads;
		pthread_create(&t->id, NULL, run_thread, t);
	}
	for (int i = 0; i < n_threads; i++) {
		pthread_join(threads[i].id, NULL);
		commits += threads[i].commits;
		failures += threads[i].failures;
		broken += threads[i].broken;
	}
	ok(!violations && !broken && (!s->check || s->check()), "%s: %s", s->name, s->text);
	printf("# commits %llu, failures %llu, violations %llu, seen inside %llu\n",
	       (unsigned long long)commits, (unsigned long long)failures,
	       (unsigned long long)violations, (unsigned long long)broken);
	memset(threads, 0, sizeof(threads));
}

int main(int argc, char **argv)
{
	for (int option; (option = getopt(argc, argv, "t:n:s:")) != -1;)
		if (option == 't')
			n_threads = atoi(optarg);
		else if (option == 'n')
			operations = strtoull(optarg, NULL, 0);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	if (n_threads < 2 || n_threads > MAX_THREADS)
		return 2;
	for (size_t i = 0; i < N_SCENARIOS; i++) {
		bool wanted = optind == argc;

		for (int k = optind; k < argc; k++)
			wanted |= !strcmp(argv[k], scenarios[i].name);
		if (wanted)
			run(&scenarios[i]);
	}
	return tap_end();
}
