// SPDX-License-Identifier: MIT
/*
 * What the instructions of the TM facility do to the state of the CPU: Power ISA 2.07B Book II 5.
 * One CPU, or one and somebody who stores.
 */
#include "tm_machine.h"

#define USER_EXACT 0x1c000000ull /* PR, FS, EXACT */
#define USER	   0x18000000ull /* PR, FS */

static const struct tm_config power8 = TM_CONFIG_POWER8;

static struct cpu *const cpu = &cpus[0];

static void fill_registers(u8 with)
{
	memset(cpu->gpr, with, 32 * sizeof(cpu->gpr[0]));
	memset(cpu->vsr, with, sizeof(cpu->vsr));
	cpu->lr = cpu->ctr = cpu->tar = cpu->dscr = cpu->ppr = cpu->amr =
		with * 0x0101010101010101ull;
	cpu->fpscr = with;
	cpu->vrsave = with;
	cpu->vscr_nj = cpu->vscr_sat = with & 1;
	cpu->so = cpu->ov = cpu->ca = with & 1;
	cpu->string_count = with & 0x7f;
	memset(cpu->cr, with & 1, sizeof(cpu->cr));
}

static void outermost_begin_starts_level_1(void **state)
{
	start(1, &power8);
	cpu->texasr = ~0ull;
	cpu->tfiar = 5;
	cpu->reserve_address = MEMORY;
	begin(cpu);
	assert_int_equal(cr0(cpu), 0);
	assert_int_equal(cpu->tfhar, CIA + 4);
	assert_int_equal(cpu->texasr, 1);
	assert_int_equal(cpu->tfiar, 0);
	assert_false(cpu->tm_doomed);
	assert_int_equal(cpu->reserve_address, ~0ull);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(cr0(cpu), 4);
	assert_false(tm_in_transaction(cpu));
	begin_rollback_only(cpu);
	assert_int_equal(cpu->texasr, TEXASR_ROT | 1);
	assert_int_equal(end(cpu), TM_OK);
	finish(1);
}

static void nesting_counts_and_only_the_outermost_end_commits(void **state)
{
	start(1, &power8);
	begin(cpu);
	write_ok(cpu, MEMORY, 1);
	assert_int_equal(tm_begin(cpu, CIA + 0x40, false), TM_OK);
	assert_int_equal(cr0(cpu), 4);
	assert_int_equal(cpu->texasr, 2);
	assert_int_equal(cpu->tfhar, CIA + 4);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(cr0(cpu), 4);
	assert_true(tm_is_transactional(cpu));
	assert_int_equal(peek(MEMORY), 0);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(peek(MEMORY), 1);
	/* tendall. commits from any depth */
	begin(cpu);
	begin(cpu);
	begin(cpu);
	write_ok(cpu, MEMORY, 2);
	assert_int_equal(tm_end(cpu, CIA, true), TM_OK);
	assert_false(tm_in_transaction(cpu));
	assert_int_equal(peek(MEMORY), 2);
	finish(1);
}

static void too_deep_nesting_fails_persistently(void **state)
{
	start(1, &power8);
	for (int i = 0; i < 62; i++)
		begin(cpu);
	assert_int_equal(tm_begin(cpu, CIA + 0x80, false), TM_FAILED);
	assert_int_equal(cpu->texasr, 0x0140000000000000ull | USER_EXACT | 62);
	assert_int_equal(cpu->tfiar, (CIA + 0x80) | 1);
	tm_handle_failure(cpu);
	finish(1);
}

static void outside_a_transaction_nothing_but_cr0_changes(void **state)
{
	u8 field;

	start(1, &power8);
	cpu->texasr = 0x1234;
	for (int i = 0; i < 5; i++) {
		memset(cpu->cr, 1, 4);
		switch (i) {
		case 0:
			assert_int_equal(end(cpu), TM_OK);
			break;
		case 1:
			assert_int_equal(tm_abort(cpu, CIA, 0xd9), TM_OK);
			break;
		case 2:
			assert_int_equal(tm_suspend(cpu, CIA), TM_OK);
			break;
		case 3:
			assert_int_equal(tm_resume(cpu, CIA), TM_OK);
			break;
		case 4:
			tm_no_abort(cpu);
			break;
		}
		assert_int_equal(cr0(cpu), 0);
		assert_int_equal(cpu->texasr, 0x1234);
		assert_false(tm_in_transaction(cpu));
	}
	assert_int_equal(tm_check(cpu, CIA, &field), TM_OK);
	assert_int_equal(field, 8);
	finish(1);
}

