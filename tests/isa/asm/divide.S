/* SPDX-License-Identifier: MIT */
/*
 * Divisions that have no quotient. The ISA leaves the result undefined; POWER processors deliver 0
 * (results recorded on them: Valgrind, none/tests/ppc64, jm-int and test_isa_2_06_part*-div).
 */
#include "asmtest.h"

TEST(divw_by_zero)
	li	4, 5
	divwo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

TEST(divwu_by_zero)
	li	4, -1
	divwuo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

TEST(divd_by_zero)
	li	4, -5
	divdo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

TEST(divdu_by_zero)
	LOAD64	4, 0x123456789abcdef0
	divduo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

TEST(divw_overflow)
	lis	4, 0x8000
	li	5, -1
	divwo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

TEST(divd_overflow)
	LOAD64	4, 0x8000000000000000
	li	5, -1
	divdo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

TEST(divd_without_oe_leaves_xer)
	li	4, 1
	divd.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0010, xer = 0 */
END

/* Word divisions look at the lower halves only and clear the upper half of the result. */
TEST(divw_upper_halves)
	LOAD64	4, 0xdeadbeeffffffff9
	LOAD64	5, 0x1234567800000002
	divw.	3, 4, 5
	divwu	6, 4, 5
	/*= r3 = 0xfffffffd, cr0 = 0b0100, r6 = 0x7ffffffc */
END

TEST(divwe_negative)
	li	4, 5
	LOAD64	5, 0xfabc1234
	divweo.	3, 4, 5
	/*= r3 = 0xffffff0d, cr0 = 0b0100, xer = 0 */
END

TEST(divwe_does_not_fit)
	LOAD64	4, 0x7abc1234
	LOAD64	5, 0xf0000000
	divweo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

TEST(divweu_fits)
	LOAD64	4, 0x7abc1234
	LOAD64	5, 0xf0000000
	divweuo. 3, 4, 5
	/*= r3 = 0x82eabe15, cr0 = 0b0100, xer = 0 */
END

TEST(divde_exact)
	li	4, 3
	li	5, 8
	divdeo.	3, 4, 5
	/*= r3 = 0x6000000000000000, cr0 = 0b0100, xer = 0 */
END

TEST(divde_does_not_fit)
	li	4, 0x50c
	li	5, -1
	divdeo.	3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END

/* 0x32cf... << 64 by 0x5709...: the quotient is between 2^63 and 2^64, so only just too large. */
TEST(divde_one_bit_too_many)
	LOAD64	4, 0x32cffaba948320f1
	LOAD64	5, 0x5709dfeb8cd5db4d
	divdeo.	3, 4, 5
	divdeu	6, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000, r6 = 0x957363e5a2a6e83d */
END

TEST(divdeu_does_not_fit)
	li	4, 4
	li	5, 4
	divdeuo. 3, 4, 5
	/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 */
END
