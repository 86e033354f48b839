// SPDX-License-Identifier: MIT
/*
 * The commit protocol in the interleavings that break weaker versions of it. Each test is named by
 * what must hold; C1 and so on are the counterexamples of the model checking (docs/tm.md). What
 * somebody else does is done by a second thread, or at a test point in the midst of an operation.
 * tests/unit/mutants shows that each test fails when what it tests is taken away.
 *
 * Not here: C2 and C3 as far as they are about the order in which a weakly ordered host performs
 * loads; x86 performs them in program order.
 */
#include "tm_machine.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static const struct tm_config power8 = TM_CONFIG_POWER8;

static struct cpu *const cpu = &cpus[0], *const other = &cpus[1], *const third = &cpus[2];

#define X line_at(0)
#define Y line_at(1)
#define Z line_at(2)

/* --- somebody: a second thread
 * ---------------------------------------------------------------------- */

static struct {
	pthread_t thread;
	void (*what)(void);
	sem_t done;
} somebody;

static void *somebody_thread(void *arg)
{
	somebody.what();
	sem_post(&somebody.done);
	return NULL;
}

static bool somebody_is_done_within(long ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms % 1000 * 1000000;
	until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return !sem_timedwait(&somebody.done, &until);
}

static void somebody_begins(void (*what)(void))
{
	somebody.what = what;
	sem_init(&somebody.done, 0, 0);
	pthread_create(&somebody.thread, NULL, somebody_thread, NULL);
}

/* True if it could be done while the caller waits: nobody kept it from that. */
static bool somebody_can(void (*what)(void))
{
	somebody_begins(what);
	if (!somebody_is_done_within(200))
		return false;
	sem_post(&somebody.done);
	return true;
}

/* Somebody does something for which the gate is needed, which the caller holds: until it sleeps. */
static void somebody_waits_to(void (*what)(void))
{
	u32 before = __atomic_load_n(&sleeps, __ATOMIC_SEQ_CST);

	somebody_begins(what);
	while (__atomic_load_n(&sleeps, __ATOMIC_SEQ_CST) == before)
		usleep(1000);
}

static void somebody_finishes(void)
{
	assert_true(somebody_is_done_within(10000));
	pthread_join(somebody.thread, NULL);
}

static void stores_x(void)
{
	gate_enter(gate, other);
	poke(X, 2);
	gate_leave(gate, other);
}

/* Three CPUs; all but the first are OUT. */
static void start_three(void)
{
	start(3, &power8);
	gate_leave(gate, other);
	gate_leave(gate, third);
}

static void end_three(void)
{
	finish(3);
}

/* What the test points found. */
static bool could, done_already;
static enum gate_hold hold;
static int count_a, count_b;
static enum tm_test_point wanted;
static void (*wanted_by)(void);

/* Once, at the wanted point. */
static void once(enum tm_test_point point, struct cpu *who)
{
	if (point != wanted || done_already)
		return;
	done_already = true;
	wanted_by();
}

static void at(enum tm_test_point point, void (*what)(void))
{
	wanted = point;
	wanted_by = what;
	done_already = false;
	set_point(once);
}

/* --- C1, C2, C11: a commit and others' accesses
 * ------------------------------------------------------ */

static void somebody_tries_to_store_x(void)
{
	could = somebody_can(stores_x);
}

/* C1: between the comparison and the write nobody gets in; lost update otherwise (litmus row 2). */
static void nobody_enters_while_a_commit_is_written(void **state)
{
	start_three();
	begin(cpu);
	write_ok(cpu, X, read_ok(cpu, X) + 1);
	at(TM_POINT_COMPARED, somebody_tries_to_store_x);
	assert_int_equal(end(cpu), TM_OK);
	assert_true(done_already);
	assert_false(could);
	somebody_finishes();
	assert_int_equal(peek(X), 2);
	end_three();
}

/* Litmus row 4: not between the lines of a commit either. */
static void nobody_enters_between_two_lines_of_a_commit(void **state)
{
	start_three();
	begin(cpu);
	write_ok(cpu, X, 1);
	write_ok(cpu, Y, 1);
	at(TM_POINT_WRITTEN, somebody_tries_to_store_x);
	assert_int_equal(end(cpu), TM_OK);
	assert_false(could);
	somebody_finishes();
	end_three();
}

static void stop_by_first(void)
{
	hold = gate_stop(gate, cpu);
}

