// SPDX-License-Identifier: MIT
/*
 * Slots: one holder at a time whatever the processes do, and nobody waits for ever: not for a holder
 * that sleeps in a system call, not for one that died, not for one that never leaves guest code.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "linux/signal_host.h"
#include "linux/slots.h"

#define SLICE 2000000ull

static const u64 any[SLOTS_MAX / 64] = {~0ull, ~0ull, ~0ull, ~0ull};

static volatile sig_atomic_t kicked;

static void on_kick(int signo)
{
	kicked = 1;
}

static struct slot_claim claim_of_this_thread(void)
{
	return (struct slot_claim){.slot = -1, .tid = (u32)syscall(SYS_gettid)};
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

struct shared {
	u32 inside; /* holders at this moment */
	u32 worst;
	u32 turns;
};

static struct shared *share(void)
{
	void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

/* Takes turns; sometimes in a system call, in which the slot may be lost. */
static void take_turns(struct slots *slots, struct shared *s, int n)
{
	struct slot_claim claim = claim_of_this_thread();

	for (int i = 0; i < n; i++) {
		u32 inside;

		slot_acquire(slots, &claim, any, 0, i % 3 == 0);
		inside = __atomic_add_fetch(&s->inside, 1, __ATOMIC_SEQ_CST);
		if (inside > s->worst)
			s->worst = inside;
		__atomic_fetch_add(&s->turns, 1, __ATOMIC_SEQ_CST);
		for (int k = 0; k < 100; k++)
			__asm__ volatile("" ::: "memory");
		__atomic_fetch_sub(&s->inside, 1, __ATOMIC_SEQ_CST);
		slot_enter_syscall(slots, &claim);
		if (i % 16 == 0)
			usleep(200);
		if (slot_exit_syscall(slots, &claim))
			slot_release(slots, &claim);
	}
}

static void processes_exclude_each_other(void **state)
{
	struct slots *slots = slots_create(1, SLICE);
	struct shared *s = share();

	for (int i = 0; i < 4; i++)
		if (!fork()) {
			take_turns(slots, s, 300);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	assert_int_equal(s->turns, 4 * 300);
	assert_int_equal(s->worst, 1);
}

static void as_many_holders_as_slots(void **state)
{
	struct slots *slots = slots_create(3, SLICE);
	struct slot_claim claims[3];

	assert_int_equal(slots_count(slots), 3);
	for (int i = 0; i < 3; i++) {
		claims[i] = claim_of_this_thread();
		slot_acquire(slots, &claims[i], any, 0, false);
		assert_int_equal(claims[i].slot, i);
		assert_false(slot_wanted(slots, &claims[i]));
	}
	for (int i = 0; i < 3; i++)
		slot_release(slots, &claims[i]);
}

static void only_allowed_slots_are_taken(void **state)
{
	static const u64 second[SLOTS_MAX / 64] = {2};
	struct slots *slots = slots_create(3, SLICE);
	struct slot_claim claim = claim_of_this_thread();

	slot_acquire(slots, &claim, second, 0, false);
	assert_int_equal(claim.slot, 1);
	slot_release(slots, &claim);
}

struct waiter {
	struct slots *slots;
	u64 waited;
};

static void *wait_for_slot(void *arg)
{
	struct waiter *w = arg;
	struct slot_claim claim = claim_of_this_thread();
	u64 start = now_ns();

	slot_acquire(w->slots, &claim, any, 0, false);
	w->waited = now_ns() - start;
	slot_release(w->slots, &claim);
	return NULL;
}

struct moved {
	struct slots *slots;
	u64 allowed[SLOTS_MAX / 64];
	s32 got;
};

static void *wait_for_another_slot(void *arg)
{
	struct moved *m = arg;
	struct slot_claim claim = claim_of_this_thread();

	slot_acquire(m->slots, &claim, m->allowed, 0, false);
	m->got = claim.slot;
	slot_release(m->slots, &claim);
	return NULL;
}

/* As of a new thread, whose affinity is set by who made it while it still waits for a CPU. */
static void affinity_may_change_while_waiting(void **state)
{
	struct moved m = {.slots = slots_create(2, 10000000000), .allowed = {1}, .got = -1};
	struct slot_claim claims[2];
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		claims[i] = claim_of_this_thread();
		slot_acquire(m.slots, &claims[i], any, 0, false);
	}
	pthread_create(&thread, NULL, wait_for_another_slot, &m);
	while (!slot_wanted(m.slots, &claims[0]))
		sched_yield();
	__atomic_store_n(&m.allowed[0], 2, __ATOMIC_RELAXED);
	while (!slot_wanted(m.slots, &claims[1]))
		sched_yield();
	assert_false(slot_wanted(m.slots, &claims[0]));
	slot_release(m.slots, &claims[1]);
	pthread_join(thread, NULL);
	assert_int_equal(m.got, 1);
	slot_release(m.slots, &claims[0]);
}

static void a_holder_in_a_system_call_is_robbed(void **state)
{
	struct waiter w = {.slots = slots_create(1, SLICE)};
	struct slot_claim claim = claim_of_this_thread();
	pthread_t thread;

	slot_acquire(w.slots, &claim, any, 0, false);
	slot_enter_syscall(w.slots, &claim);
	pthread_create(&thread, NULL, wait_for_slot, &w);
	pthread_join(thread, NULL);
	assert_true(w.waited >= SLOT_SYSCALL_GRACE_NS);
	assert_false(slot_exit_syscall(w.slots, &claim));
	assert_int_equal(claim.slot, -1);
}

static void a_short_system_call_keeps_the_slot(void **state)
{
	struct slots *slots = slots_create(1, SLICE);
	struct slot_claim claim = claim_of_this_thread();

	slot_acquire(slots, &claim, any, 0, false);
	for (int i = 0; i < 1000; i++) {
		slot_enter_syscall(slots, &claim);
		assert_true(slot_exit_syscall(slots, &claim));
	}
	slot_release(slots, &claim);
}

static void a_dead_holder_is_replaced(void **state)
{
	struct waiter w = {.slots = slots_create(1, SLICE)};
	pid_t pid = fork();

	if (!pid) {
		struct slot_claim claim = claim_of_this_thread();

		slot_acquire(w.slots, &claim, any, 0, false);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	wait_for_slot(&w);
}

static void a_holder_in_guest_code_is_asked_to_leave(void **state)
{
	struct waiter w = {.slots = slots_create(1, SLICE)};
	struct slot_claim claim = claim_of_this_thread();
	pthread_t thread;

	kicked = 0;
	slot_acquire(w.slots, &claim, any, 0, false);
	pthread_create(&thread, NULL, wait_for_slot, &w);
	while (!kicked)
		usleep(10); /* TSan delivers signals in calls only */
	assert_true(slot_slice_over(w.slots, &claim));
	assert_true(slot_wanted(w.slots, &claim));
	slot_release(w.slots, &claim);
	pthread_join(thread, NULL);
}

static void the_table_is_found_by_its_descriptor(void **state)
{
	struct slots *slots = slots_create(5, SLICE), *again = slots_attach(slots_fd(slots));
	int first = slots_new_tid(slots);

	assert_non_null(again);
	assert_int_equal(slots_count(again), 5);
	assert_int_equal(slots_new_tid(again), first + 1);
	assert_null(slots_attach(0));
	assert_null(slots_attach(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_exclude_each_other),
		cmocka_unit_test(as_many_holders_as_slots),
		cmocka_unit_test(only_allowed_slots_are_taken),
		cmocka_unit_test(affinity_may_change_while_waiting),
		cmocka_unit_test(a_holder_in_a_system_call_is_robbed),
		cmocka_unit_test(a_short_system_call_keeps_the_slot),
		cmocka_unit_test(a_dead_holder_is_replaced),
		cmocka_unit_test(a_holder_in_guest_code_is_asked_to_leave),
		cmocka_unit_test(the_table_is_found_by_its_descriptor),
	};

	/* On a busy machine anybody may be asked. */
	signal(HOST_SIGNAL_KICK, on_kick);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
