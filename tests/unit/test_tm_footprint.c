// SPDX-License-Identifier: MIT
/*
 * The footprint and the accesses that go through it: what is private, what conflicts, what a commit
 * writes. One thread in a fixed order; where somebody else commits, the CPU under test is OUT.
 */
#include "tm_machine.h"

static const struct tm_config power8 = TM_CONFIG_POWER8;

static struct cpu *const cpu = &cpus[0], *const other = &cpus[1];

/* Two CPUs, the other one OUT: plain stores of it are poke(). */
static void start_two(void)
{
	start(2, &power8);
	gate_leave(gate, other);
}

static u64 cause(void)
{
	return cpu->texasr >> 47 << 47;
}

static void expect_failure(enum tm_outcome outcome, u64 expected)
{
	assert_int_equal(outcome, TM_FAILED);
	assert_int_equal(cause(), expected);
	tm_handle_failure(cpu);
}

/* --- capacity, growth, lookup --------------------------------------------------------------------
 */

static void power8_holds_64_lines(void **state)
{
	u64 value;

	start(1, &power8);
	begin(cpu);
	for (u64 i = 0; i < 64; i++)
		if (i % 2)
			read_ok(cpu, line_at(3 * i));
		else
			write_ok(cpu, line_at(3 * i), i + 1);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(peek(line_at(3 * 62)), 63);
	begin(cpu);
	for (u64 i = 0; i < 64; i++)
		read_ok(cpu, line_at(i));
	read_ok(cpu, line_at(63) + 120);
	expect_failure(load(cpu, line_at(64), &value),
		       TEXASR_FOOTPRINT_OVERFLOW | TEXASR_PERSISTENT);
	finish(1);
}

static void an_unlimited_footprint_grows(void **state)
{
	struct tm_config config = TM_CONFIG_POWER8;
	const u64 n = MEMORY_SIZE / TM_LINE;

	config.lines = 0;
	start(1, &config);
	for (u64 round = 0; round < 3; round++) {
		begin(cpu);
		for (u64 i = 0; i < n; i++)
			write_ok(cpu, line_at(i * 7 % n) + 8 * (i % 16), i + round);
		for (u64 i = 0; i < n; i++)
			assert_int_equal(read_ok(cpu, line_at(i * 7 % n) + 8 * (i % 16)),
					 i + round);
		assert_int_equal(cpu->tm_footprint->count, n);
		if (round == 1)
			expect_failure(tm_abort(cpu, CIA, 0), 0);
		else
			assert_int_equal(end(cpu), TM_OK);
		for (u64 i = 0; i < n; i++)
			assert_int_equal(peek(line_at(i * 7 % n) + 8 * (i % 16)),
					 i + (round == 2 ? 2 : 0));
	}
	finish(1);
}

/* Epoch numbers come round after some minutes; a line of long ago must not be found. */
static void epochs_come_round(void **state)
{
	start(1, &power8);
	/* one drop where a transaction begins, another where it ends: 0 falls on either */
	for (u32 left = 1; left <= 4; left++) {
		struct tm_footprint *fp;

		begin(cpu);
		fp = cpu->tm_footprint;
		fp->epoch = 0;
		footprint_renew_epochs(fp);
		write_ok(cpu, line_at(1), 111);
		assert_int_equal(fp->epoch, 1);
		expect_failure(tm_abort(cpu, CIA, 0), 0);
		fp->epoch = ~0u - left;
		for (int i = 0; i < 4; i++) {
			begin(cpu);
			assert_int_not_equal(fp->epoch, 0);
			assert_null(footprint_find(fp, line_at(1)));
			assert_int_equal(read_ok(cpu, line_at(1)), 0);
			assert_int_equal(end(cpu), TM_OK);
		}
	}
	finish(1);
}

/* --- what a commit writes -----------------------------------------------------------------------
 */

