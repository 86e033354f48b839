// SPDX-License-Identifier: MIT
/*
 * Causes of failed transactions in words: all bits of TEXASR (Power ISA 2.07B Book II 5.3.1) and
 * all failure codes of asm/tm.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "arch/msr.h"
#include "linux/tm_cause.h"

/* A bit by its number in the ISA. */
#define BIT(n) (1ull << (63 - (n)))
#define FAILED (TEXASR_FS | TEXASR_PR | TEXASR_EXACT)

static void says(u64 texasr, const char *words)
{
	char buffer[TM_TEXASR_WORDS_MAX];

	assert_string_equal(tm_texasr_words(texasr, buffer), words);
}

static void every_cause_bit_of_the_isa_has_its_name(void **state)
{
	says(BIT(8) | FAILED, "disallowed, transient");
	says(BIT(9) | FAILED, "nesting, transient");
	says(BIT(10) | FAILED, "footprint, transient");
	says(BIT(11) | FAILED, "self, transient");
	says(BIT(12) | FAILED, "conflict, transient");
	says(BIT(13) | FAILED, "tm-conflict, transient");
	says(BIT(14) | FAILED, "translation, transient");
	says(BIT(15) | FAILED, "implementation, transient");
	says(BIT(16) | FAILED, "fetch, transient");
	says(BIT(7) | BIT(8) | FAILED, "disallowed, persistent");
}

static void codes_of_the_kernel_are_told_by_its_privilege(void **state)
{
	static const struct {
		u8 code;
		const char *words;
	} cases[] = {
		{0xd1, "emulation 0xd1, persistent, by the kernel"},
		{0xd3, "alignment 0xd3, persistent, by the kernel"},
		{0xd4, "signal 0xd4, transient, by the kernel"},
		{0xd6, "kernel 0xd6, transient, by the kernel"},
		{0xd9, "syscall 0xd9, persistent, by the kernel"},
		{0xda, "facility 0xda, transient, by the kernel"},
		{0xdc, "tlbi 0xdc, transient, by the kernel"},
		{0xde, "reschedule 0xde, transient, by the kernel"},
		{0x00, "kernel 0x00, transient, by the kernel"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		says((u64)cases[i].code << 56 | BIT(31) | TEXASR_FS | TEXASR_EXACT, cases[i].words);
	/* The same code from the program is only a tabort. */
	says(0xd9ull << 56 | BIT(31) | FAILED, "abort 0xd9, persistent");
	says(0x42ull << 56 | BIT(31) | FAILED, "abort 0x42, transient");
}

static void what_is_unusual_comes_last(void **state)
{
	says(BIT(13) | BIT(32) | FAILED, "tm-conflict, transient, suspended");
	says(BIT(13) | BIT(34) | BIT(36) | BIT(37), "tm-conflict, transient, in the hypervisor");
	says(BIT(13) | BIT(34) | BIT(35) | BIT(36) | BIT(37),
	     "tm-conflict, transient, privilege reserved");
	says(BIT(12) | TEXASR_FS | TEXASR_PR, "conflict, transient, TFIAR inexact");
	says(BIT(12) | FAILED | BIT(38) | 3, "conflict, transient, rollback-only, nesting 3");
	says(BIT(12) | FAILED | 0xfff, "conflict, transient, nesting 4095");
	says(BIT(10) | BIT(13) | FAILED, "footprint, transient, tm-conflict");
	says(BIT(12) | FAILED | 0x10ull << 56, "conflict, code 0x10, transient");
	says(0, "no failure");
	says(BIT(38) | 2, "no failure, rollback-only, nesting 2");
}

static void no_bit_is_kept_quiet_about(void **state)
{
	char with[TM_TEXASR_WORDS_MAX], without[TM_TEXASR_WORDS_MAX];
	const u64 base = BIT(12) | TEXASR_FS | TEXASR_PR;

	for (int bit = 0; bit < 64; bit++) {
		if (base & BIT(bit) || bit == 63) /* nesting 1 is not worth a word */
			continue;
		tm_texasr_words(base, without);
		tm_texasr_words(base | BIT(bit), with);
		assert_string_not_equal(with, without);
	}
	says(BIT(33) | BIT(40) | BIT(12) | FAILED, "conflict, transient, reserved 0x40800000");
}

static void all_bits_together_fit(void **state)
{
	char buffer[TM_TEXASR_WORDS_MAX];

	assert_non_null(strstr(tm_texasr_words(~0ull, buffer), "nesting 4095, reserved 0x"));
	assert_true(strlen(tm_texasr_words(~0ull & ~TEXASR_PR, buffer)) < sizeof(buffer) - 1);
}

static void every_name_is_understood_and_comes_back(void **state)
{
	for (int i = 0; i < TM_CAUSES; i++) {
		const struct tm_cause_description *d = tm_cause_describe((enum tm_cause)i);
		enum counter counter;
		u64 texasr;

		assert_true(tm_cause_parse(d->name, strlen(d->name), &texasr, &counter));
		assert_int_equal(tm_cause_of(texasr), i);
		assert_int_equal(counter, d->counter);
		assert_non_null(d->meaning);
		assert_non_null(d->perf);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(d->name, tm_cause_describe((enum tm_cause)k)->name);
	}
}

static bool parses(const char *text, u64 *texasr)
{
	enum counter counter;

	return tm_cause_parse(text, strlen(text), texasr, &counter);
}

static void codes_are_understood(void **state)
{
	u64 texasr;

	assert_true(parses("0xd9", &texasr));
	assert_int_equal(tm_cause_of(texasr), TM_CAUSE_OF_SYSCALL);
	assert_true(texasr & TEXASR_PERSISTENT);
	assert_true(parses("0x42", &texasr));
	assert_int_equal(texasr, 0x42ull << 56 | TEXASR_ABORT | TEXASR_PR);
	assert_true(parses("255", &texasr));
	assert_false(parses("256", &texasr));
	assert_false(parses("0x", &texasr));
	assert_false(parses("-1", &texasr));
	assert_false(parses("", &texasr));
	assert_false(parses("conflicts", &texasr));
	assert_false(parses("0xd9000000000000000000", &texasr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cause_bit_of_the_isa_has_its_name),
		cmocka_unit_test(codes_of_the_kernel_are_told_by_its_privilege),
		cmocka_unit_test(what_is_unusual_comes_last),
		cmocka_unit_test(no_bit_is_kept_quiet_about),
		cmocka_unit_test(all_bits_together_fit),
		cmocka_unit_test(every_name_is_understood_and_comes_back),
		cmocka_unit_test(codes_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