static void abort_in_t_rolls_back_to_the_checkpoint(void **state)
{
	u8 cr_before[32];

	start(1, &power8);
	fill_registers(0x11);
	begin(cpu);
	memcpy(cr_before, cpu->cr, sizeof(cr_before));
	write_ok(cpu, MEMORY, 1);
	fill_registers(0xee);
	assert_int_equal(tm_abort(cpu, CIA + 0x20, 0x3d9), TM_FAILED);
	assert_int_equal(cpu->texasr, 0xd900000100000001ull | USER_EXACT);
	assert_int_equal(cpu->tfiar, (CIA + 0x20) | 1);
	tm_handle_failure(cpu);
	assert_int_equal(cpu->pc, CIA + 4);
	assert_int_equal(cr0(cpu), 0xa);
	assert_memory_equal(cpu->cr + 4, cr_before + 4, 28);
	assert_false(tm_in_transaction(cpu));
	assert_true(cpu->msr & MSR_TM);
	assert_int_equal(peek(MEMORY), 0);
	for (int i = 0; i < 32; i++)
		assert_int_equal(cpu->gpr[i], 0x1111111111111111ull);
	for (int i = 0; i < 64; i++)
		assert_true(cpu->vsr[i].dw[0] == 0x1111111111111111ull &&
			    cpu->vsr[i].dw[1] == 0x1111111111111111ull);
	assert_int_equal(cpu->lr, 0x1111111111111111ull);
	assert_int_equal(cpu->ctr, 0x1111111111111111ull);
	assert_int_equal(cpu->tar, 0x1111111111111111ull);
	assert_int_equal(cpu->dscr, 0x1111111111111111ull);
	assert_int_equal(cpu->ppr, 0x1111111111111111ull);
	assert_int_equal(cpu->amr, 0x1111111111111111ull);
	assert_int_equal(cpu->fpscr, 0x11);
	assert_int_equal(cpu->vrsave, 0x11);
	assert_int_equal(cpu_get_vscr(cpu), VSCR_NJ | VSCR_SAT);
	assert_int_equal(cpu_get_xer(cpu), 0xe0000011ull);
	finish(1);
}

static void abort_code_0_leaves_only_the_abort_bit(void **state)
{
	start(1, &power8);
	begin(cpu);
	assert_int_equal(tm_abort(cpu, CIA, 0), TM_FAILED);
	assert_int_equal(cpu->texasr >> 32, 1);
	tm_handle_failure(cpu);
	finish(1);
}

static void registers_changed_in_s_are_rolled_back_too(void **state)
{
	start(1, &power8);
	cpu->tar = 1;
	begin(cpu);
	cpu->tar = 2;
	tm_suspend(cpu, CIA);
	cpu->tar = 3;
	tm_resume(cpu, CIA);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(cpu->tar, 3);
	begin(cpu);
	tm_suspend(cpu, CIA);
	cpu->tar = 4;
	assert_int_equal(tm_resume(cpu, CIA), TM_OK);
	assert_int_equal(tm_abort(cpu, CIA, 2), TM_FAILED);
	tm_handle_failure(cpu);
	assert_int_equal(cpu->tar, 3);
	finish(1);
}

