// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "tm/gate.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tm/test_point.h"

enum where { OUT, RUN };

#define OWNER_MASK 0xffffu
#define HUNGRY	   0x10000u /* one CPU that waits to enter: no new holder may come before it */

#define SPINS		  2000 /* before a futex wait */
#define GATE_WAIT_NS	  20000000ull
#define STOP_WAIT_NS	  5000000ull
#define STOP_WAIT_LATE_NS 1000ull /* for a CPU that let the last stopper down */
#define YIELD_AFTER_NS	  20000ull

struct place {
	ALIGNED(128) u32 where; /* enum where */
	u32 late;		/* did not come in time; cleared when it comes */
	bool hungry;		/* counted in the word */
	bool patient;		/* counted in struct gate's */
	struct cpu *cpu;	/* NULL: not used */
};

struct gate {
	ALIGNED(128) u32 word; /* owner: place + 1; and HUNGRY times those who wait to enter */
	ALIGNED(128) u32 sleepers;
	u32 patient; /* those who wait to hold it without limit: committers give way */
	ALIGNED(128) u32 n_attached;
	u32 n_places; /* places ever used */
	struct place places[GATE_MAX_CPUS];
};

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static struct place *place_of(struct gate *gate, struct cpu *cpu)
{
	return &gate->places[cpu->gate_place];
}

static u32 owner_id(struct cpu *cpu)
{
	return cpu->gate_place + 1;
}

static u32 load_word(struct gate *gate)
{
	return __atomic_load_n(&gate->word, __ATOMIC_SEQ_CST);
}

/* C9: a sleeper is counted before it looks at the word for the last time. */
static void sleep_on_word(struct gate *gate, u32 seen)
{
	static const struct timespec limit = {.tv_nsec = 10000000};

	__atomic_fetch_add(&gate->sleepers, 1, __ATOMIC_SEQ_CST);
	TM_TEST_POINT(GATE_SLEEPING, NULL);
	syscall(SYS_futex, &gate->word, FUTEX_WAIT_PRIVATE, seen, &limit, NULL, 0);
	__atomic_fetch_sub(&gate->sleepers, 1, __ATOMIC_SEQ_CST);
}