static void accesses_of_all_sizes_are_private_until_commit(void **state)
{
	static const u32 sizes[] = {1, 2, 4, 8, 16};
	u8 before[512], expected[512], value[16];

	start(1, &power8);
	for (u32 s = 0; s < 5; s++)
		for (u32 offset = 96; offset < 160; offset++) {
			u32 size = sizes[s];

			for (int i = 0; i < 512; i++)
				before[i] = expected[i] = (u8)(i + s);
			memcpy((void *)MEMORY, before, 512);
			for (u32 i = 0; i < size; i++)
				expected[offset + i] = (u8)(0xa0 + i);
			begin(cpu);
			assert_int_equal(
				tm_store(cpu, CIA, MEMORY + offset, expected + offset, size),
				TM_OK);
			assert_int_equal(tm_load(cpu, CIA, MEMORY + offset, value, size), TM_OK);
			assert_memory_equal(value, expected + offset, size);
			assert_memory_equal((void *)MEMORY, before, 512);
			assert_int_equal(end(cpu), TM_OK);
			assert_memory_equal((void *)MEMORY, expected, 512);
		}
	finish(1);
}

/* Processes that share memory, and the host's futexes, are not stopped by a commit. */
static u32 watched;

static void watch_word(enum tm_test_point point, struct cpu *who)
{
	if (point == TM_POINT_WRITTEN)
		watched = *(u32 *)MEMORY;
}

static void only_written_bytes_are_written(void **state)
{
	u32 word = 0x11223344;
	u16 half = 0x5566;

	start(2, &power8);
	gate_leave(gate, other);
	begin(cpu);
	assert_int_equal(tm_store(cpu, CIA, MEMORY, &word, 4), TM_OK);
	assert_int_equal(tm_store(cpu, CIA, MEMORY + 6, &half, 2), TM_OK);
	assert_int_equal(tm_store(cpu, CIA, MEMORY + 9, &half, 1), TM_OK);
	set_point(watch_word);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(watched, 0x11223344);
	assert_int_equal(peek(MEMORY), 0x5566000011223344ull);
	assert_int_equal(peek(MEMORY + 8), 0x6600);
	finish(2);
}

static void a_line_changed_elsewhere_is_a_conflict_even_in_bytes_not_touched(void **state)
{
	start_two();
	begin(cpu);
	write_ok(cpu, MEMORY, 1);
	poke(MEMORY + 120, 9);
	expect_failure(end(cpu), TEXASR_NON_TM_CONFLICT);
	assert_int_equal(peek(MEMORY), 0);
	assert_int_equal(peek(MEMORY + 120), 9);
	finish(2);
}

/* Two transactions with different bytes of a word, the first storing what was there: both survive.
 */
static void commits_of_other_bytes_of_a_line_survive(void **state)
{
	u8 same = 0, mine = 7;

	start_two();
	begin(cpu);
	assert_int_equal(tm_store(cpu, CIA, MEMORY + 1, &mine, 1), TM_OK);
	gate_leave(gate, cpu);
	gate_enter(gate, other);
	begin(other);
	assert_int_equal(tm_store(other, CIA, MEMORY, &same, 1), TM_OK);
	assert_int_equal(end(other), TM_OK);
	gate_leave(gate, other);
	gate_enter(gate, cpu);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(peek(MEMORY), 0x700);
	finish(2);
}

/* --- faults --------------------------------------------------------------------------------------
 */