static void suspend_and_resume_tell_the_old_state(void **state)
{
	u8 field;

	start(1, &power8);
	begin(cpu);
	tm_no_abort(cpu);
	assert_int_equal(cr0(cpu), 4);
	assert_int_equal(tm_check(cpu, CIA, &field), TM_OK);
	assert_int_equal(field, 4);
	assert_int_equal(tm_resume(cpu, CIA), TM_OK);
	assert_int_equal(cr0(cpu), 4);
	assert_true(tm_is_transactional(cpu));
	assert_int_equal(tm_suspend(cpu, CIA), TM_OK);
	assert_int_equal(cr0(cpu), 4);
	assert_true(tm_is_suspended(cpu));
	assert_int_equal(tm_suspend(cpu, CIA), TM_OK);
	assert_int_equal(cr0(cpu), 2);
	assert_true(tm_is_suspended(cpu));
	assert_int_equal(tm_check(cpu, CIA, &field), TM_OK);
	assert_int_equal(field, 2);
	/* tbegin. does nothing but say so, tend. is a TM Bad Thing */
	cpu->tfhar = 0x40;
	assert_int_equal(tm_begin(cpu, CIA, false), TM_OK);
	assert_int_equal(cr0(cpu), 2);
	assert_int_equal(cpu->tfhar, 0x40);
	assert_int_equal(cpu->texasr, 1);
	assert_int_equal(end(cpu), TM_BAD_THING);
	assert_true(tm_is_suspended(cpu));
	assert_int_equal(tm_resume(cpu, CIA), TM_OK);
	assert_int_equal(cr0(cpu), 2);
	assert_true(tm_is_transactional(cpu));
	assert_int_equal(end(cpu), TM_OK);
	finish(1);
}

static void abort_in_s_dooms_and_the_first_failure_wins(void **state)
{
	u8 field;

	start(1, &power8);
	cpu->gpr[5] = 1;
	begin(cpu);
	write_ok(cpu, MEMORY, 7);
	tm_suspend(cpu, CIA);
	cpu->gpr[5] = 2;
	assert_int_equal(tm_abort(cpu, CIA + 0x30, 0x42), TM_OK);
	assert_int_equal(cr0(cpu), 2);
	assert_int_equal(cpu->texasr, 0x4200000180000001ull | USER_EXACT);
	assert_true(cpu->tm_doomed);
	tm_check(cpu, CIA, &field);
	assert_int_equal(field, 0xa);
	assert_int_equal(cpu->gpr[5], 2);
	/* dropped: memory is seen again */
	assert_int_equal(read_ok(cpu, MEMORY), 0);
	assert_int_equal(tm_abort(cpu, CIA + 0x34, 0x44), TM_OK);
	assert_int_equal(cpu->texasr >> 56, 0x42);
	assert_int_equal(cpu->tfiar, (CIA + 0x30) | 1);
	assert_int_equal(tm_resume(cpu, CIA), TM_FAILED);
	assert_int_equal(cr0(cpu), 2);
	tm_handle_failure(cpu);
	assert_int_equal(cpu->gpr[5], 1);
	assert_int_equal(cr0(cpu), 0xa);
	finish(1);
}

static void a_doomed_transaction_does_not_commit(void **state)
{
	start(1, &power8);
	begin(cpu);
	write_ok(cpu, MEMORY, 7);
	tm_fail(cpu, TEXASR_IMPLEMENTATION, CIA, TEXASR_PR);
	assert_int_equal(end(cpu), TM_FAILED);
	assert_int_equal(peek(MEMORY), 0);
	tm_handle_failure(cpu);
	finish(1);
}

static void reclaim_records_only_the_first_failure(void **state)
{
	start(1, &power8);
	cpu->pc = CIA + 0x50;
	cpu->gpr[1] = 100;
	begin_rollback_only(cpu);
	cpu->gpr[1] = 200;
	write_ok(cpu, MEMORY, 7);
	assert_true(tm_reclaim(cpu, 0xde));
	assert_int_equal(cpu->texasr, 0xde0000018c000001ull | TEXASR_ROT);
	assert_int_equal(cpu->tfiar, CIA + 0x50);
	assert_false(tm_in_transaction(cpu));
	assert_int_equal(cpu->gpr[1], 200);
	assert_int_equal(cpu->checkpoint.gpr[1], 100);
	assert_int_equal(peek(MEMORY), 0);
	/* with a failure recorded, TEXASR and TFIAR stay */
	begin(cpu);
	tm_suspend(cpu, CIA);
	tm_abort(cpu, CIA, 0x10);
	assert_false(tm_reclaim(cpu, 0xde));
	assert_int_equal(cpu->texasr >> 56, 0x10);
	finish(1);
}

