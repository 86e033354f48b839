/* SPDX-License-Identifier: MIT */
/* Rounding modes (0 nearest, 1 zero, 2 up, 3 down), FR and FI, conversions to integers. */
#include "asmtest.h"

#define ONE   0x3ff0000000000000
#define THREE 0x4008000000000000
#define TINY  0x3ca0000000000000	/* 2^-53: half a unit of ONE */

TEST(nearest_ties_to_even)
	LOADF	1, ONE
	LOADF	2, TINY
	fadd	3, 1, 2
	/*= f3 = 0x3ff0000000000000, fpscr = 0x82024000 */
END

TEST(up)
	mtfsfi	7, 2
	LOADF	1, ONE
	LOADF	2, TINY
	fadd	3, 1, 2
	/*= f3 = 0x3ff0000000000001, fpscr = 0x82064002 */
END

TEST(down)
	mtfsfi	7, 3
	LOADF	1, ONE
	LOADF	2, 0xbca0000000000000
	fadd	3, 1, 2
	/*= f3 = 0x3fefffffffffffff, fpscr = 0x00004003 */
END

TEST(to_zero)
	mtfsfi	7, 1
	LOADF	1, 0xbff0000000000000
	LOADF	2, THREE
	fdiv	3, 1, 2
	/*= f3 = 0xbfd5555555555555, fpscr = 0x82028001 */
END

/* x - x is +0, but -0 when rounding down. */
TEST(sign_of_zero)
	LOADF	1, ONE
	fsub	2, 1, 1
	mtfsfi	7, 3
	fsub	3, 1, 1
	/*= f2 = 0, f3 = 0x8000000000000000, fpscr = 0x00012003 */
END

/* The sum is rounded, then negated: qemu does it the other way round. */
TEST(negated_after_rounding)
	mtfsfi	7, 2
	LOADF	1, ONE
	LOADF	2, TINY
	fnmadd	3, 1, 1, 2
	/*= f3 = 0xbff0000000000001, fpscr = 0x82068002 */
END

TEST(overflow_by_mode)
	LOADF	1, 0x7fe0000000000000
	LOADF	2, 0xffe0000000000000
	fadd	3, 1, 1
	mtfsfi	7, 1
	fadd	4, 1, 1
	mtfsfi	7, 2
	fadd	5, 2, 2
	mtfsfi	7, 3
	fadd	6, 2, 2
	/*= f3 = 0x7ff0000000000000, f4 = 0x7fefffffffffffff, f5 = 0xffefffffffffffff */
	/*= f6 = 0xfff0000000000000 */
END

/* Tiny before rounding: underflow although the result is the smallest normal number. */
TEST(underflow_is_told_before_rounding)
	LOADF	1, 0x000fffffffffffff
	LOADF	2, 0x3ff0000000000001
	fmul	3, 1, 2
	/*= f3 = 0x0010000000000000, fpscr = 0x8a064000 */
END

TEST(to_integers)
	LOADF	1, 0x4004000000000000	/* 2.5 */
	LOADF	2, 0xc004000000000000
	frin	3, 1
	friz	4, 2
	frip	5, 1
	frim	6, 2
	/*= f3 = 0x4008000000000000, f4 = 0xc000000000000000, f5 = 0x4008000000000000 */
	/*= f6 = 0xc008000000000000, fpscr = 0x00008000 */
END

TEST(frin_keeps_the_sign_of_zero)
	LOADF	1, 0xbfd0000000000000
	frin	2, 1
	/*= f2 = 0x8000000000000000, fpscr = 0x00012000 */
END

TEST(fctid_by_mode)
	LOADF	1, 0x4004000000000000
	fctid	2, 1
	fctidz	3, 1
	mtfsfi	7, 2
	fctid	4, 1
	/*= f2 = 2, f3 = 2, f4 = 3, fpscr = 0x82060002 */
END

TEST(fctiw_saturates)
	LOADF	1, 0x41e0000000000000
	LOADF	2, 0xc1e0000000200000
	LOADF	3, 0x7ff8000000000000
	fctiwz	4, 1
	stfiwx	4, 0, 31
	addi	4, 31, 4
	fctiwz	5, 2
	stfiwx	5, 0, 4
	addi	4, 31, 8
	fctiwz	6, 3
	stfiwx	6, 0, 4
	addi	4, 31, 12
	fctiwuz	7, 1
	stfiwx	7, 0, 4
	/*= mem+0 = 0x800000007fffffff, mem+8 = 0x8000000080000000 */
END

TEST(fctid_saturates)
	LOADF	1, 0x43e0000000000000
	LOADF	2, 0xc3f0000000000000
	LOADF	3, 0x7ff0000000000001
	fctid	4, 1
	fctid	5, 2
	fctid	6, 3
	fctidu	7, 2
	fctidu	8, 3
	/*= f4 = 0x7fffffffffffffff, f5 = 0x8000000000000000, f6 = 0x8000000000000000 */
	/*= f7 = 0, f8 = 0 */
END

TEST(from_integers)
	LOADF	1, 0xffffffffffffffff
	fcfid	2, 1
	fcfidu	3, 1
	fcfids	4, 1
	fcfidus	5, 1
	/*= f2 = 0xbff0000000000000, f3 = 0x43f0000000000000, f4 = 0xbff0000000000000 */
	/*= f5 = 0x43f0000000000000, fpscr = 0x82064000 */
END