/* C1: first "I run", then the look at the gate. */
static void a_cpu_that_enters_is_seen_or_sees(void **state)
{
	start_three();
	at(TM_POINT_GATE_ENTERING, stop_by_first);
	gate_enter(gate, other);
	set_point(NULL);
	assert_true(done_already);
	assert_int_equal(hold, GATE_FAILED);
	gate_leave(gate, other);
	end_three();
}

/* C2, C11: a commit waits for those who run, and gives up on one that does not stop. */
static void a_commit_needs_everybody_to_stop(void **state)
{
	start_three();
	gate_enter(gate, other);
	begin(cpu);
	write_ok(cpu, X, 1);
	assert_int_equal(end(cpu), TM_FAILED);
	assert_true(cpu->texasr & TEXASR_IMPLEMENTATION);
	assert_false(cpu->texasr & TEXASR_PERSISTENT);
	assert_int_equal(peek(X), 0);
	tm_handle_failure(cpu);
	assert_true(other->poll & POLL_STOP);
	gate_safepoint(gate, other);
	assert_false(other->poll & POLL_STOP);
	gate_leave(gate, other);
	end_three();
}

/* C11: and what they did before they stopped counts. */
static void a_commit_compares(void **state)
{
	start_three();
	begin(cpu);
	write_ok(cpu, X, read_ok(cpu, X) + 1);
	poke(X, 5);
	assert_int_equal(end(cpu), TM_FAILED);
	assert_int_equal(peek(X), 5);
	tm_handle_failure(cpu);
	/* a line that it only read (litmus row 5) */
	begin(cpu);
	read_ok(cpu, Y);
	write_ok(cpu, X, 6);
	poke(Y, 1);
	assert_int_equal(end(cpu), TM_FAILED);
	assert_int_equal(peek(X), 5);
	tm_handle_failure(cpu);
	end_three();
}

static void commits_x(void)
{
	gate_enter(gate, other);
	begin(other);
	write_ok(other, X, read_ok(other, X) + 1);
	count_a = end(other) == TM_OK;
	gate_leave(gate, other);
}

static void somebody_tries_to_commit_x(void)
{
	could = somebody_can(commits_x);
}

/* A committer that waits for another one is OUT, and looks at memory afterwards. */
static void commits_exclude_each_other(void **state)
{
	start_three();
	begin(cpu);
	write_ok(cpu, X, read_ok(cpu, X) + 1);
	at(TM_POINT_COMPARED, somebody_tries_to_commit_x);
	assert_int_equal(end(cpu), TM_OK);
	assert_false(could);
	gate_leave(gate, cpu);
	somebody_finishes();
	gate_enter(gate, cpu);
	assert_int_equal(peek(X), 1 + count_a);
	end_three();
}

static void unlock_then_stop_and_store_x(void)
{
	gate_unlock(gate, third);
	gate_enter(gate, other);
	hold = gate_stop(gate, other);
	if (hold != GATE_FAILED)
		poke(X, 9);
	gate_release(gate, other, hold);
	gate_leave(gate, other);
}

/* A commit waits for the gate OUT: another holder need not wait for it. */
static void a_committer_that_waits_counts_as_stopped(void **state)
{
	start_three();
	begin(cpu);
	write_ok(cpu, X, read_ok(cpu, X) + 1);
	gate_lock(gate, third);
	at(TM_POINT_GATE_SLEEPING, unlock_then_stop_and_store_x);
	assert_int_equal(end(cpu), TM_FAILED);
	assert_true(done_already);
	assert_int_equal(hold, GATE_HELD);
	assert_int_equal(peek(X), 9);
	tm_handle_failure(cpu);
	end_three();
}

/* --- C3, C4: inside a miss
 * ---------------------------------------------------------------------------- */

static void store_x_and_y(void)
{
	poke(X, 1);
	poke(Y, 1);
}

/* C3: the line is copied first, the others are compared after that. */
static void a_miss_copies_before_it_compares(void **state)
{
	u64 value;

	start_three();
	begin(cpu);
	assert_int_equal(read_ok(cpu, X), 0);
	at(TM_POINT_MISS, store_x_and_y);
	assert_int_equal(load(cpu, Y, &value), TM_FAILED);
	assert_true(done_already);
	tm_handle_failure(cpu);
	/* a store of what was copied, between copy and comparison, shows as well */
	poke(X, 0);
	poke(Y, 0);
	begin(cpu);
	read_ok(cpu, X);
	at(TM_POINT_MISS_COPIED, store_x_and_y);
	assert_int_equal(load(cpu, Y, &value), TM_FAILED);
	tm_handle_failure(cpu);
	end_three();
}