static void recheckpoint_is_doomed_and_fails_when_resumed(void **state)
{
	u8 field;

	start(1, &power8);
	begin(cpu);
	tm_reclaim(cpu, 0xde);
	cpu->checkpoint.gpr[3] = 33;
	cpu->tfhar = 0x4444;
	tm_recheckpoint(cpu, MSR_TS_S);
	tm_check(cpu, CIA, &field);
	assert_int_equal(field, 0xa);
	assert_int_equal(read_ok(cpu, MEMORY), 0);
	write_ok(cpu, MEMORY, 5); /* doomed: an ordinary store */
	assert_int_equal(peek(MEMORY), 5);
	assert_int_equal(tm_resume(cpu, CIA), TM_FAILED);
	tm_handle_failure(cpu);
	assert_int_equal(cpu->pc, 0x4444);
	assert_int_equal(cpu->gpr[3], 33);
	tm_recheckpoint(cpu, MSR_TS_T);
	assert_int_equal(tm_check(cpu, CIA, &field), TM_FAILED);
	assert_int_equal(end(cpu), TM_FAILED);
	tm_handle_failure(cpu);
	finish(1);
}

static void only_tfhar_may_be_written_in_s_and_nothing_in_t(void **state)
{
	start(1, &power8);
	assert_int_equal(tm_spr_writable(cpu, true), TM_OK);
	assert_int_equal(tm_spr_writable(cpu, false), TM_OK);
	begin(cpu);
	assert_int_equal(tm_spr_writable(cpu, true), TM_BAD_THING);
	assert_int_equal(tm_spr_writable(cpu, false), TM_BAD_THING);
	tm_suspend(cpu, CIA);
	assert_int_equal(tm_spr_writable(cpu, true), TM_OK);
	assert_int_equal(tm_spr_writable(cpu, false), TM_BAD_THING);
	tm_reclaim(cpu, 0);
	finish(1);
}

static void a_change_of_state_takes_the_reservation(void **state)
{
	start(1, &power8);
	for (int i = 0; i < 5; i++) {
		begin(cpu);
		if (i == 3)
			tm_suspend(cpu, CIA);
		cpu->reserve_address = MEMORY;
		switch (i) {
		case 0:
			end(cpu);
			break;
		case 1:
			tm_abort(cpu, CIA, 0);
			tm_handle_failure(cpu);
			break;
		case 2:
			tm_suspend(cpu, CIA);
			break;
		case 3:
			tm_resume(cpu, CIA);
			break;
		case 4:
			tm_reclaim(cpu, 0);
			break;
		}
		assert_int_equal(cpu->reserve_address, ~0ull);
		if (tm_in_transaction(cpu))
			tm_reclaim(cpu, 0);
	}
	finish(1);
}

/* --- TEXASR of each cause -----------------------------------------------------------------------
 */

static void handle(u64 texasr)
{
	assert_int_equal(cpu->texasr, texasr | 1);
	tm_handle_failure(cpu);
	assert_int_equal(cpu->texasr, texasr | 1);
}