static void a_store_that_faults_leaves_nothing_behind(void **state)
{
	u8 value[16] = {1, 2, 3};
	u64 page = MEMORY + 0x10000;

	start(1, &power8);
	mprotect((void *)page, 4096, PROT_READ);
	mprotect((void *)(page + 4096), 4096, PROT_NONE);
	begin(cpu);
	assert_int_equal(tm_load(cpu, CIA, page, value, 8), TM_OK);
	assert_int_equal(tm_store(cpu, CIA, page, value, 8), TM_FAULT);
	assert_int_equal(tm_load(cpu, CIA, page + 4096, value, 8), TM_FAULT);
	/* across lines: the first may be written, the second not */
	assert_int_equal(tm_store(cpu, CIA, page - 3, value, 8), TM_FAULT);
	assert_int_equal(tm_load(cpu, CIA, page + 4090, value, 8), TM_FAULT);
	assert_int_equal(read_ok(cpu, page - 8), 0);
	assert_true(tm_is_transactional(cpu));
	assert_int_equal(cpu->tm_footprint->dirty, 0);
	/* repeated after the page has become writable */
	mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
	assert_int_equal(store(cpu, page - 3, 0x0102030405060708ull), TM_OK);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(peek(page - 3), 0x0102030405060708ull);
	finish(1);
}

/* A page loses its permission between the comparison and the write: all or nothing. */
static int writes_seen;

static void protect_the_second(enum tm_test_point point, struct cpu *who)
{
	if (point == TM_POINT_COMPARED)
		mprotect((void *)(MEMORY + 0x3000), 4096, PROT_READ);
	writes_seen += point == TM_POINT_WRITTEN;
}

static void a_commit_that_faults_half_way_is_undone(void **state)
{
	start_two();
	poke(MEMORY, 10);
	poke(MEMORY + 0x3000, 11);
	begin(cpu);
	write_ok(cpu, MEMORY, 20);
	write_ok(cpu, MEMORY + 0x3000, 21);
	writes_seen = 0;
	set_point(protect_the_second);
	expect_failure(end(cpu), TEXASR_TRANSLATION_CONFLICT);
	set_point(NULL);
	assert_int_equal(writes_seen, 1);
	assert_int_equal(peek(MEMORY), 10);
	assert_int_equal(peek(MEMORY + 0x3000), 11);
	/* and nobody is stopped any more */
	gate_enter(gate, other);
	gate_leave(gate, other);
	finish(2);
}

static void a_line_that_goes_away_is_a_translation_conflict(void **state)
{
	u64 value;

	start_two();
	begin(cpu);
	read_ok(cpu, MEMORY + 0x3000);
	mprotect((void *)(MEMORY + 0x3000), 4096, PROT_NONE);
	expect_failure(load(cpu, MEMORY, &value), TEXASR_TRANSLATION_CONFLICT);
	finish(2);
}

/* --- mappings ------------------------------------------------------------------------------------
 */

static void a_change_of_mapping_fails_who_has_lines_there(void **state)
{
	u8 field;

	start_two();
	begin(cpu);
	read_ok(cpu, MEMORY + 0x1000);
	tm_domain_mapping_changed(domain, MEMORY, 0x1000);
	tm_domain_mapping_changed(domain, MEMORY + 0x1080, 0x1000);
	assert_int_equal(tm_check(cpu, CIA, &field), TM_OK);
	assert_int_equal(end(cpu), TM_OK);
	/* the last byte of the range is in the line */
	begin(cpu);
	read_ok(cpu, MEMORY + 0x1000);
	tm_domain_mapping_changed(domain, MEMORY, 0x1001);
	expect_failure(tm_check(cpu, CIA, &field), TEXASR_TRANSLATION_CONFLICT);
	/* in S it is only doomed */
	begin(cpu);
	read_ok(cpu, MEMORY + 0x1000);
	tm_suspend(cpu, CIA);
	tm_domain_mapping_changed(domain, MEMORY + 0x107f, 1);
	assert_int_equal(tm_check(cpu, CIA, &field), TM_OK);
	assert_int_equal(field, 0xa);
	expect_failure(tm_resume(cpu, CIA), TEXASR_TRANSLATION_CONFLICT);
	/* more changes than are remembered */
	begin(cpu);
	read_ok(cpu, MEMORY);
	for (int i = 0; i < MAPPING_LOG + 1; i++)
		tm_domain_mapping_changed(domain, MEMORY + 0x8000, 0x1000);
	expect_failure(end(cpu), TEXASR_TRANSLATION_CONFLICT);
	finish(2);
}