static enum tm_outcome other_commits(u64 value)
{
	enum tm_outcome outcome;

	gate_enter(gate, other);
	outcome = commit_stores(other, X, value, Y, value);
	gate_leave(gate, other);
	return outcome;
}

/* x and y change together, twice, in the midst of a miss: if it let commits pass, it would see 0 1.
 */
static void commit_in_a_miss(enum tm_test_point point, struct cpu *who)
{
	if (who != cpu)
		return;
	if (point == TM_POINT_MISS_COPIED)
		count_a += other_commits(0) == TM_OK;
	else if (point == TM_POINT_COMPARE && ++count_b == 2)
		count_a += other_commits(1) == TM_OK;
}

/* C4: no commit falls into a miss. */
static void a_miss_is_no_safepoint(void **state)
{
	u64 x, y;

	start_three();
	count_a = count_b = 0;
	begin(cpu);
	x = read_ok(cpu, X);
	gate_leave(gate, cpu);
	assert_int_equal(other_commits(1), TM_OK);
	gate_enter(gate, cpu);
	set_point(commit_in_a_miss);
	assert_false(load(cpu, Y, &y) == TM_OK && x != y);
	assert_int_equal(count_a, 0);
	set_point(NULL);
	tm_handle_failure(cpu);
	end_three();
}

/* --- C5, C6: what plain stores can do, and what must not get out
 * ---------------------------------------- */

/*
 * Wy1; Wz1; Wx1; Wy0 in the midst of the miss on z: the transaction holds x 0, y 0, z 1, which
 * never was.
 */
static void plain_stores_in_a_miss(enum tm_test_point point, struct cpu *who)
{
	if (point == TM_POINT_MISS) {
		poke(Y, 1);
		poke(Z, 1);
		count_a = 1;
	} else if (point == TM_POINT_COMPARE && count_a++ == 2) {
		/* x was compared; now y is about to be */
		poke(X, 1);
		poke(Y, 0);
	}
}

/* C6: Wx1; Wy1; Wy0; Wx0; Wx1; Wy1, two locations. */
static void more_plain_stores_in_a_miss(enum tm_test_point point, struct cpu *who)
{
	if (point == TM_POINT_MISS) {
		poke(X, 1);
		poke(Y, 1);
	} else if (point == TM_POINT_MISS_COPIED) {
		poke(Y, 0);
		poke(X, 0);
		count_a = 1;
	} else if (point == TM_POINT_COMPARE && count_a++ == 2) {
		poke(X, 1);
		poke(Y, 1);
	}
}

static void make_zombie(int which)
{
	poke(X, 0);
	poke(Y, 0);
	poke(Z, 0);
	count_a = 0;
	begin(cpu);
	read_ok(cpu, X);
	if (which == 5) {
		read_ok(cpu, Y);
		set_point(plain_stores_in_a_miss);
		assert_int_equal(read_ok(cpu, Z), 1);
		assert_int_equal(read_ok(cpu, X), 0);
		assert_int_equal(read_ok(cpu, Y), 0);
	} else {
		set_point(more_plain_stores_in_a_miss);
		assert_int_equal(read_ok(cpu, Y), 1);
		assert_int_equal(read_ok(cpu, X), 0);
	}
	set_point(NULL);
}

static void expect_conflict(enum tm_outcome outcome)
{
	assert_int_equal(outcome, TM_FAILED);
	assert_int_equal(cpu->texasr >> 32, TEXASR_NON_TM_CONFLICT >> 32);
	assert_true(tm_is_transactional(cpu));
	tm_handle_failure(cpu);
}

/* A zombie neither commits, nor gets out by tsuspend., tabort., or a fault, trap or sc. */
static void what_never_was_does_not_get_out(void **state)
{
	start_three();
	for (int which = 5; which <= 6; which++) {
		make_zombie(which);
		expect_conflict(end(cpu));
		make_zombie(which);
		expect_conflict(tm_suspend(cpu, CIA));
		make_zombie(which);
		expect_conflict(tm_abort(cpu, CIA, 0xb6));
		make_zombie(which);
		expect_conflict(tm_validate(cpu, CIA));
		make_zombie(which);
		expect_conflict(tm_poll(cpu, CIA));
	}
	end_three();
}

