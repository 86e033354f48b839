/* SPDX-License-Identifier: MIT */
/*
 * Situations in which programs with transactions were surprised.
 *
 * Argument: number of CPUs.
 */
#define _GNU_SOURCE
#include <htmxlintrin.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "transaction.h"

#define TEXASR_SELF	 (1ull << 52)
#define TEXASR_CONFLICTS (3ull << 50)
#define TEXASR_ABORT	 (1ull << 32)

/* --- a suspended thread sleeps (kvm-unit-tests h_cede_tm) --------------------------------------- */

static volatile int stop;

static void *busy(void *argument)
{
	volatile u64 n = 0;

	while (!stop)
		n++;
	return argument;
}

static u64 ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static void sleep_suspended(void)
{
	struct timespec nap = {.tv_nsec = 30000000};
	volatile u64 begin = 0, end = 0;
	volatile long result = -1;
	pthread_t thread;

	pthread_create(&thread, NULL, busy, NULL);
	if (tbegin()) {
		tsuspend();
		begin = ms();
		result = call(162, (long)&nap, 0, 0, 0); /* nanosleep */
		end = ms();
		tresume();
		tend();
		ok(0, "a transaction that slept while suspended commits");
	} else {
		is(code(), CODE_RESCHEDULE, "a transaction that slept while suspended: rescheduled");
	}
	ok(!result && end - begin >= 29, "and the sleep was a real one");
	stop = 1;
	pthread_join(thread, NULL);
}

/* --- thread pointer and thread-local data (cf13435b730a) ----------------------------------------- */

static __thread volatile u64 own;
static volatile int ticks;

static void on_tick(int signo)
{
	(void)signo;
	ticks++;
}

static void *count_own(void *argument)
{
	u64 committed = 0, wrong = 0, first;

	asm volatile("mr %0,13" : "=r"(first));
	for (int i = 0; i < 20000; i++) {
		u64 r13;

		if (tbegin()) {
			own++;
			tend();
			committed++;
		}
		asm volatile("mr %0,13" : "=r"(r13));
		wrong += r13 != first;
	}
	wrong += own != committed;
	*(u64 *)argument = committed;
	return (void *)wrong;
}

static void thread_pointer(void)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}};
	pthread_t threads[4];
	u64 committed[4] = {0}, wrong = 0, all = 0;
	void *result;

	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, count_own, &committed[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		wrong += (u64)result;
		all += committed[i];
	}
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	ok(!wrong && all > 1000, "r13 and thread-local data are right beside timer signals (cf13435b730a)");
}

/* --- page faults (selftest tm-signal-context-force-tm) ------------------------------------------- */

static void fresh_pages(void)
{
	int tries = 0, done = 0, wrong = 0;
	char *p;

	for (int round = 0; round < 20; round++) {
		p = mmap(NULL, 10 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int attempt = 0; attempt < 20; attempt++) {
			tries++;
			if (tbegin()) {
				for (int i = 0; i < 10; i++)
					p[4096 * i + 7] = (char)(i + 1);
				tend();
				done++;
				break;
			}
		}
		for (int i = 0; i < 10; i++)
			wrong += p[4096 * i + 7] != i + 1;
		munmap(p, 10 * 4096);
	}
	ok(done == 20 && !wrong && tries <= 60, "ten pages touched for the first time: %d of 20 in %d tries",
	   done, tries);
}

/* --- tabort. with a code in r0 (glibc 18173559a2) ------------------------------------------------- */

static u64 abort_texasr(int zero)
{
	if (tbegin()) {
		if (zero)
			asm volatile("li 0,1\n\ttabort. 0" : : : "r0");
		else
			asm volatile("li 5,1\n\ttabort. 5" : : : "r5");
	}
	return __builtin_get_texasr();
}

static void abort_codes(void)
{
	u64 zero = abort_texasr(1), five = abort_texasr(0);

	ok(!(zero >> 56) && zero & TEXASR_ABORT, "tabort. 0 means code 0, whatever is in r0");
	ok(five >> 56 == 1 && five & TEXASR_ABORT, "tabort. 5 takes it from r5: persistent");
}

