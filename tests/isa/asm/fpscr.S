/* SPDX-License-Identifier: MIT */
/* The FPSCR as such. ISA 2.07B Book I 4.2.2 and 4.6.10. */
#include "asmtest.h"

TEST(mtfsf_fields)
	LOADF	1, 0xffffffffffffffff
	mtfsf	0x01, 1
	mffs	2
	/*= fpscr = 0x0000000f, f2 = 0x0000000f */
END

/* VX and FEX follow from the other bits, FX is a bit like others here. */
TEST(mtfsf_makes_the_summaries)
	LOADF	1, 0x0000000061000080
	mtfsf	0xff, 1
	/*= fpscr = 0x61000080 */
END

TEST(mtfsf_cannot_set_the_summaries)
	LOADF	1, 0x60000000
	mtfsf	0xff, 1
	/*= fpscr = 0 */
END

TEST(mtfsf_of_field_0_sets_fx_as_told)
	LOADF	1, 0x80000000
	mtfsf	0x80, 1
	/*= fpscr = 0x80000000 */
END

TEST(mtfsf_upper_half)
	LOADF	1, 0x0000000700000000
	mtfsf	0x01, 1, 0, 1
	/*= fpscr = 0x700000000 */
END

TEST(mtfsf_whole)
	LOADF	1, 0x0000000582000003
	mtfsf	0, 1, 1, 0
	/*= fpscr = 0x582000003 */
END

TEST(mtfsfi)
	mtfsfi	7, 3
	mtfsfi	6, 9
	mtfsfi	7, 5, 1
	/*= fpscr = 0x500000093 */
END

TEST(mtfsb_of_an_exception_sets_fx)
	mtfsb1	7
	/*= fpscr = 0xa1000000 */
END

TEST(mtfsb_of_one_that_is_set_does_not)
	LOADFPSCR 0x01000000
	mtfsb1	7
	/*= fpscr = 0x21000000 */
END

TEST(mtfsb_of_a_mode_does_not)
	mtfsb1	30
	mtfsb1	31
	mtfsb0	30
	/*= fpscr = 1 */
END

TEST(mtfsb_of_the_summaries_is_without_effect)
	mtfsb1	1
	mtfsb1	2
	/*= fpscr = 0 */
END

TEST(mtfsb0_clears_the_summary)
	LOADFPSCR 0x81000000
	mtfsb0	7
	/*= fpscr = 0x80000000 */
END

/* mcrfs clears the exception bits that it copies, not FEX and VX. */
TEST(mcrfs)
	LOADFPSCR 0x91012000
	mcrfs	0, 0
	mcrfs	1, 1
	mcrfs	4, 4
	/*= fpscr = 0x00012000, cr = 0xb1002000 */
END

TEST(mcrfs_of_one_exception_of_two)
	LOADFPSCR 0x81000100
	mcrfs	1, 1
	/*= fpscr = 0xa0000100, cr1 = 1 */
END

TEST(record_form_shows_fx_fex_vx_ox)
	LOADF	1, 0x7ff0000000000000
	fsub.	2, 1, 1
	/*= cr1 = 0b1010 */
END

/* Sticky: exact operations leave exceptions but set FPRF, FR and FI. */
TEST(sticky)
	LOADF	1, 0x3ff0000000000000
	LOADF	2, 0x4008000000000000
	fdiv	3, 1, 2
	fadd	4, 1, 1
	/*= fpscr = 0x82004000 */
END

/* FX: on a change from 0 to 1 only. */
TEST(fx_after_it_was_cleared)
	LOADFPSCR 0x02000000
	LOADF	1, 0x3ff0000000000000
	LOADF	2, 0x4008000000000000
	fdiv	3, 1, 2
	/*= fpscr = 0x02024000 */
END
