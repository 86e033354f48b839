// SPDX-License-Identifier: MIT
/*
 * Everything that goes on in a domain at once, driven by host threads without an engine: also for
 * the thread sanitizer, which sees the logs, transfers, reservations and the gate. It does not see
 * guest memory, which src/tm/ accesses by inline assembly: there the sums tell.
 */
#include "tm_machine.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/host_access.h"

static const struct tm_config power8 = TM_CONFIG_POWER8;

#define COUNTERS 8
#define THREADS	 6

static bool quit;
static u64 committed, failed, added, mappings, transfers, visits;

static bool stopping(void)
{
	return __atomic_load_n(&quit, __ATOMIC_RELAXED);
}

static void note(u64 *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* What an engine does at taken branches. False: the transaction has failed. */
static bool safepoint(struct cpu *c)
{
	if (__atomic_load_n(&c->poll, __ATOMIC_RELAXED) & POLL_STOP)
		gate_safepoint(gate, c);
	return tm_poll(c, CIA) == TM_OK;
}

static bool transact(struct cpu *c, u64 random)
{
	u64 a = line_at(random % COUNTERS), b = line_at((random >> 8) % COUNTERS), value;

	if (tm_begin(c, CIA, false) != TM_OK || load(c, a, &value) != TM_OK ||
	    store(c, a, value + 1) != TM_OK || !safepoint(c))
		return false;
	if (random >> 16 & 1) {
		u64 now;

		/* in S: an interrupt, the kernel half, back */
		if (tm_suspend(c, CIA) != TM_OK)
			return false;
		gate_leave(gate, c);
		gate_enter(gate, c);
		if (load(c, a, &now) != TM_OK || (!c->tm_doomed && now != value + 1))
			abort();
		if ((random >> 20) % 16 == 0)
			tm_conflict_by_store(c, CIA, a, 8);
		if (tm_resume(c, CIA) != TM_OK)
			return false;
	}
	if (load(c, b, &value) != TM_OK || store(c, b, value + 1) != TM_OK)
		return false;
	return end(c) == TM_OK;
}

static void *transactor(void *arg)
{
	struct cpu *c = arg;
	u64 random = c->id * 0x9e3779b97f4a7c15ull + 1;

	while (!stopping()) {
		gate_enter(gate, c);
		for (int i = 0; i < 50; i++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			if (transact(c, random >> 20)) {
				note(&committed);
			} else {
				note(&failed);
				tm_handle_failure(c);
			}
			safepoint(c);
		}
		gate_leave(gate, c);
		tm_count(c);
	}
	return NULL;
}

/* Plain larx and stcx. by value, as the engine performs them. */
static void *adder(void *arg)
{
	struct cpu *c = arg;
	u64 n = 0;

	while (!stopping()) {
		gate_enter(gate, c);
		for (int i = 0; i < 200; i++) {
			u64 *p = (u64 *)(uintptr_t)line_at(n++ % COUNTERS), old;
			bool done;

			host_load_u64(p, &old);
			__atomic_store_n(&c->reserve_address, (u64)(uintptr_t)p, __ATOMIC_RELAXED);
			safepoint(c);
			if (__atomic_load_n(&c->reserve_address, __ATOMIC_RELAXED) == ~0ull)
				continue;
			host_cmpxchg_u64(p, old, old + 1, &done);
			if (done)
				note(&added);
		}
		gate_leave(gate, c);
	}
	return NULL;
}

/* The kernel half: mappings change, the host reads and writes memory. */
static void *kernel(void *arg)
{
	struct cpu *c = arg;

	while (!stopping()) {
		gate_lock(gate, c);
		tm_domain_mapping_changed(domain, line_at(COUNTERS + mappings % 2 - 1), TM_LINE);
		note(&mappings);
		gate_unlock(gate, c);
		for (int i = 0; i < 4; i++) {
			gate_enter(gate, c);
			tm_io_begin(c, line_at((u64)i), 8);
			gate_leave(gate, c);
			usleep(50);
			tm_io_end(c);
			note(&transfers);
		}
	}
	return NULL;
}

/* CPUs come and go. */
static void *visitor(void *arg)
{
	struct cpu *c = arg;

	while (!stopping()) {
		struct cpu *guest = aligned_alloc(128, ROUND_UP(sizeof(*guest), 128));

		memset(guest, 0, sizeof(*guest));
		guest->id = c->id;
		guest->msr = c->msr;
		guest->reserve_address = ~0ull;
		tm_cpu_init(guest, domain);
		assert_int_equal(gate_attach(gate, guest), 0);
		gate_enter(gate, guest);
		if (transact(guest, visits))
			note(&committed);
		else
			tm_handle_failure(guest);
		gate_leave(gate, guest);
		gate_detach(gate, guest);
		tm_count(guest);
		tm_cpu_destroy(guest);
		free(guest);
		note(&visits);
		usleep(20);
	}
	return NULL;
}

static void everything_at_once(void **state)
{
	void *(*const bodies[THREADS])(void *) = {transactor, transactor, transactor,
						  adder,      kernel,	  visitor};
	pthread_t threads[THREADS];
	u64 sum = 0;

	start(THREADS, &power8);
	for (int i = 0; i < THREADS; i++)
		gate_leave(gate, &cpus[i]);
	quit = false;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, bodies[i], &cpus[i]);
	usleep(getenv("POWERTM_LONG") && atoi(getenv("POWERTM_LONG")) ? 30000000 : 1500000);
	__atomic_store_n(&quit, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (u64 i = 0; i < COUNTERS; i++)
		sum += peek(line_at(i));
	print_message("# %llu committed, %llu failed, %llu added, %llu mappings, %llu transfers, "
		      "%llu visits\n",
		      (unsigned long long)committed, (unsigned long long)failed,
		      (unsigned long long)added, (unsigned long long)mappings,
		      (unsigned long long)transfers, (unsigned long long)visits);
	assert_int_equal(sum, 2 * committed + added);
	assert_true(committed && added && mappings && transfers && visits);
	for (int i = 0; i < THREADS; i++)
		gate_enter(gate, &cpus[i]);
	finish(THREADS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