/*
 * The compilers' htmxlintrin.h reads the wrong half of TEXASR on little-endian: what it says of a
 * user abort is wrong, what the register says is right.
 */
static void compiler_header(void)
{
	TM_buff_type buffer;
	unsigned char named = 0;
	u64 texasr = 0;

	if (__TM_begin(buffer) == _HTM_TBEGIN_STARTED)
		__builtin_tabort(0x20);
	else
		texasr = __builtin_get_texasr();
	ok(texasr >> 56 == 0x20 && texasr & TEXASR_ABORT, "TEXASR tells a user abort and its code");
	__TM_is_named_user_abort(buffer, &named);
	ok(named != 0x20, "and htmxlintrin.h finds another code, as on any CPU in little-endian mode");
}

/* --- conflicts by neighbours ----------------------------------------------------------------------- */

static struct {
	volatile u64 a, b;
	u64 pad[14];
	volatile u64 apart;
} line __attribute__((aligned(128)));

static void own_line_while_suspended(void)
{
	u64 texasr = 0;
	int committed = 0;

	if (tbegin()) {
		line.a = 1;
		tsuspend();
		line.b++;
		tresume();
		tend();
	} else {
		texasr = __builtin_get_texasr();
	}
	ok(texasr & TEXASR_SELF && line.b == 1 && !line.a,
	   "a store while suspended into a line of the transaction: self-induced conflict");
	for (int i = 0; i < 20 && !committed; i++)
		if (tbegin()) {
			line.a = 2;
			tsuspend();
			line.apart++;
			tresume();
			tend();
			committed = 1;
		}
	ok(committed && line.a == 2, "with the data in another line it commits");
}

static volatile u64 counters[64] __attribute__((aligned(128)));
static int distance;

struct result {
	int index;
	u64 conflicts;
};

static void *count_up(void *argument)
{
	struct result *r = argument;
	volatile u64 *counter = &counters[r->index * distance / 8];

	for (int i = 0; i < 3000;) {
		if (tbegin()) {
			for (int k = 0; k < 30; k++)
				(*counter)++;
			tend();
			i++;
		} else {
			r->conflicts += (__builtin_get_texasr() & TEXASR_CONFLICTS) != 0;
		}
	}
	return NULL;
}

static u64 conflicts_at(int bytes)
{
	struct result r[2] = {{0, 0}, {1, 0}};
	pthread_t threads[2];

	distance = bytes;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count_up, &r[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return r[0].conflicts + r[1].conflicts;
}

static void granularity(int cpus)
{
	u64 near = 0;

	for (int i = 0; i < 20 && !near; i++)
		near = conflicts_at(64);
	if (cpus > 1)
		ok(near > 0, "counters 64 bytes apart conflict");
	is(conflicts_at(128), 0, "counters 128 bytes apart do not");
}

/* --- a lock that is read inside the transaction (glibc bug 18743) ---------------------------------- */

static volatile u64 lock __attribute__((aligned(128)));
static volatile u64 entered __attribute__((aligned(128)));

static void *take_lock(void *argument)
{
	while (!entered)
		;
	lock = 1;
	return argument;
}

static void lock_is_seen(void)
{
	u64 texasr = 0;
	int caught = 0;
	pthread_t thread;

	for (int i = 0; i < 50 && !caught; i++) {
		lock = entered = 0;
		pthread_create(&thread, NULL, take_lock, NULL);
		if (tbegin()) {
			if (lock)
				__builtin_tabort(2);
			tsuspend();
			entered = 1;
			tresume();
			for (volatile u64 n = 0; n < 100000000 && !lock; n++)
				;
			tend();
		} else {
			texasr = __builtin_get_texasr();
			caught = texasr >> 51 & 1;
		}
		entered = 1;
		pthread_join(thread, NULL);
	}
	ok(caught, "a transaction that has read the lock fails when another thread takes it (bug 18743)");
}

int main(int argc, char **argv)
{
	int cpus = argc > 1 ? atoi(argv[1]) : 1;

	abort_codes();
	compiler_header();
	own_line_while_suspended();
	fresh_pages();
	thread_pointer();
	if (cpus == 1)
		sleep_suspended();
	granularity(cpus);
	if (cpus > 1)
		lock_is_seen();
	return tap_end();
}