/* The log goes round while it is read (changes do not stop anybody, R4). */
static int changes_left;

static void change_while_read(enum tm_test_point point, struct cpu *who)
{
	if (point != TM_POINT_MAPPING_READ || !changes_left)
		return;
	/* the first entry to be read is overwritten by the last of these */
	while (changes_left--)
		tm_domain_mapping_changed(domain, MEMORY + 0x8000, 0x1000);
	changes_left = 0;
}

static void the_mapping_log_may_go_round_while_it_is_read(void **state)
{
	start_two();
	begin(cpu);
	read_ok(cpu, MEMORY);
	tm_domain_mapping_changed(domain, MEMORY + 0x8000, 0x1000);
	tm_domain_mapping_changed(domain, MEMORY, 0x1000); /* this one would be lost */
	changes_left = MAPPING_LOG;
	set_point(change_while_read);
	expect_failure(tm_poll(cpu, CIA), TEXASR_TRANSLATION_CONFLICT);
	finish(2);
}

static bool is_aliased(void *context, u64 address)
{
	return address == line_at(5);
}

static void memory_with_two_addresses_is_not_for_transactions(void **state)
{
	u64 value;

	start_two();
	tm_domain_ask_aliases(domain, is_aliased, NULL);
	begin(cpu);
	read_ok(cpu, line_at(4));
	expect_failure(load(cpu, line_at(5), &value), TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT);
	finish(2);
}

/* --- pages that are protected for a while: decoded code in them ---------------------------------
 */

static struct {
	int first, asked, opened;
	bool opens;
} page;

static void first_one(void *context)
{
	page.first++;
}

static bool may_write(void *context, u64 address)
{
	page.asked++;
	return address / 4096 == MEMORY / 4096;
}

static bool make_writable(void *context, u64 address)
{
	page.opened++;
	if (page.opens)
		mprotect((void *)(address & -4096), 4096, PROT_READ | PROT_WRITE);
	return page.opens;
}

static void start_with_protected_page(bool opens)
{
	const struct tm_memory memory = {
		.first_transaction = first_one,
		.may_write = may_write,
		.make_writable = make_writable,
	};

	start_two();
	memset(&page, 0, sizeof(page));
	page.opens = opens;
	tm_domain_set_memory(domain, &memory);
	assert_false(tm_domain_in_use(domain));
	poke(MEMORY, 10);
	poke(MEMORY + 0x1000, 11);
	mprotect((void *)MEMORY, 4096, PROT_READ);
}

static void a_commit_opens_a_page_that_was_closed_for_its_code(void **state)
{
	start_with_protected_page(true);
	begin(cpu);
	write_ok(cpu, MEMORY + 0x1000, 21);
	write_ok(cpu, MEMORY, 20);
	write_ok(cpu, MEMORY + 8, 22);
	assert_int_equal(page.asked, 1);
	assert_int_equal(page.opened, 0);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(page.opened, 1);
	assert_int_equal(peek(MEMORY), 20);
	assert_int_equal(peek(MEMORY + 8), 22);
	assert_int_equal(peek(MEMORY + 0x1000), 21);
	/* told once that there are transactions */
	begin(cpu);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(page.first, 1);
	assert_true(tm_domain_in_use(domain));
	finish(2);
}

static void a_commit_that_cannot_open_a_page_writes_nothing(void **state)
{
	start_with_protected_page(false);
	begin(cpu);
	write_ok(cpu, MEMORY + 0x1000, 21);
	write_ok(cpu, MEMORY, 20);
	expect_failure(end(cpu), TEXASR_TRANSLATION_CONFLICT);
	assert_int_equal(peek(MEMORY), 10);
	assert_int_equal(peek(MEMORY + 0x1000), 11);
	finish(2);
}

/* --- transfers of the host -----------------------------------------------------------------------
 */

