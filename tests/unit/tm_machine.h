/* SPDX-License-Identifier: MIT */
/*
 * For the unit tests of src/tm/: some CPUs, a gate, a domain and a little memory, without an
 * engine. A test file is compiled together with src/tm/, so test points are there
 * (tm/test_point.h).
 */
#ifndef TM_MACHINE_H
#define TM_MACHINE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/extable.h"
#include "tm/domain.h"
#include "tm/footprint.h"
#include "tm/test_point.h"
#include "tm/tm.h"

#define MEMORY	    0x30000000ull
#define MEMORY_SIZE 0x100000ull
#define N_CPUS	    8
#define CIA	    0x10000100ull /* where the instructions are said to be */

static struct gate *gate;
static struct tm_domain *domain;
static struct cpu cpus[N_CPUS] ALIGNED(128);

/* How often somebody went to sleep at the gate. */
static u32 sleeps;

/* What a test wants done at the test points; may be called on any thread. */
static void (*at_point)(enum tm_test_point point, struct cpu *cpu);

void tm_test_point(enum tm_test_point point, struct cpu *cpu)
{
	void (*function)(enum tm_test_point, struct cpu *) =
		__atomic_load_n(&at_point, __ATOMIC_ACQUIRE);

	if (point == TM_POINT_GATE_SLEEPING)
		__atomic_fetch_add(&sleeps, 1, __ATOMIC_SEQ_CST);
	if (function)
		function(point, cpu);
}

static inline void set_point(void (*function)(enum tm_test_point point, struct cpu *cpu))
{
	__atomic_store_n(&at_point, function, __ATOMIC_RELEASE);
}

static inline void on_fault(int signo, siginfo_t *si, void *uc)
{
	if (!extable_fixup(si, uc)) {
		signal(signo, SIG_DFL);
		raise(signo);
	}
}

/*
 * At the beginning of each test, not in its setup: cmocka takes SIGSEGV for itself before each.
 * The first @n CPUs are in RUN afterwards.
 */
static inline void start(int n, const struct tm_config *config)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	void *memory = (void *)(uintptr_t)MEMORY;

	extable_init();
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	assert_ptr_equal(mmap(memory, MEMORY_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 memory);
	set_point(NULL);
	gate = gate_create();
	domain = tm_domain_create(gate, config);
	assert_non_null(gate);
	assert_non_null(domain);
	memset(cpus, 0, sizeof(cpus));
	for (int i = 0; i < n; i++) {
		struct cpu *c = &cpus[i];

		c->id = (u32)i;
		c->msr = MSR_TM | MSR_PR;
		c->reserve_address = ~0ull;
		tm_cpu_init(c, domain);
		assert_int_equal(gate_attach(gate, c), 0);
		gate_enter(gate, c);
	}
}

static inline void finish(int n)
{
	set_point(NULL);
	for (int i = 0; i < n; i++) {
		gate_leave(gate, &cpus[i]);
		gate_detach(gate, &cpus[i]);
		tm_cpu_destroy(&cpus[i]);
	}
	tm_domain_destroy(domain);
	gate_destroy(gate);
}

/* Places in memory: lines, and doublewords in them. */
static inline u64 line_at(u64 n)
{
	return MEMORY + n * TM_LINE;
}

static inline u64 peek(u64 address)
{
	return __atomic_load_n((u64 *)(uintptr_t)address, __ATOMIC_RELAXED);
}

/* A plain store of anybody. */
static inline void poke(u64 address, u64 value)
{
	__atomic_store_n((u64 *)(uintptr_t)address, value, __ATOMIC_RELAXED);
}

static inline enum tm_outcome load(struct cpu *c, u64 address, u64 *value)
{
	*value = 0xdeaddeaddeaddeadull;
	return tm_load(c, CIA + 8, address, value, 8);
}

static inline enum tm_outcome store(struct cpu *c, u64 address, u64 value)
{
	return tm_store(c, CIA + 12, address, &value, 8);
}

static inline u64 read_ok(struct cpu *c, u64 address)
{
	u64 value;

	assert_int_equal(load(c, address, &value), TM_OK);
	return value;
}

static inline void write_ok(struct cpu *c, u64 address, u64 value)
{
	assert_int_equal(store(c, address, value), TM_OK);
}

static inline void begin(struct cpu *c)
{
	assert_int_equal(tm_begin(c, CIA, false), TM_OK);
	assert_true(tm_is_transactional(c));
}

static inline void begin_rollback_only(struct cpu *c)
{
	assert_int_equal(tm_begin(c, CIA, true), TM_OK);
	assert_true(tm_is_transactional(c));
}

static inline enum tm_outcome end(struct cpu *c)
{
	return tm_end(c, CIA + 16, false);
}

/* A whole transaction of one or two stores. */
static inline enum tm_outcome commit_stores(struct cpu *c, u64 a, u64 value, u64 b, u64 other)
{
	enum tm_outcome outcome;

	begin(c);
	outcome = store(c, a, value);
	if (outcome == TM_OK && b)
		outcome = store(c, b, other);
	if (outcome == TM_OK)
		outcome = end(c);
	if (outcome != TM_OK)
		tm_handle_failure(c);
	return outcome;
}

/* CR0 as a number. */
static inline u32 cr0(const struct cpu *c)
{
	return (u32)(c->cr[0] << 3 | c->cr[1] << 2 | c->cr[2] << 1 | c->cr[3]);
}

#endif