static void each_cause_has_its_word(void **state)
{
	u64 value;

	start(2, &power8);
	gate_leave(gate, &cpus[1]);
	/* disallowed instruction */
	begin(cpu);
	assert_int_equal(tm_disallowed(cpu, CIA), TM_FAILED);
	handle(0x0180000000000000ull | USER_EXACT);
	/* footprint overflow */
	begin(cpu);
	for (u64 i = 0; i < 64; i++)
		read_ok(cpu, line_at(i));
	assert_int_equal(load(cpu, line_at(64), &value), TM_FAILED);
	handle(0x0120000000000000ull | USER);
	/* self-induced conflict: the store is done */
	begin(cpu);
	read_ok(cpu, MEMORY);
	tm_suspend(cpu, CIA);
	write_ok(cpu, MEMORY + 64, 9);
	assert_int_equal(peek(MEMORY + 64), 9);
	assert_int_equal(tm_resume(cpu, CIA), TM_FAILED);
	handle(0x0110000080000000ull | USER);
	/* a plain store of somebody */
	begin(cpu);
	read_ok(cpu, MEMORY);
	poke(MEMORY + 8, 1);
	assert_int_equal(end(cpu), TM_FAILED);
	handle(0x0008000000000000ull | USER);
	/* a transaction of somebody */
	begin(cpu);
	read_ok(cpu, MEMORY);
	gate_leave(gate, cpu);
	gate_enter(gate, &cpus[1]);
	assert_int_equal(commit_stores(&cpus[1], MEMORY, 77, 0, 0), TM_OK);
	gate_leave(gate, &cpus[1]);
	gate_enter(gate, cpu);
	assert_int_equal(end(cpu), TM_FAILED);
	assert_int_equal(cpu->tm_footprint->conflict_cpu, 1);
	assert_int_equal(cpu->tm_footprint->conflict_line, MEMORY);
	handle(0x0004000000000000ull | USER);
	/* translation */
	begin(cpu);
	read_ok(cpu, MEMORY);
	tm_domain_mapping_changed(domain, MEMORY, 4096);
	assert_int_equal(end(cpu), TM_FAILED);
	handle(0x0002000000000000ull | USER);
	/* an instruction from a line that it has written */
	begin(cpu);
	write_ok(cpu, MEMORY, 1);
	assert_int_equal(tm_fetch(cpu, MEMORY + 128), TM_OK);
	assert_int_equal(tm_fetch(cpu, MEMORY + 64), TM_FAILED);
	handle(0x0000800000000000ull | USER);
	/* somebody does not come to a safepoint */
	gate_enter(gate, &cpus[1]);
	begin(cpu);
	assert_int_equal(end(cpu), TM_FAILED);
	handle(0x0001000000000000ull | USER);
	finish(2);
}

/* --- configurations -----------------------------------------------------------------------------
 */

static void a_synthetic_facility_fails_every_tbegin(void **state)
{
	struct tm_config config = TM_CONFIG_POWER8;

	config.synthetic = true;
	start(1, &config);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tm_begin(cpu, CIA, false), TM_OK);
		assert_int_equal(cr0(cpu), 0xa);
		assert_false(tm_in_transaction(cpu));
		assert_false(cpu->tm_doomed);
		/* bits 7 and 15, as POWER10 has it */
		assert_int_equal(cpu->texasr, 0x0101000000000000ull | USER_EXACT | 1);
		assert_int_equal(cpu->tfhar, CIA + 4);
	}
	finish(1);
}

static void injected_failures_come_at_their_rate(void **state)
{
	struct tm_config config = TM_CONFIG_POWER8;
	int failures = 0;

	config.inject_cause = TEXASR_NON_TM_CONFLICT | TEXASR_PR;
	config.inject_every = 4;
	start(1, &config);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(tm_begin(cpu, CIA, false), TM_OK);
		if (tm_in_transaction(cpu)) {
			assert_int_equal(end(cpu), TM_OK);
			continue;
		}
		failures++;
		assert_int_equal(cr0(cpu), 0xa);
		assert_int_equal(cpu->texasr, 0x0008000000000000ull | USER_EXACT | 1);
	}
	assert_int_equal(failures, 25);
	finish(1);
}

static void without_suspend_mode_suspending_fails(void **state)
{
	struct tm_config config = TM_CONFIG_POWER8;

	config.no_suspend = true;
	start(1, &config);
	begin(cpu);
	assert_int_equal(tm_suspend(cpu, CIA), TM_FAILED);
	assert_int_equal(cpu->texasr, 0x0101000000000000ull | USER_EXACT | 1);
	tm_handle_failure(cpu);
	/* an interrupt suspends, too; but not one that only lets somebody pass */
	begin(cpu);
	cpu->pc = CIA + 8;
	assert_int_equal(tm_interrupt(cpu, true), TM_OK);
	assert_int_equal(tm_interrupt(cpu, false), TM_FAILED);
	tm_handle_failure(cpu);
	begin(cpu);
	cpu->poll = POLL_INTERRUPT;
	assert_int_equal(tm_interrupt(cpu, true), TM_FAILED);
	tm_handle_failure(cpu);
	finish(1);
}