static enum tm_outcome store_and_end(u64 address)
{
	begin(cpu);
	write_ok(cpu, address, peek(address) + 1);
	return end(cpu);
}

static void a_commit_and_a_transfer_exclude_each_other(void **state)
{
	start_two();
	/* bytes that change conflict, others of the line do not */
	tm_io_begin(other, MEMORY + 0x1000, 0);
	tm_io_begin(other, MEMORY + 8, 8);
	expect_failure(store_and_end(MEMORY + 8), TEXASR_NON_TM_CONFLICT);
	assert_int_equal(store_and_end(MEMORY + 16), TM_OK);
	assert_int_equal(store_and_end(MEMORY + 0x1000), TM_OK);
	begin(cpu);
	read_ok(cpu, MEMORY + 8);
	assert_int_equal(end(cpu), TM_OK);
	/* across lines */
	tm_io_begin(other, line_at(5) + 120, 136);
	expect_failure(store_and_end(line_at(5) + 120), TEXASR_NON_TM_CONFLICT);
	expect_failure(store_and_end(line_at(6)), TEXASR_NON_TM_CONFLICT);
	expect_failure(store_and_end(line_at(6) + 120), TEXASR_NON_TM_CONFLICT);
	assert_int_equal(store_and_end(line_at(5) + 112), TM_OK);
	assert_int_equal(store_and_end(line_at(7)), TM_OK);
	tm_io_end(other);
	assert_int_equal(store_and_end(MEMORY + 8), TM_OK);
	/* more buffers than there is room for: none is forgotten */
	for (u64 i = 0; i < CPU_IO_MAX + 3; i++)
		tm_io_begin(other, line_at(2 * i), 8);
	for (u64 i = 0; i < CPU_IO_MAX + 3; i++)
		expect_failure(store_and_end(line_at(2 * i)), TEXASR_NON_TM_CONFLICT);
	tm_io_end(other);
	assert_int_equal(store_and_end(MEMORY), TM_OK);
	finish(2);
}

/* --- rollback-only -------------------------------------------------------------------------------
 */

static void a_rollback_only_transaction_does_not_track_loads(void **state)
{
	start_two();
	begin_rollback_only(cpu);
	assert_int_equal(read_ok(cpu, MEMORY), 0);
	poke(MEMORY, 5);
	/* memory afresh */
	assert_int_equal(read_ok(cpu, MEMORY), 5);
	assert_int_equal(cpu->tm_footprint->count, 0);
	write_ok(cpu, line_at(1), 9);
	poke(MEMORY, 6);
	assert_int_equal(read_ok(cpu, line_at(1)), 9);
	assert_int_equal(peek(line_at(1)), 0);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(peek(line_at(1)), 9);
	/* the line of a store is tracked; other bytes of it are read from memory */
	begin_rollback_only(cpu);
	write_ok(cpu, line_at(2), 1);
	poke(line_at(2) + 8, 7);
	assert_int_equal(read_ok(cpu, line_at(2) + 8), 7);
	assert_int_equal(read_ok(cpu, line_at(2)), 1);
	assert_int_equal(read_ok(cpu, line_at(2) + 4), 7ull << 32);
	expect_failure(end(cpu), TEXASR_NON_TM_CONFLICT);
	assert_int_equal(peek(line_at(2)), 0);
	finish(2);
}

static void a_normal_transaction_inside_a_rollback_only_one_tracks_loads(void **state)
{
	start_two();
	begin_rollback_only(cpu);
	begin(cpu);
	assert_int_equal(cpu->texasr, 2);
	read_ok(cpu, MEMORY);
	poke(MEMORY, 5);
	end(cpu);
	expect_failure(end(cpu), TEXASR_NON_TM_CONFLICT);
	/* and the other way round it stays normal */
	begin(cpu);
	begin_rollback_only(cpu);
	assert_int_equal(cpu->texasr, 2);
	read_ok(cpu, MEMORY);
	poke(MEMORY, 6);
	end(cpu);
	expect_failure(end(cpu), TEXASR_NON_TM_CONFLICT);
	finish(2);
}

