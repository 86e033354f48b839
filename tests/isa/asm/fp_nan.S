/* SPDX-License-Identifier: MIT */
/* NaNs: which operand's, quieted how, made with which sign. ISA 2.07B Book I 4.3.2. */
#include "asmtest.h"

#define QNAN_A 0x7ff8000000000aaa
#define QNAN_B 0xfff8000000000bbb
#define QNAN_C 0x7ff8000000000ccc
#define SNAN   0x7ff0000000000123

TEST(first_operand_wins)
	LOADF	1, QNAN_A
	LOADF	2, QNAN_B
	fadd	3, 1, 2
	fsub	4, 2, 1
	/*= f3 = 0x7ff8000000000aaa, f4 = 0xfff8000000000bbb, fpscr = 0x00011000 */
END

/* A signalling NaN does not come before a quiet one; it is quieted, its sign kept. */
TEST(signalling)
	LOADF	1, QNAN_A
	LOADF	2, SNAN
	fmul	3, 1, 2
	fmul	4, 2, 1
	/*= f3 = 0x7ff8000000000aaa, f4 = 0x7ff8000000000123, fpscr = 0xa1011000 */
END

/* FRT = FRA * FRC + FRB: NaNs of FRA, then FRB, then FRC. */
TEST(fused_order)
	LOADF	1, QNAN_A
	LOADF	2, QNAN_B
	LOADF	3, QNAN_C
	LOADF	4, 0x3ff0000000000000
	fmadd	5, 1, 3, 2
	fmadd	6, 4, 3, 2
	fmadd	7, 4, 3, 4
	/*= f5 = 0x7ff8000000000aaa, f6 = 0xfff8000000000bbb, f7 = 0x7ff8000000000ccc */
END

/* The negating forms leave the sign of a NaN. */
TEST(negating)
	LOADF	1, QNAN_A
	LOADF	2, 0x7ff0000000000000
	fnmadd	3, 1, 2, 2
	fnmsub	4, 2, 2, 2
	/*= f3 = 0x7ff8000000000aaa, f4 = 0x7ff8000000000000, fpscr = 0xa0811000 */
END

/* 0 * infinity + NaN: the NaN, and VXIMZ. */
TEST(invalid_product_and_nan)
	LOADF	1, 0x7ff0000000000000
	LOADF	2, QNAN_B
	LOADF	3, 0
	fmadd	4, 1, 3, 2
	/*= f4 = 0xfff8000000000bbb, fpscr = 0xa0111000 */
END

TEST(default_is_positive)
	LOADF	1, 0x7ff0000000000000
	LOADF	2, 0
	LOADF	3, 0xbff0000000000000
	fsub	4, 1, 1
	fmul	5, 1, 2
	fdiv	6, 1, 1
	fdiv	7, 2, 2
	fsqrt	8, 3
	/*= f4 = 0x7ff8000000000000, f5 = 0x7ff8000000000000, f6 = 0x7ff8000000000000 */
	/*= f7 = 0x7ff8000000000000, f8 = 0x7ff8000000000000, fpscr = 0xa0f11200 */
END

/* A NaN that is rounded to single loses the low 29 bits. */
TEST(single)
	LOADF	1, 0x7ff80000ffffffff
	frsp	2, 1
	fadds	3, 1, 1
	/*= f2 = 0x7ff80000e0000000, f3 = 0x7ff80000e0000000 */
END

/* Moves do not look. */
TEST(moves)
	LOADF	1, SNAN
	fneg	2, 1
	fabs	3, 2
	fmr	4, 2
	fcpsgn	5, 2, 1
	fnabs	6, 1
	/*= f2 = 0xfff0000000000123, f3 = 0x7ff0000000000123, f4 = 0xfff0000000000123 */
	/*= f5 = 0xfff0000000000123, f6 = 0xfff0000000000123, fpscr = 0 */
END
