// SPDX-License-Identifier: MIT
/*
 * Finding the tabort. that glibc 2.21 to 2.28 has before a system call, as its assembly macro and
 * as compilers have it, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "linux/tm_patch.h"

#define CMPDI_R13      0x2c2d0000u
#define BEQ(n)	       (0x41820000u | (n))
#define LWZ(rt, d)     (0x800d0000u | (rt) << 21 | (u16)(d))
#define CMPWI(ra)      (0x2c000000u | (ra) << 16)
#define LI(rt, value)  (0x38000000u | (rt) << 21 | (value))
#define TABORT(ra)     (0x7c00071du | (ra) << 16)
#define NOP	       0x60000000u
#define SC	       0x44000002u
#define BLR	       0x4e800020u
#define TM_CAPABLE     (-0x7044)
#define SYSCALL_CODE   0x31
#define LOCK_BUSY_CODE 0x34

/* Index of the only one found; -1: none; -2: more. */
static int found(const u32 *code, size_t n)
{
	int at = -1;

	for (size_t i = 0; i < n; i++)
		if (tm_is_tabort_before_syscall(code, n, i))
			at = at == -1 ? (int)i : -2;
	return at;
}

#define FOUND(...)                                                                                 \
	({                                                                                         \
		const u32 code_[] = {__VA_ARGS__};                                                 \
		found(code_, sizeof(code_) / sizeof(code_[0]));                                    \
	})

static void the_assembly_macro(void **state)
{
	assert_int_equal(FOUND(CMPDI_R13, BEQ(28), LWZ(0, TM_CAPABLE), CMPWI(0), BEQ(16),
			       LI(11, SYSCALL_CODE), TABORT(11), NOP, NOP, LI(0, 20), SC, BLR),
			 6);
}

static void what_a_compiler_makes_of_it(void **state)
{
	/* other registers, things between */
	assert_int_equal(FOUND(LWZ(9, TM_CAPABLE), LI(4, 129), NOP, CMPWI(9), BEQ(16), LI(5, 0),
			       LI(10, SYSCALL_CODE), NOP, TABORT(10), LI(0, 221), NOP, SC, BLR),
			 8);
	/* the code loaded ahead */
	assert_int_equal(FOUND(LWZ(9, TM_CAPABLE), LI(10, SYSCALL_CODE), CMPWI(9), BEQ(8),
			       TABORT(10), LI(0, 221), SC),
			 4);
}

static void nothing_else(void **state)
{
	/* an elided lock that is busy */
	assert_int_equal(FOUND(LWZ(9, TM_CAPABLE), CMPWI(9), BEQ(12), LI(10, LOCK_BUSY_CODE),
			       TABORT(10), LI(0, 221), SC),
			 -1);
	/* the code is in another register */
	assert_int_equal(FOUND(LWZ(9, TM_CAPABLE), CMPWI(9), BEQ(12), LI(11, SYSCALL_CODE),
			       TABORT(10), LI(0, 221), SC),
			 -1);
	/* nobody asked whether there are transactions: a program's own */
	assert_int_equal(FOUND(LI(10, SYSCALL_CODE), TABORT(10), LI(0, 221), SC), -1);
	/* a variable of the thread, not a word of the control block */
	assert_int_equal(FOUND(LWZ(9, -0x6ff0), CMPWI(9), BEQ(12), LI(10, SYSCALL_CODE), TABORT(10),
			       LI(0, 221), SC),
			 -1);
	/* no system call */
	assert_int_equal(
		FOUND(LWZ(9, TM_CAPABLE), CMPWI(9), BEQ(12), LI(10, SYSCALL_CODE), TABORT(10), BLR),
		-1);
	/* a conditional form */
	assert_int_equal(FOUND(LWZ(9, TM_CAPABLE), CMPWI(9), BEQ(12), LI(10, SYSCALL_CODE),
			       0x7c0a065du, LI(0, 221), SC),
			 -1);
}

static void too_far_apart(void **state)
{
	u32 code[128];

	for (size_t i = 0; i < 128; i++)
		code[i] = NOP;
	code[20] = LI(10, SYSCALL_CODE);
	code[21] = TABORT(10);
	code[30] = SC;
	code[21 - 16] = LWZ(9, TM_CAPABLE);
	assert_int_equal(found(code, 128), 21);
	code[21 - 16] = NOP;
	code[21 - 17] = LWZ(9, TM_CAPABLE);
	assert_int_equal(found(code, 128), -1);
	code[10] = LWZ(9, TM_CAPABLE);
	code[30] = NOP;
	code[21 + 32] = SC;
	assert_int_equal(found(code, 128), 21);
	assert_int_equal(found(code, 21 + 32), -1); /* behind the end */
	code[21 + 32] = NOP;
	code[21 + 33] = SC;
	assert_int_equal(found(code, 128), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_assembly_macro),
		cmocka_unit_test(what_a_compiler_makes_of_it),
		cmocka_unit_test(nothing_else),
		cmocka_unit_test(too_far_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