static void wake_sleepers(struct gate *gate)
{
	if (!__atomic_load_n(&gate->sleepers, __ATOMIC_SEQ_CST))
		return;
	TM_TEST_POINT(GATE_WAKING, NULL);
	syscall(SYS_futex, &gate->word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

struct gate *gate_create(void)
{
	struct gate *gate = aligned_alloc(128, sizeof(*gate));

	if (gate)
		*gate = (struct gate){0};
	return gate;
}

void gate_destroy(struct gate *gate)
{
	free(gate);
}

int gate_attach(struct gate *gate, struct cpu *cpu)
{
	for (u32 i = 0; i < GATE_MAX_CPUS; i++) {
		struct cpu *none = NULL;

		if (!__atomic_compare_exchange_n(&gate->places[i].cpu, &none, cpu, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		cpu->gate_place = i;
		for (u32 seen = __atomic_load_n(&gate->n_places, __ATOMIC_SEQ_CST); seen < i + 1;)
			if (__atomic_compare_exchange_n(&gate->n_places, &seen, i + 1, false,
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				break;
		__atomic_fetch_add(&gate->n_attached, 1, __ATOMIC_SEQ_CST);
		return 0;
	}
	return -EAGAIN;
}

bool gate_is_solo(const struct gate *gate)
{
	return __atomic_load_n(&gate->n_attached, __ATOMIC_SEQ_CST) == 1;
}

void gate_for_each_cpu(struct gate *gate, void (*function)(void *context, struct cpu *cpu),
		       void *context)
{
	u32 n = __atomic_load_n(&gate->n_places, __ATOMIC_SEQ_CST);

	for (u32 i = 0; i < n; i++) {
		struct cpu *cpu = __atomic_load_n(&gate->places[i].cpu, __ATOMIC_SEQ_CST);

		if (cpu)
			function(context, cpu);
	}
}

/* Waits OUT until nobody owns the gate, then enters. C7: counted as hungry meanwhile. */
static NOINLINE void enter_slow(struct gate *gate, struct cpu *cpu)
{
	struct place *place = place_of(gate, cpu);
	u32 word = __atomic_add_fetch(&gate->word, HUNGRY, __ATOMIC_SEQ_CST);

	place->hungry = true;
	for (u32 spins = 0; word & OWNER_MASK; word = load_word(gate)) {
		if (++spins < SPINS)
			host_pause();
		else
			sleep_on_word(gate, word);
	}
	TM_TEST_POINT(GATE_FREE, cpu);
	__atomic_exchange_n(&place->where, RUN, __ATOMIC_SEQ_CST);
	place->hungry = false;
	if (__atomic_fetch_sub(&gate->word, HUNGRY, __ATOMIC_SEQ_CST) == HUNGRY)
		wake_sleepers(gate);
}

void gate_enter(struct gate *gate, struct cpu *cpu)
{
	struct place *place = place_of(gate, cpu);

	/* C1: a full barrier between "I run" and "does somebody hold the gate?". */
	__atomic_exchange_n(&place->where, RUN, __ATOMIC_SEQ_CST);
	TM_TEST_POINT(GATE_ENTERING, cpu);
	if (unlikely(load_word(gate) & OWNER_MASK)) {
		gate_leave(gate, cpu);
		enter_slow(gate, cpu);
	}
}

void gate_leave(struct gate *gate, struct cpu *cpu)
{
	struct place *place = place_of(gate, cpu);

	__atomic_store_n(&place->where, OUT, __ATOMIC_RELEASE);
	if (unlikely(__atomic_load_n(&place->late, __ATOMIC_RELAXED)))
		__atomic_store_n(&place->late, 0, __ATOMIC_RELAXED);
}

void gate_safepoint(struct gate *gate, struct cpu *cpu)
{
	struct place *place = place_of(gate, cpu);

	/* First clear the hint, then look at the gate. */
	__atomic_fetch_and(&cpu->poll, ~POLL_STOP, __ATOMIC_SEQ_CST);
	__atomic_store_n(&place->late, 0, __ATOMIC_RELAXED);
	if (load_word(gate) & OWNER_MASK) {
		gate_leave(gate, cpu);
		enter_slow(gate, cpu);
	}
}

/* Become the owner if nobody is and nobody is hungry. */
static bool try_own(struct gate *gate, struct cpu *cpu)
{
	u32 expected = 0;

	return __atomic_compare_exchange_n(&gate->word, &expected, owner_id(cpu), false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* The same for a committer, who gives way: one that commits again and again would starve others. */
static bool try_own_politely(struct gate *gate, struct cpu *cpu)
{
	return likely(!__atomic_load_n(&gate->patient, __ATOMIC_RELAXED)) && try_own(gate, cpu);
}

/* Become the owner, OUT, however long it takes. */
static void own(struct gate *gate, struct cpu *cpu)
{
	struct place *place = place_of(gate, cpu);

	if (try_own(gate, cpu))
		return;
	__atomic_fetch_add(&gate->patient, 1, __ATOMIC_SEQ_CST);
	place->patient = true;
	for (u32 spins = 0; !try_own(gate, cpu);) {
		u32 word = load_word(gate);

		if (++spins < SPINS || !word)
			host_pause();
		else
			sleep_on_word(gate, word);
	}
	place->patient = false;
	__atomic_fetch_sub(&gate->patient, 1, __ATOMIC_SEQ_CST);
}

/* Become the owner, OUT. C8: false if that takes longer than @limit_ns. */
static bool own_within(struct gate *gate, struct cpu *cpu, u64 limit_ns)
{
	u64 start = 0;

	for (u32 spins = 0; !try_own_politely(gate, cpu);) {
		u32 word = load_word(gate);

		if (++spins < SPINS) {
			host_pause();
			continue;
		}
		if (!start)
			start = now_ns();
		else if (now_ns() - start > limit_ns)
			return false;
		if (word)
			sleep_on_word(gate, word);
		else
			sched_yield();
	}
	return true;
}

static void disown(struct gate *gate, struct cpu *cpu)
{
	__atomic_fetch_sub(&gate->word, owner_id(cpu), __ATOMIC_SEQ_CST);
	wake_sleepers(gate);
}

static void ask_to_stop(struct gate *gate, struct place *me)
{
	u32 n = __atomic_load_n(&gate->n_places, __ATOMIC_SEQ_CST);

	for (u32 i = 0; i < n; i++) {
		struct place *place = &gate->places[i];
		struct cpu *cpu = __atomic_load_n(&place->cpu, __ATOMIC_SEQ_CST);

		if (place != me && cpu && __atomic_load_n(&place->where, __ATOMIC_SEQ_CST) == RUN)
			__atomic_fetch_or(&cpu->poll, POLL_STOP, __ATOMIC_SEQ_CST);
	}
}

/* C2: what the others did before they went OUT happens before what the stopper does now. */
static bool is_out(struct place *place)
{
	return __atomic_load_n(&place->where, __ATOMIC_ACQUIRE) == OUT;
}

/* Wait until all others are OUT. False if one is too late; @patient: though it was late before. */
static bool wait_until_out(struct gate *gate, struct place *me, bool patient)
{
	u32 n = __atomic_load_n(&gate->n_places, __ATOMIC_SEQ_CST);
	u64 start = 0;

	for (u32 i = 0; i < n; i++) {
		struct place *place = &gate->places[i];

		for (u32 spins = 0; place != me && !is_out(place); spins++) {
			u64 waited;

			host_pause();
			if (spins < 64)
				continue;
			if (!start)
				start = now_ns();
			waited = now_ns() - start;
			if (waited > STOP_WAIT_NS ||
			    (!patient && waited > STOP_WAIT_LATE_NS &&
			     __atomic_load_n(&place->late, __ATOMIC_RELAXED))) {
				__atomic_store_n(&place->late, 1, __ATOMIC_RELAXED);
				return false;
			}
			if (waited > YIELD_AFTER_NS)
				sched_yield();
		}
	}
	return true;
}

/*
 * The CPU may be that of a process that shares the address space (vfork) and was killed anywhere:
 * it gives back what it held. A stopper looks at struct cpu only while it holds the gate.
 */
void gate_detach(struct gate *gate, struct cpu *cpu)
{
	struct place *place = place_of(gate, cpu);

	__atomic_store_n(&place->where, OUT, __ATOMIC_SEQ_CST);
	if (place->hungry) {
		place->hungry = false;
		__atomic_fetch_sub(&gate->word, HUNGRY, __ATOMIC_SEQ_CST);
	}
	if (place->patient) {
		place->patient = false;
		__atomic_fetch_sub(&gate->patient, 1, __ATOMIC_SEQ_CST);
	}
	if ((load_word(gate) & OWNER_MASK) == owner_id(cpu))
		disown(gate, cpu);
	own(gate, cpu);
	__atomic_store_n(&place->late, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&place->cpu, NULL, __ATOMIC_SEQ_CST);
	__atomic_fetch_sub(&gate->n_attached, 1, __ATOMIC_RELEASE);
	disown(gate, cpu);
}

enum gate_hold gate_stop(struct gate *gate, struct cpu *cpu)
{
	struct place *me = place_of(gate, cpu);
	bool out = false;

	if (!try_own_politely(gate, cpu)) {
		gate_leave(gate, cpu); /* counts as stopped while it waits */
		out = true;
		if (!own_within(gate, cpu, GATE_WAIT_NS)) {
			gate_enter(gate, cpu);
			return GATE_FAILED;
		}
	}
	/* The gate is held even so: a CPU that is attached from now on waits in gate_enter(). */
	if (likely(!out) && gate_is_solo(gate))
		return GATE_SOLO;
	ask_to_stop(gate, me);
	if (wait_until_out(gate, me, false))
		return out ? GATE_HELD_OUT : GATE_HELD;
	gate_release(gate, cpu, out ? GATE_HELD_OUT : GATE_HELD);
	return GATE_FAILED;
}

void gate_release(struct gate *gate, struct cpu *cpu, enum gate_hold hold)
{
	if (hold == GATE_FAILED)
		return;
	disown(gate, cpu);
	if (hold == GATE_HELD_OUT)
		gate_enter(gate, cpu);
}

void gate_lock(struct gate *gate, struct cpu *cpu)
{
	own(gate, cpu);
}

void gate_unlock(struct gate *gate, struct cpu *cpu)
{
	disown(gate, cpu);
}

enum gate_hold gate_freeze(struct gate *gate, struct cpu *cpu)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	struct place *me = place_of(gate, cpu);

	for (;;) {
		own(gate, cpu);
		if (gate_is_solo(gate))
			return GATE_SOLO;
		ask_to_stop(gate, me);
		if (wait_until_out(gate, me, true))
			return GATE_HELD;
		/* It may be waiting for a page that one of those provides who cannot enter now. */
		disown(gate, cpu);
		nanosleep(&pause, NULL);
	}
}

void gate_thaw(struct gate *gate, struct cpu *cpu, enum gate_hold hold)
{
	(void)hold;
	disown(gate, cpu);
}

void gate_after_fork(struct gate *gate, struct cpu *cpu)
{
	for (u32 i = 0; i < gate->n_places; i++) {
		struct cpu *only = i == cpu->gate_place ? cpu : NULL;

		/* Also what others had waited for: their places will be used again. */
		gate->places[i] = (struct place){.cpu = only};
	}
	gate->word = 0;
	gate->sleepers = 0;
	gate->patient = 0;
	gate->n_attached = 1;
}
