/* SPDX-License-Identifier: MIT */
/*
 * Enabled exceptions, in the mode that ignores them (MSR[FE0,FE1] = 0b00): results are those of the
 * enabled case, and no interrupt follows. qemu raises SIGFPE whatever the mode.
 */
#include "asmtest.h"

#define VE 0x80
#define OE 0x40
#define UE 0x20
#define ZE 0x10
#define XE 0x08

TEST(invalid_leaves_the_target)
	LOADFPSCR VE | 0x4000
	LOADF	1, 0x7ff0000000000000
	LOADF	2, 0x1234
	fsub.	2, 1, 1
	/*= f2 = 0x1234, fpscr = 0xe0804080, cr1 = 0b1110 */
END

TEST(division_by_zero_leaves_the_target)
	LOADFPSCR ZE
	LOADF	1, 0x3ff0000000000000
	LOADF	2, 0x1234
	fdiv.	2, 1, 0
	/*= f2 = 0x1234, fpscr = 0xc4000010, cr1 = 0b1100 */
END

/* The exponent is 1536 less than it should be. */
TEST(overflow_adjusts)
	LOADFPSCR OE
	LOADF	1, 0x7fe8000000000000
	fmul.	2, 1, 1
	/*= f2 = 0x5fe2000000000000, fpscr = 0xd0004040, cr1 = 0b1101 */
END

TEST(overflow_adjusts_and_rounds)
	LOADFPSCR OE
	LOADF	1, 0x7fefffffffffffff
	LOADF	3, 0x7fe0000000000004
	fadd	2, 1, 3
	/*= f2 = 0x1ff8000000000002, fpscr = 0xd2064040 */
END

TEST(underflow_adjusts)
	LOADFPSCR UE
	LOADF	1, 0x0018000000000000
	LOADF	3, 0x3fe0000000000000
	fmul.	2, 1, 3
	/*= f2 = 0x6008000000000000, fpscr = 0xc8004020, cr1 = 0b1100 */
END

/* Exact denormals underflow only if that is enabled. */
TEST(exact_denormal_does_not_underflow)
	LOADF	1, 0x0018000000000000
	LOADF	3, 0x3fe0000000000000
	fmul	2, 1, 3
	/*= f2 = 0x000c000000000000, fpscr = 0x00014000 */
END

TEST(single_overflow_adjusts_by_192)
	LOADFPSCR OE
	LOADF	1, 0x47e0000000000000
	fmuls	2, 1, 1
	/*= f2 = 0x43d0000000000000, fpscr = 0xd0004040 */
END

TEST(single_underflow_adjusts_by_192)
	LOADFPSCR UE
	LOADF	1, 0x3810000000000000
	fmuls	2, 1, 1
	/*= f2 = 0x3c30000000000000, fpscr = 0xc8004020 */
END

TEST(inexact_delivers)
	LOADFPSCR XE
	LOADF	1, 0x3ff0000000000000
	LOADF	3, 0x4008000000000000
	fdiv.	2, 1, 3
	/*= f2 = 0x3fd5555555555555, fpscr = 0xc2024008, cr1 = 0b1100 */
END

TEST(conversion_leaves_the_target)
	LOADFPSCR VE
	LOADF	1, 0x43f0000000000000
	LOADF	2, 0x1234
	fctid	2, 1
	/*= f2 = 0x1234 */
END

TEST(comparison_of_signalling_nans)
	LOADFPSCR VE
	LOADF	1, 0x7ff0000000000001
	fcmpo	3, 1, 1
	/*= fpscr = 0xe1001080, cr3 = 1 */
END

TEST(comparison_of_signalling_nans_disabled)
	LOADF	1, 0x7ff0000000000001
	fcmpo	3, 1, 1
	/*= fpscr = 0xa1081000, cr3 = 1 */
END

/* A vector is written as a whole or not at all. */
TEST(vector_is_left)
	LOADFPSCR VE
	LOADV	34, 0x3ff0000000000000, 0x7ff0000000000000
	LOADV	35, 0x1111111111111111, 0x2222222222222222
	xvsubdp	35, 34, 34
	/*= v3 = 0x1111111111111111 2222222222222222, fpscr = 0xe0800080 */
END

TEST(vector_inexact_is_left_too)
	LOADFPSCR XE
	LOADV	34, 0x3ff0000000000000, 0x3ff0000000000000
	LOADV	35, 0x4008000000000000, 0x3ff0000000000000
	xvdivdp	36, 34, 35
	/*= v4 = 0, fpscr = 0xc2000008 */
END

TEST(enabling_what_is_there)
	LOADFPSCR 0x01000000
	mtfsb1	24
	/*= fpscr = 0x61000080 */
END
