/* SPDX-License-Identifier: MIT */
/*
 * 64 threads that use every kind of lock at once, with the answer known beforehand.
 *
 * Arguments: rounds (200), threads (64). Each round of a thread adds to counters under a mutex, a
 * rwlock and a semaphore, hands a token on through condition variables, and meets the others at a
 * barrier now and then; what it keeps in thread-local storage must be its own all the time.
 *
 * With the argument "fork" children do so for ever: something to be killed.
 */
#define _GNU_SOURCE
#include "../ppc/tap.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#define MAX_THREADS 256

static int rounds = 200, threads = 64;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once[16];
static sem_t semaphore;
static pthread_key_t key;

static u64 under_mutex, under_spin, atomic_sum, serial_threads, in_semaphore, most_in_semaphore;
static u64 pair[2]; /* under the rwlock: always equal */
static u64 torn, wrong_tls, onces, destroyed;

/* A queue of bounded length, with two condition variables. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	u64 slot[8];
	unsigned n, first;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static u64 consumed;

/* A token that goes round: everybody waits for his turn. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t passed;
	unsigned turn;
	u64 steps;
} token = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

static __thread u64 own, own_array[32];

static void init_once(void)
{
	__atomic_fetch_add(&onces, 1, __ATOMIC_RELAXED);
	sched_yield();
}

static void destroy(void *value)
{
	__atomic_fetch_add(&destroyed, (u64)(uintptr_t)value, __ATOMIC_RELAXED);
}

static void put(u64 value)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.n == 8)
		pthread_cond_wait(&queue.emptied, &queue.lock);
	queue.slot[(queue.first + queue.n++) % 8] = value;
	pthread_cond_signal(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
}

static u64 get(void)
{
	u64 value;

	pthread_mutex_lock(&queue.lock);
	while (!queue.n)
		pthread_cond_wait(&queue.filled, &queue.lock);
	value = queue.slot[queue.first];
	queue.first = (queue.first + 1) % 8;
	queue.n--;
	pthread_cond_signal(&queue.emptied);
	pthread_mutex_unlock(&queue.lock);
	return value;
}

static void pass_token(unsigned me)
{
	pthread_mutex_lock(&token.lock);
	while (token.turn != me)
		pthread_cond_wait(&token.passed, &token.lock);
	token.steps++;
	token.turn = (me + 1) % (unsigned)threads;
	pthread_cond_broadcast(&token.passed);
	pthread_mutex_unlock(&token.lock);
}

static void use_semaphore(void)
{
	u64 n;

	while (sem_wait(&semaphore))
		;
	n = __atomic_add_fetch(&in_semaphore, 1, __ATOMIC_SEQ_CST);
	if (n > __atomic_load_n(&most_in_semaphore, __ATOMIC_RELAXED))
		__atomic_store_n(&most_in_semaphore, n, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&in_semaphore, 1, __ATOMIC_SEQ_CST);
	sem_post(&semaphore);
}

static void use_rwlock(unsigned me, int round)
{
	if ((me + (unsigned)round) % 4 == 0) {
		pthread_rwlock_wrlock(&rwlock);
		pair[0]++;
		if (round % 8 == 0)
			sched_yield();
		pair[1]++;
		pthread_rwlock_unlock(&rwlock);
	} else {
		pthread_rwlock_rdlock(&rwlock);
		if (pair[0] != pair[1])
			__atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
		pthread_rwlock_unlock(&rwlock);
	}
}

static void use_tls(unsigned me, int round)
{
	own += me;
	own_array[round % 32] ^= me;
	if (own != (u64)me * (u64)(round + 1) ||
	    pthread_getspecific(key) != (void *)(uintptr_t)(me + 1))
		__atomic_fetch_add(&wrong_tls, 1, __ATOMIC_RELAXED);
}

static void *body(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	pthread_setspecific(key, (void *)(uintptr_t)(me + 1));
	for (int round = 0; round < rounds; round++) {
		pthread_once(&once[round % 16], init_once);
		pthread_mutex_lock(&mutex);
		under_mutex++;
		pthread_mutex_unlock(&mutex);
		pthread_spin_lock(&spin);
		under_spin++;
		pthread_spin_unlock(&spin);
		__atomic_fetch_add(&atomic_sum, me, __ATOMIC_RELAXED);
		use_rwlock(me, round);
		use_semaphore();
		use_tls(me, round);
		if (me % 2)
			put((u64)round);
		else
			__atomic_fetch_add(&consumed, get(), __ATOMIC_RELAXED);
		if (round % 50 == 0)
			pass_token(me);
		if (round % 100 == 0 &&
		    pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add(&serial_threads, 1, __ATOMIC_RELAXED);
	}
	return (void *)(uintptr_t)own;
}

int main(int argc, char **argv)
{
	pthread_t id[MAX_THREADS];
	u64 n, sum = 0, results = 0;
	void *result;
	int bad = 0;

	if (argc > 1 && !strcmp(argv[1], "fork")) {
		if (fork() && fork())
			fork();
		rounds = 1000000000;
		threads = 8;
	} else if (argc > 1) {
		rounds = atoi(argv[1]);
	}
	if (argc > 2)
		threads = atoi(argv[2]) & ~1;
	if (rounds < 1 || threads < 2 || threads > MAX_THREADS)
		return 2;
	pthread_key_create(&key, destroy);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	sem_init(&semaphore, 0, 3);
	for (int i = 0; i < threads; i++)
		bad += pthread_create(&id[i], NULL, body, (void *)(uintptr_t)i) != 0;
	is((u64)bad, 0, "all threads were created");
	for (int i = 0; i < threads; i++) {
		pthread_join(id[i], &result);
		results += (u64)(uintptr_t)result;
		sum += (u64)i;
	}
	n = (u64)rounds * (u64)threads;
	is(under_mutex, n, "counted under a mutex");
	is(under_spin, n, "counted under a spin lock");
	is(atomic_sum, sum * (u64)rounds, "added atomically");
	is(results, sum * (u64)rounds, "results of the threads");
	is(pair[0], pair[1], "written under a rwlock");
	is(torn, 0, "no reader saw half a write");
	is(consumed, (u64)(threads / 2) * ((u64)rounds * (u64)(rounds - 1) / 2),
	   "everything put into the queue came out");
	is(token.steps, (u64)threads * ((u64)(rounds + 49) / 50), "the token made its rounds");
	is(serial_threads, ((u64)rounds + 99) / 100, "one serial thread for each barrier");
	ok(most_in_semaphore <= 3, "no more than 3 inside the semaphore");
	is(onces, rounds < 16 ? (u64)rounds : 16, "once is once");
	is(wrong_tls, 0, "thread-local storage is the thread's own");
	is(destroyed, sum + (u64)threads, "destructors ran");
	return tap_end();
}