/* To compare without stopping anybody would be the same double collect once more. */
static void what_leaves_a_transaction_is_compared_under_a_stop(void **state)
{
	start_three();
	begin(cpu);
	read_ok(cpu, X);
	read_ok(cpu, Y);
	at(TM_POINT_COMPARE, somebody_tries_to_store_x);
	assert_int_equal(tm_suspend(cpu, CIA), TM_OK);
	assert_false(could);
	somebody_finishes();
	tm_reclaim(cpu, 0);
	/* nobody stops: it may not go on */
	gate_enter(gate, other);
	begin(cpu);
	read_ok(cpu, X);
	assert_int_equal(tm_suspend(cpu, CIA), TM_FAILED);
	assert_true(cpu->texasr & TEXASR_IMPLEMENTATION);
	tm_handle_failure(cpu);
	gate_leave(gate, other);
	end_three();
}

/* --- C7, C8, C9: progress
 * ------------------------------------------------------------------------------ */

static void enters(void)
{
	gate_enter(gate, other);
	gate_leave(gate, other);
}

static void third_stops(void)
{
	gate_enter(gate, third);
	hold = gate_stop(gate, third);
	gate_release(gate, third, hold);
	gate_leave(gate, third);
}

/* C7: who waits to enter comes before the next who stops. */
static void who_waits_to_enter_is_not_overtaken(void **state)
{
	start_three();
	assert_int_equal(gate_stop(gate, cpu), GATE_HELD);
	at(TM_POINT_GATE_FREE, third_stops);
	somebody_waits_to(enters);
	gate_release(gate, cpu, GATE_HELD);
	gate_leave(gate, cpu);
	somebody_finishes();
	assert_true(done_already);
	assert_int_equal(hold, GATE_FAILED);
	gate_enter(gate, cpu);
	end_three();
}

static void first_stops(void)
{
	hold = gate_stop(gate, cpu);
	gate_release(gate, cpu, hold);
}

/* C8: the wait of a committer for the gate has an end. */
static void a_committer_gives_up_on_the_gate(void **state)
{
	start_three();
	gate_lock(gate, other);
	/* it has given up long since, but must wait to enter again */
	somebody_waits_to(first_stops);
	usleep(200000);
	gate_unlock(gate, other);
	somebody_finishes();
	assert_int_equal(hold, GATE_FAILED);
	end_three();
}

static void other_freezes(void)
{
	gate_thaw(gate, other, gate_freeze(gate, other));
}

static void third_enters_and_leaves(void)
{
	gate_enter(gate, third);
	gate_leave(gate, third);
}

/* A CPU that waits for a page does not come; the one that brings the page must not wait for it. */
static void a_freeze_that_lasts_lets_others_in(void **state)
{
	start_three();
	somebody_begins(other_freezes);
	usleep(20000);
	third_enters_and_leaves();
	assert_false(somebody_is_done_within(50));
	gate_leave(gate, cpu);
	somebody_finishes();
	gate_enter(gate, cpu);
	end_three();
}

static void count_wakes(enum tm_test_point point, struct cpu *who)
{
	if (point == TM_POINT_GATE_WAKING)
		__atomic_fetch_add(&count_b, 1, __ATOMIC_SEQ_CST);
}

/* C9: who sleeps has said so, and is woken. It also wakes by itself now and then: hence the tries.
 */
static void sleepers_are_woken(void **state)
{
	start_three();
	count_b = 0;
	for (int i = 0; i < 20 && !count_b; i++) {
		assert_int_equal(gate_stop(gate, cpu), GATE_HELD);
		set_point(count_wakes);
		somebody_waits_to(enters);
		usleep(1000);
		gate_release(gate, cpu, GATE_HELD);
		somebody_finishes();
		set_point(NULL);
	}
	assert_true(count_b > 0);
	end_three();
}

/* --- C10 and others who die
 * ------------------------------------------------------------------------------ */

static void reclaim_another_and_try_to_enter(void)
{
	tm_reclaim(third, 0xde);
	could = somebody_can(stores_x);
}