static void in_a_rollback_only_transaction_only_stores_harm_oneself(void **state)
{
	start_two();
	begin_rollback_only(cpu);
	read_ok(cpu, MEMORY);
	write_ok(cpu, line_at(1), 1);
	tm_suspend(cpu, CIA);
	write_ok(cpu, MEMORY, 3);
	assert_int_equal(tm_resume(cpu, CIA), TM_OK);
	tm_suspend(cpu, CIA);
	write_ok(cpu, line_at(1) + 8, 3);
	expect_failure(tm_resume(cpu, CIA), TEXASR_SELF_CONFLICT | TEXASR_PERSISTENT);
	assert_int_equal(peek(line_at(1) + 8), 3);
	assert_int_equal(peek(line_at(1)), 0);
	finish(2);
}

/* --- suspended
 * ------------------------------------------------------------------------------------ */

static void suspended_loads_see_memory_but_for_own_stores(void **state)
{
	u8 buffer[16] = {0};

	start_two();
	begin(cpu);
	read_ok(cpu, MEMORY);
	write_ok(cpu, line_at(1), 0x0101010101010101ull);
	tm_suspend(cpu, CIA);
	poke(MEMORY, 8);
	assert_int_equal(read_ok(cpu, MEMORY), 8);
	assert_int_equal(read_ok(cpu, line_at(1)), 0x0101010101010101ull);
	/* bytes that it has not written are memory's, in one access with others */
	assert_int_equal(read_ok(cpu, line_at(1) + 4), 0x01010101);
	assert_true(tm_overlaps_written(cpu, line_at(1) + 127, 1));
	assert_false(tm_overlaps_written(cpu, line_at(2), 100));
	tm_overlay(cpu, line_at(1) + 4, buffer, 16);
	assert_int_equal(buffer[3], 1);
	assert_int_equal(buffer[4], 0);
	/* not tracked: no line is added */
	read_ok(cpu, line_at(7));
	assert_int_equal(cpu->tm_footprint->count, 2);
	expect_failure(tm_poll(cpu, CIA) == TM_OK ? tm_resume(cpu, CIA) : TM_OK,
		       TEXASR_NON_TM_CONFLICT);
	finish(2);
}

/* A loop that waits in S for somebody's store to a line written in T would never end otherwise. */
static void a_suspended_load_of_an_own_line_that_changed_dooms(void **state)
{
	start_two();
	begin(cpu);
	write_ok(cpu, MEMORY, 1);
	tm_suspend(cpu, CIA);
	poke(MEMORY, 2);
	assert_int_equal(read_ok(cpu, MEMORY), 2);
	assert_true(cpu->tm_doomed);
	assert_true(cpu->texasr & TEXASR_SUSPENDED);
	expect_failure(tm_resume(cpu, CIA), TEXASR_NON_TM_CONFLICT);
	finish(2);
}

static void suspended_stores_stay_whatever_becomes_of_the_transaction(void **state)
{
	start_two();
	for (int i = 0; i < 2; i++) {
		begin(cpu);
		write_ok(cpu, line_at(1), 1);
		tm_suspend(cpu, CIA);
		write_ok(cpu, line_at(2) + 124, 40);
		assert_int_equal(peek(line_at(2) + 124), 40);
		assert_int_equal(tm_resume(cpu, CIA), TM_OK);
		if (i)
			expect_failure(tm_abort(cpu, CIA, 0), 0);
		else
			assert_int_equal(end(cpu), TM_OK);
		assert_int_equal(peek(line_at(2) + 124), 40);
		poke(line_at(2) + 124, 0);
	}
	finish(2);
}

