// SPDX-License-Identifier: MIT
/*
 * The gate under load: plain accesses in RUN against changes under a stop. The data is not atomic
 * on purpose: a hole in the protocol shows as a torn value here, and as a race under TSan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tm/gate.h"

#define THREADS 6
#define WORDS	8

static struct gate *gate;
static struct cpu cpus[THREADS];
static u64 words[WORDS]; /* all equal whenever nobody holds the gate */
static bool quit;
static u64 torn, stops, failures, entries;

static bool stopping(void)
{
	return __atomic_load_n(&quit, __ATOMIC_RELAXED);
}

static void look(void)
{
	for (int i = 1; i < WORDS; i++)
		if (words[i] != words[0])
			__atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
}

static void change(void)
{
	for (int i = 0; i < WORDS; i++)
		words[i]++;
}

/* Runs guest code, that is, looks at memory; goes to the kernel half now and then. */
static void *runner(void *arg)
{
	struct cpu *cpu = arg;

	while (!stopping()) {
		gate_enter(gate, cpu);
		__atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED);
		for (int i = 0; i < 200 && !stopping(); i++) {
			look();
			if (__atomic_load_n(&cpu->poll, __ATOMIC_RELAXED))
				gate_safepoint(gate, cpu);
		}
		gate_leave(gate, cpu);
	}
	return NULL;
}

/* Commits: stops everybody from RUN. */
static void *committer(void *arg)
{
	struct cpu *cpu = arg;

	gate_enter(gate, cpu);
	while (!stopping()) {
		enum gate_hold hold = gate_stop(gate, cpu);

		if (hold == GATE_FAILED) {
			__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
		} else {
			look();
			change();
			gate_release(gate, cpu, hold);
			__atomic_fetch_add(&stops, 1, __ATOMIC_RELAXED);
		}
		if (__atomic_load_n(&cpu->poll, __ATOMIC_RELAXED))
			gate_safepoint(gate, cpu);
	}
	gate_leave(gate, cpu);
	return NULL;
}

/* Drops code: freezes everybody from OUT. */
static void *freezer(void *arg)
{
	struct cpu *cpu = arg;

	while (!stopping()) {
		enum gate_hold hold = gate_freeze(gate, cpu);

		look();
		change();
		gate_thaw(gate, cpu, hold);
		__atomic_fetch_add(&stops, 1, __ATOMIC_RELAXED);
		usleep(100);
	}
	return NULL;
}

static int each(void **state)
{
	gate = gate_create();
	quit = false;
	torn = stops = failures = entries = 0;
	return gate ? 0 : -1;
}

static int after(void **state)
{
	gate_destroy(gate);
	return 0;
}

static void run_threads(int n, void *(*const bodies[])(void *), unsigned ms)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < n; i++) {
		cpus[i].poll = 0;
		assert_int_equal(gate_attach(gate, &cpus[i]), 0);
	}
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, bodies[i], &cpus[i]);
	usleep(ms * 1000);
	__atomic_store_n(&quit, true, __ATOMIC_RELAXED);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < n; i++)
		gate_detach(gate, &cpus[i]);
}

static void readers_never_see_half_a_change(void **state)
{
	run_threads(3, (void *(*const[])(void *)){runner, runner, committer}, 300);
	assert_int_equal(torn, 0);
	assert_true(stops > 0);
}

static void committers_and_freezers_exclude_each_other(void **state)
{
	u64 before = words[0];

	run_threads(6,
		    (void *(*const[])(void *)){runner, committer, committer, freezer, freezer, runner},
		    500);
	assert_int_equal(torn, 0);
	assert_int_equal(words[0] - before, stops);
}

/* C7: two committers in turn must not keep the others out for ever. */
static void a_cpu_that_wants_to_enter_gets_in(void **state)
{
	run_threads(3, (void *(*const[])(void *)){committer, committer, runner}, 400);
	assert_int_equal(torn, 0);
	assert_true(entries > 10);
	assert_true(stops > 10);
}

static void alone_costs_nothing(void **state)
{
	assert_int_equal(gate_attach(gate, &cpus[0]), 0);
	gate_enter(gate, &cpus[0]);
	assert_int_equal(gate_stop(gate, &cpus[0]), GATE_SOLO);
	gate_release(gate, &cpus[0], GATE_SOLO);
	gate_leave(gate, &cpus[0]);
	gate_detach(gate, &cpus[0]);
}

/* A CPU that never comes makes a stop fail in bounded time, and the next one fails at once. */
static void a_stuck_cpu_makes_the_stop_fail(void **state)
{
	struct timespec start, first, second;

	gate_attach(gate, &cpus[0]);
	gate_attach(gate, &cpus[1]);
	gate_enter(gate, &cpus[0]);
	gate_enter(gate, &cpus[1]); /* and never comes to a safepoint */
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(gate_stop(gate, &cpus[0]), GATE_FAILED);
	clock_gettime(CLOCK_MONOTONIC, &first);
	assert_int_equal(gate_stop(gate, &cpus[0]), GATE_FAILED);
	clock_gettime(CLOCK_MONOTONIC, &second);
	assert_true(first.tv_sec - start.tv_sec <= 1);
	assert_true(cpus[1].poll & POLL_STOP);
	/* once it comes, all is well again */
	gate_safepoint(gate, &cpus[1]);
	gate_leave(gate, &cpus[1]);
	assert_int_equal(gate_stop(gate, &cpus[0]), GATE_HELD);
	gate_release(gate, &cpus[0], GATE_HELD);
	gate_leave(gate, &cpus[0]);
	gate_detach(gate, &cpus[0]);
	gate_detach(gate, &cpus[1]);
}

static void after_a_fork_only_the_caller_is_left(void **state)
{
	for (int i = 0; i < 3; i++)
		gate_attach(gate, &cpus[i]);
	gate_enter(gate, &cpus[1]);
	gate_after_fork(gate, &cpus[2]);
	gate_enter(gate, &cpus[2]);
	assert_int_equal(gate_stop(gate, &cpus[2]), GATE_SOLO);
	gate_release(gate, &cpus[2], GATE_SOLO);
	gate_leave(gate, &cpus[2]);
	assert_int_equal(gate_attach(gate, &cpus[0]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(readers_never_see_half_a_change, each, after),
		cmocka_unit_test_setup_teardown(committers_and_freezers_exclude_each_other, each, after),
		cmocka_unit_test_setup_teardown(a_cpu_that_wants_to_enter_gets_in, each, after),
		cmocka_unit_test_setup_teardown(alone_costs_nothing, each, after),
		cmocka_unit_test_setup_teardown(a_stuck_cpu_makes_the_stop_fail, each, after),
		cmocka_unit_test_setup_teardown(after_a_fork_only_the_caller_is_left, each, after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