/* C10: the failure of another transaction does not open the gate of this commit. */
static void a_failure_elsewhere_does_not_touch_the_gate(void **state)
{
	start_three();
	gate_enter(gate, third);
	begin(third);
	write_ok(third, Z, 1);
	gate_leave(gate, third); /* interrupted */
	begin(cpu);
	write_ok(cpu, X, read_ok(cpu, X) + 1);
	at(TM_POINT_COMPARED, reclaim_another_and_try_to_enter);
	assert_int_equal(end(cpu), TM_OK);
	assert_false(could);
	somebody_finishes();
	assert_int_equal(peek(X), 2);
	end_three();
}

/* A process that shares the address space (vfork) was killed in RUN. */
static void a_cpu_that_died_in_run_does_not_hold_up_commits(void **state)
{
	start_three();
	gate_enter(gate, other);
	gate_detach(gate, other);
	assert_int_equal(commit_stores(cpu, X, 1, 0, 0), TM_OK);
	gate_attach(gate, other);
	end_three();
}

/* The same, in the midst of a commit. */
static void the_gate_of_a_dead_holder_is_freed(void **state)
{
	start_three();
	gate_leave(gate, cpu);
	gate_lock(gate, other);
	gate_detach(gate, other);
	assert_true(somebody_can(third_stops));
	somebody_finishes();
	assert_int_not_equal(hold, GATE_FAILED);
	gate_enter(gate, cpu);
	gate_attach(gate, other);
	end_three();
}

static void die(void)
{
	sem_post(&somebody.done);
	pthread_exit(NULL);
}

/* The same, while it waited to enter. */
static void the_hunger_of_the_dead_is_forgotten(void **state)
{
	start_three();
	assert_int_equal(gate_stop(gate, cpu), GATE_HELD);
	at(TM_POINT_GATE_SLEEPING, die);
	assert_true(somebody_can(enters));
	somebody_finishes();
	gate_release(gate, cpu, GATE_HELD);
	gate_detach(gate, other);
	hold = gate_stop(gate, cpu);
	assert_int_equal(hold, GATE_HELD);
	gate_release(gate, cpu, hold);
	gate_attach(gate, other);
	end_three();
}

/* In the child of a fork those who waited at that moment are not there. */
static void after_a_fork_nobody_is_hungry(void **state)
{
	start_three();
	assert_int_equal(gate_stop(gate, cpu), GATE_HELD);
	at(TM_POINT_GATE_SLEEPING, die);
	assert_true(somebody_can(enters));
	somebody_finishes();
	gate_after_fork(gate, cpu);
	assert_int_equal(gate_attach(gate, other), 0);
	gate_detach(gate, other);
	gate_enter(gate, cpu);
	assert_int_equal(gate_attach(gate, other), 0);
	assert_int_equal(gate_attach(gate, third), 0);
	hold = gate_stop(gate, cpu);
	assert_int_equal(hold, GATE_HELD);
	gate_release(gate, cpu, hold);
	end_three();
}

static void locks(void)
{
	gate_lock(gate, other);
	gate_unlock(gate, other);
}

/* Who must hold the gate (munmap, fork) is not starved by one that commits again and again. */
static void committers_give_way_to_who_must_hold_the_gate(void **state)
{
	start_three();
	assert_int_equal(gate_stop(gate, cpu), GATE_HELD);
	somebody_waits_to(locks);
	gate_release(gate, cpu, GATE_HELD);
	/* at once again: if it is got, the other one has had it before */
	hold = gate_stop(gate, cpu);
	assert_int_equal(hold, GATE_HELD_OUT);
	gate_release(gate, cpu, hold);
	somebody_finishes();
	end_three();
}

/* Two CPUs begin the first transaction: both come here before they do. */
static void note_first(void *context)
{
	__atomic_fetch_add(&count_a, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&done_already, __ATOMIC_SEQ_CST))
		usleep(1000);
}

static void second_begins(void)
{
	gate_enter(gate, other);
	tm_begin(other, CIA, false);
	tm_reclaim(other, 0);
	gate_leave(gate, other);
}

static void first_begins(void)
{
	gate_enter(gate, third);
	tm_begin(third, CIA, false);
	tm_reclaim(third, 0);
	gate_leave(gate, third);
}

static void *first_thread(void *arg)
{
	first_begins();
	return NULL;
}

