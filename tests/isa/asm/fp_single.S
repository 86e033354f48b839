/* SPDX-License-Identifier: MIT */
/* Single-precision numbers in memory: the format changes, the value and a NaN do not. */
#include "asmtest.h"

.macro STORE_WORD value, offset
	LOAD64	12, \value
	stw	12, \offset(31)
.endm

TEST(lfs_of_a_denormal)
	STORE_WORD 0x00000001, 0
	STORE_WORD 0x807fffff, 4
	lfs	3, 0(31)
	lfs	4, 4(31)
	/*= f3 = 0x36a0000000000000, f4 = 0xb80fffffc0000000, fpscr = 0 */
END

TEST(lfs_does_not_quiet)
	STORE_WORD 0x7f800001, 0
	STORE_WORD 0xff800000, 4
	lfs	3, 0(31)
	lfs	4, 4(31)
	/*= f3 = 0x7ff0000020000000, f4 = 0xfff0000000000000, fpscr = 0 */
END

TEST(stfs_does_not_round_nor_quiet)
	LOADF	3, 0x3ff123456fffffff
	LOADF	4, 0x7ff0000020000000
	stfs	3, 0(31)
	stfs	4, 4(31)
	/*= mem+0 = 0x7f8000013f891a2b, fpscr = 0 */
END

/* Numbers in the denormal range of singles are shifted, without rounding. */
TEST(stfs_makes_denormals)
	LOADF	3, 0x36a0000000000000
	LOADF	4, 0xb80fffffffffffff
	stfs	3, 0(31)
	stfs	4, 4(31)
	/*= mem+0 = 0x807fffff00000001 */
END

TEST(integers)
	LOADF	3, 0x0123456789abcdef
	stfiwx	3, 0, 31
	lfiwax	4, 0, 31
	lfiwzx	5, 0, 31
	/*= mem+0 = 0x0706050489abcdef, f4 = 0xffffffff89abcdef, f5 = 0x89abcdef */
END

TEST(frsp)
	LOADF	3, 0x3ff0000010000000
	LOADF	4, 0x3ff0000030000000
	frsp	5, 3
	frsp	6, 4
	/*= f5 = 0x3ff0000000000000, f6 = 0x3ff0000040000000, fpscr = 0x82064000 */
END

/* Tiny before rounding: underflow although the result is the smallest normal single. */
TEST(frsp_underflow_is_told_before_rounding)
	LOADF	3, 0x380fffffffffffff
	frsp	4, 3
	/*= f4 = 0x3810000000000000, fpscr = 0x8a064000 */
END

TEST(frsp_denormal_is_classed_as_such)
	LOADF	3, 0x3690000000000001
	frsp	4, 3
	/*= f4 = 0x36a0000000000000, fpscr = 0x8a074000 */
END

TEST(frsp_overflow)
	LOADF	3, 0x47effffff0000000
	frsp	4, 3
	/*= f4 = 0x7ff0000000000000, cr0 = 0 */
END

/* A fused operation rounds once: 1.5 ulp below by a double rounding would be lost. */
TEST(fmadds_rounds_once)
	LOADF	3, 0x3ff0000000000000
	LOADF	4, 0x3ff0000010000000
	LOADF	5, 0x3ca0000000000000
	fmadds	6, 3, 3, 5
	fmadds	7, 4, 3, 5
	/*= f6 = 0x3ff0000000000000, f7 = 0x3ff0000020000000 */
END