static void leaving_t_kicks_who_waits_for_it(void **state)
{
	start(1, &power8);
	for (int i = 0; i < 3; i++) {
		begin(cpu);
		cpu->tm_kick = POLL_INTERRUPT;
		cpu->poll = 0;
		if (i == 0)
			end(cpu);
		else if (i == 1)
			tm_suspend(cpu, CIA);
		else
			tm_abort(cpu, CIA, 0);
		if (i == 2)
			tm_handle_failure(cpu);
		assert_int_equal(cpu->poll, POLL_INTERRUPT);
		assert_int_equal(cpu->tm_kick, 0);
		if (tm_in_transaction(cpu))
			tm_reclaim(cpu, 0);
	}
	finish(1);
}

/* --- the observer -------------------------------------------------------------------------------
 */

static struct tm_event events[16];
static int n_events;

static void note(void *context, struct cpu *who, const struct tm_event *event)
{
	assert_ptr_equal(who, cpu);
	assert_ptr_equal(context, events);
	if (n_events < 16)
		events[n_events++] = *event;
}

static void the_observer_is_told_everything(void **state)
{
	static const enum tm_event_kind kinds[] = {
		TM_EVENT_BEGIN,	       TM_EVENT_SUSPEND, TM_EVENT_RESUME,
		TM_EVENT_FAIL,	       TM_EVENT_BEGIN,	 TM_EVENT_COMMIT,
		TM_EVENT_RECHECKPOINT, TM_EVENT_FAIL,	 TM_EVENT_RECLAIM};

	start(2, &power8);
	gate_leave(gate, &cpus[1]);
	n_events = 0;
	tm_domain_observe(domain, note, events);
	begin(cpu);
	read_ok(cpu, line_at(3));
	tm_suspend(cpu, CIA + 4);
	tm_resume(cpu, CIA + 8);
	poke(line_at(3), 5);
	assert_int_equal(end(cpu), TM_FAILED);
	tm_handle_failure(cpu);
	begin(cpu);
	assert_int_equal(end(cpu), TM_OK);
	tm_recheckpoint(cpu, MSR_TS_S);
	tm_reclaim(cpu, 0xde);
	assert_int_equal(n_events, sizeof(kinds) / sizeof(kinds[0]));
	for (int i = 0; i < n_events; i++) {
		assert_int_equal(events[i].kind, kinds[i]);
		assert_int_equal(events[i].tbegin, CIA);
	}
	assert_int_equal(events[3].pc, CIA + 16);
	assert_int_equal(events[3].line, line_at(3));
	assert_int_equal(events[3].other, -1);
	assert_int_equal(events[3].lines, 1);
	assert_true(events[3].texasr & TEXASR_NON_TM_CONFLICT);
	assert_int_equal(events[5].kind, TM_EVENT_COMMIT);
	finish(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outermost_begin_starts_level_1),
		cmocka_unit_test(nesting_counts_and_only_the_outermost_end_commits),
		cmocka_unit_test(too_deep_nesting_fails_persistently),
		cmocka_unit_test(outside_a_transaction_nothing_but_cr0_changes),
		cmocka_unit_test(abort_in_t_rolls_back_to_the_checkpoint),
		cmocka_unit_test(abort_code_0_leaves_only_the_abort_bit),
		cmocka_unit_test(registers_changed_in_s_are_rolled_back_too),
		cmocka_unit_test(suspend_and_resume_tell_the_old_state),
		cmocka_unit_test(abort_in_s_dooms_and_the_first_failure_wins),
		cmocka_unit_test(a_doomed_transaction_does_not_commit),
		cmocka_unit_test(reclaim_records_only_the_first_failure),
		cmocka_unit_test(recheckpoint_is_doomed_and_fails_when_resumed),
		cmocka_unit_test(only_tfhar_may_be_written_in_s_and_nothing_in_t),
		cmocka_unit_test(a_change_of_state_takes_the_reservation),
		cmocka_unit_test(each_cause_has_its_word),
		cmocka_unit_test(a_synthetic_facility_fails_every_tbegin),
		cmocka_unit_test(injected_failures_come_at_their_rate),
		cmocka_unit_test(without_suspend_mode_suspending_fails),
		cmocka_unit_test(leaving_t_kicks_who_waits_for_it),
		cmocka_unit_test(the_observer_is_told_everything),
	};

	cmocka_set_test_filter(getenv("TEST_FILTER"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