static void nobody_begins_before_the_memory_is_ready(void **state)
{
	const struct tm_memory memory = {.first_transaction = note_first};
	pthread_t first;

	start_three();
	tm_domain_set_memory(domain, &memory);
	count_a = 0;
	done_already = false;
	pthread_create(&first, NULL, first_thread, NULL);
	while (!__atomic_load_n(&count_a, __ATOMIC_SEQ_CST))
		usleep(1000);
	assert_false(somebody_can(second_begins));
	__atomic_store_n(&done_already, true, __ATOMIC_SEQ_CST);
	somebody_finishes();
	pthread_join(first, NULL);
	assert_int_equal(count_a, 2);
	end_three();
}

static void detaches(void)
{
	gate_detach(gate, other);
}

/* Who holds the gate may look at every struct cpu: it is not freed before. */
static void a_cpu_does_not_go_while_somebody_holds_the_gate(void **state)
{
	start_three();
	assert_int_equal(gate_stop(gate, cpu), GATE_HELD);
	assert_false(somebody_can(detaches));
	gate_release(gate, cpu, GATE_HELD);
	somebody_finishes();
	gate_attach(gate, other);
	end_three();
}

/* --- mappings and transfers during a commit
 * ---------------------------------------------------------------- */

static void changes_a_mapping(void)
{
	gate_lock(gate, other);
	tm_domain_mapping_changed(domain, X, 4096);
	gate_unlock(gate, other);
}

static void somebody_tries_to_change_a_mapping(void)
{
	could = somebody_can(changes_a_mapping);
}

/* R4 */
static void a_mapping_does_not_change_during_a_commit(void **state)
{
	start_three();
	begin(cpu);
	write_ok(cpu, X, 1);
	at(TM_POINT_COMPARED, somebody_tries_to_change_a_mapping);
	assert_int_equal(end(cpu), TM_OK);
	assert_false(could);
	somebody_finishes();
	end_three();
}

static void reads_x(void)
{
	gate_enter(gate, other);
	tm_io_begin(other, X, 8);
	gate_leave(gate, other);
}

static void somebody_tries_to_begin_a_transfer(void)
{
	could = somebody_can(reads_x);
}

static void a_transfer_does_not_begin_during_a_commit(void **state)
{
	start_three();
	begin(cpu);
	write_ok(cpu, X, 1);
	at(TM_POINT_COMPARED, somebody_tries_to_begin_a_transfer);
	assert_int_equal(end(cpu), TM_OK);
	assert_false(could);
	somebody_finishes();
	tm_io_end(other);
	end_three();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_enters_while_a_commit_is_written),
		cmocka_unit_test(nobody_enters_between_two_lines_of_a_commit),
		cmocka_unit_test(a_cpu_that_enters_is_seen_or_sees),
		cmocka_unit_test(a_commit_needs_everybody_to_stop),
		cmocka_unit_test(a_commit_compares),
		cmocka_unit_test(commits_exclude_each_other),
		cmocka_unit_test(a_committer_that_waits_counts_as_stopped),
		cmocka_unit_test(a_miss_copies_before_it_compares),
		cmocka_unit_test(a_miss_is_no_safepoint),
		cmocka_unit_test(what_never_was_does_not_get_out),
		cmocka_unit_test(what_leaves_a_transaction_is_compared_under_a_stop),
		cmocka_unit_test(who_waits_to_enter_is_not_overtaken),
		cmocka_unit_test(a_committer_gives_up_on_the_gate),
		cmocka_unit_test(committers_give_way_to_who_must_hold_the_gate),
		cmocka_unit_test(a_freeze_that_lasts_lets_others_in),
		cmocka_unit_test(sleepers_are_woken),
		cmocka_unit_test(a_failure_elsewhere_does_not_touch_the_gate),
		cmocka_unit_test(a_cpu_that_died_in_run_does_not_hold_up_commits),
		cmocka_unit_test(the_gate_of_a_dead_holder_is_freed),
		cmocka_unit_test(the_hunger_of_the_dead_is_forgotten),
		cmocka_unit_test(a_cpu_does_not_go_while_somebody_holds_the_gate),
		cmocka_unit_test(after_a_fork_nobody_is_hungry),
		cmocka_unit_test(nobody_begins_before_the_memory_is_ready),
		cmocka_unit_test(a_mapping_does_not_change_during_a_commit),
		cmocka_unit_test(a_transfer_does_not_begin_during_a_commit),
	};

	cmocka_set_test_filter(getenv("TEST_FILTER"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
