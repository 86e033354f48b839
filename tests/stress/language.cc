// SPDX-License-Identifier: MIT
/*
 * The same in C++: a list whose nodes are made and freed inside transactions, with functions that
 * are transaction_safe, and an exception that leaves a transaction. Runs in the guest; prints TAP.
 */
#include "../guest/ppc/tap.h"

#include <pthread.h>

static const int THREADS = 4, ROUNDS = 10000, KEYS = 12;

struct node {
	int key;
	node *next;
};

class set
{
	node *first = nullptr;

      public:
	void insert(int key) __attribute__((transaction_safe))
	{
		node **link = &first;

		while (*link && (*link)->key < key)
			link = &(*link)->next;
		if (!*link || (*link)->key != key)
			*link = new node{key, *link};
	}

	bool remove(int key) __attribute__((transaction_safe))
	{
		for (node **link = &first; *link; link = &(*link)->next)
			if ((*link)->key == key) {
				node *old = *link;

				*link = old->next;
				delete old;
				return true;
			}
		return false;
	}

	bool is_sorted() const __attribute__((transaction_safe))
	{
		for (const node *n = first; n && n->next; n = n->next)
			if (n->key >= n->next->key)
				return false;
		return true;
	}
};

static set keys;
static long inserted, removed, thrown, disorder;

/* The library does without the hardware while only one thread has had a transaction. */
static pthread_barrier_t all_know_it, all_done;

static void *run_thread(void *arg)
{
	unsigned random = (unsigned)(uintptr_t)arg * 104729 + 1;

	for (int i = 0; i < ROUNDS; i++) {
		if (i == 1)
			pthread_barrier_wait(&all_know_it);
		random = random * 1103515245u + 12345;

		int key = (int)(random >> 16) % KEYS;
		bool sorted = true;

		switch (random >> 8 & 3) {
		case 0:
			__transaction_atomic
			{
				keys.insert(key);
				inserted++;
			}
			break;
		case 1:
			__transaction_atomic
			{
				removed += keys.remove(key);
			}
			break;
		case 2:
			__transaction_atomic
			{
				sorted = keys.is_sorted();
			}
			if (!sorted)
				__atomic_fetch_add(&disorder, 1, __ATOMIC_RELAXED);
			break;
		default:
			try {
				__transaction_atomic
				{
					thrown++;
					if (i % 64 == 0)
						throw 5;
				}
			} catch (int) {
			}
			break;
		}
	}
	pthread_barrier_wait(&all_done);
	return nullptr;
}

int main()
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&all_know_it, NULL, THREADS);
	pthread_barrier_init(&all_done, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], nullptr, run_thread, (void *)(uintptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], nullptr);
	ok(!disorder && keys.is_sorted() && inserted > 0 && removed > 0 && thrown > 0,
	   "a list that is changed in transactions stays sorted");
	printf("# %d transactions\n", THREADS * ROUNDS);
	return tap_end();
}