static void stores_of_the_kernel_into_the_footprint_doom(void **state)
{
	start_two();
	for (int i = 0; i < 4; i++) {
		static const struct {
			u64 offset, length;
		} hits[] = {{127, 1}, {0x100, 0x1000}, {127, 2}, {100, 1000}};

		begin(cpu);
		read_ok(cpu, line_at(3));
		tm_conflict_by_store(cpu, CIA, MEMORY, 0x180);
		tm_conflict_by_store(cpu, CIA, line_at(4), 0x180);
		tm_conflict_by_store(cpu, CIA, line_at(3), 0);
		assert_false(cpu->tm_doomed);
		tm_suspend(cpu, CIA);
		tm_conflict_by_store(cpu, CIA, line_at(3) + hits[i].offset - (i == 1 ? 0x200 : 0),
				     hits[i].length);
		assert_int_equal(cpu->tm_footprint->conflict_line, line_at(3));
		expect_failure(tm_resume(cpu, CIA), TEXASR_SELF_CONFLICT | TEXASR_PERSISTENT);
	}
	finish(2);
}

static void cache_instructions_in_s_conflict_with_own_lines(void **state)
{
	start_two();
	for (int written = 0; written < 2; written++)
		for (int modify = 0; modify < 2; modify++) {
			begin(cpu);
			if (written)
				write_ok(cpu, MEMORY, 1);
			else
				read_ok(cpu, MEMORY);
			tm_touch_block(cpu, CIA, MEMORY, true); /* not in T: nothing */
			tm_suspend(cpu, CIA);
			tm_touch_block(cpu, CIA, MEMORY + 128, true);
			assert_false(cpu->tm_doomed);
			tm_touch_block(cpu, CIA, MEMORY + 60, modify);
			assert_int_equal(cpu->tm_doomed, written || modify);
			tm_reclaim(cpu, 0);
		}
	finish(2);
}

/* --- compare and swap, reservations
 * --------------------------------------------------------------- */

static void a_store_conditional_is_private_in_t_and_plain_in_s(void **state)
{
	u64 zero = 0, one = 1, two = 2;
	bool done;

	start_two();
	begin(cpu);
	assert_int_equal(tm_cmpxchg(cpu, CIA, MEMORY, &one, &two, 8, &done), TM_OK);
	assert_false(done);
	assert_int_equal(tm_cmpxchg(cpu, CIA, MEMORY, &zero, &one, 8, &done), TM_OK);
	assert_true(done);
	assert_int_equal(peek(MEMORY), 0);
	tm_suspend(cpu, CIA);
	assert_int_equal(tm_cmpxchg(cpu, CIA, line_at(1), &zero, &two, 8, &done), TM_OK);
	assert_true(done);
	assert_int_equal(peek(line_at(1)), 2);
	tm_resume(cpu, CIA);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(peek(MEMORY), 1);
	finish(2);
}

static void a_commit_takes_the_reservations_of_its_written_lines(void **state)
{
	start_two();
	other->reserve_address = MEMORY + 64;
	begin(cpu);
	read_ok(cpu, MEMORY);
	write_ok(cpu, line_at(1), 1);
	assert_int_equal(end(cpu), TM_OK);
	assert_int_equal(other->reserve_address, MEMORY + 64);
	/* A-B-A by commits does not go unseen, although a store conditional compares values */
	for (u64 value = 1; value < 3; value++) {
		begin(cpu);
		write_ok(cpu, MEMORY, value & 1);
		assert_int_equal(end(cpu), TM_OK);
	}
	assert_int_equal(peek(MEMORY), 0);
	assert_int_equal(other->reserve_address, ~0ull);
	finish(2);
}

/* --- comparisons while it runs
 * --------------------------------------------------------------------- */

/* Amendment 7: T{while (x == 0);} ends when somebody stores x. Alone, too: memory may be shared. */
static void a_transaction_that_waits_for_a_store_notices_it(void **state)
{
	for (int n = 1; n <= 2; n++) {
		u8 field;

		start(n, &power8);
		begin(cpu);
		read_ok(cpu, MEMORY);
		assert_int_equal(tm_poll(cpu, CIA), TM_OK);
		poke(MEMORY, 1);
		assert_int_equal(read_ok(cpu, MEMORY), 0);
		expect_failure(tm_poll(cpu, CIA), TEXASR_NON_TM_CONFLICT);
		poke(MEMORY, 0);
		begin(cpu);
		read_ok(cpu, MEMORY);
		poke(MEMORY, 1);
		expect_failure(tm_check(cpu, CIA, &field), TEXASR_NON_TM_CONFLICT);
		finish(n);
	}
}

static void a_miss_compares_all_lines(void **state)
{
	u64 value;

	start_two();
	begin(cpu);
	read_ok(cpu, line_at(0));
	read_ok(cpu, line_at(1));
	poke(line_at(0), 1);
	poke(line_at(2), 1);
	expect_failure(load(cpu, line_at(2), &value), TEXASR_NON_TM_CONFLICT);
	finish(2);
}

/* The last other CPU stores, and leaves the gate for good. */
static void what_a_cpu_did_that_is_gone_is_still_seen(void **state)
{
	u64 value;

	start_two();
	begin(cpu);
	read_ok(cpu, line_at(0));
	poke(line_at(0), 1);
	poke(line_at(1), 1);
	gate_detach(gate, other);
	assert_true(gate_is_solo(gate));
	expect_failure(load(cpu, line_at(1), &value), TEXASR_NON_TM_CONFLICT);
	assert_int_equal(gate_attach(gate, other), 0);
	finish(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power8_holds_64_lines),
		cmocka_unit_test(an_unlimited_footprint_grows),
		cmocka_unit_test(epochs_come_round),
		cmocka_unit_test(accesses_of_all_sizes_are_private_until_commit),
		cmocka_unit_test(only_written_bytes_are_written),
		cmocka_unit_test(a_line_changed_elsewhere_is_a_conflict_even_in_bytes_not_touched),
		cmocka_unit_test(commits_of_other_bytes_of_a_line_survive),
		cmocka_unit_test(a_store_that_faults_leaves_nothing_behind),
		cmocka_unit_test(a_commit_that_faults_half_way_is_undone),
		cmocka_unit_test(a_line_that_goes_away_is_a_translation_conflict),
		cmocka_unit_test(a_change_of_mapping_fails_who_has_lines_there),
		cmocka_unit_test(the_mapping_log_may_go_round_while_it_is_read),
		cmocka_unit_test(memory_with_two_addresses_is_not_for_transactions),
		cmocka_unit_test(a_commit_opens_a_page_that_was_closed_for_its_code),
		cmocka_unit_test(a_commit_that_cannot_open_a_page_writes_nothing),
		cmocka_unit_test(a_commit_and_a_transfer_exclude_each_other),
		cmocka_unit_test(a_rollback_only_transaction_does_not_track_loads),
		cmocka_unit_test(a_normal_transaction_inside_a_rollback_only_one_tracks_loads),
		cmocka_unit_test(in_a_rollback_only_transaction_only_stores_harm_oneself),
		cmocka_unit_test(suspended_loads_see_memory_but_for_own_stores),
		cmocka_unit_test(a_suspended_load_of_an_own_line_that_changed_dooms),
		cmocka_unit_test(suspended_stores_stay_whatever_becomes_of_the_transaction),
		cmocka_unit_test(stores_of_the_kernel_into_the_footprint_doom),
		cmocka_unit_test(cache_instructions_in_s_conflict_with_own_lines),
		cmocka_unit_test(a_store_conditional_is_private_in_t_and_plain_in_s),
		cmocka_unit_test(a_commit_takes_the_reservations_of_its_written_lines),
		cmocka_unit_test(a_transaction_that_waits_for_a_store_notices_it),
		cmocka_unit_test(a_miss_compares_all_lines),
		cmocka_unit_test(what_a_cpu_did_that_is_gone_is_still_seen),
	};

	cmocka_set_test_filter(getenv("TEST_FILTER"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
