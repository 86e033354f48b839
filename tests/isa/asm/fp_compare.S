/* SPDX-License-Identifier: MIT */
/*
 * Comparisons, tests and selects. The results of ftdiv are those recorded on POWER (Valgrind,
 * none/tests/ppc64/test_isa_2_06_part1).
 */
#include "asmtest.h"

#define ONE  0x3ff0000000000000
#define QNAN 0x7ff8000000000000

TEST(ordered)
	LOADF	1, ONE
	LOADF	2, 0x8000000000000000
	fcmpu	0, 1, 2
	fcmpu	1, 2, 1
	fcmpu	2, 0, 2
	/*= cr = 0x48200000, fpscr = 0x00002000 */
END

TEST(quiet_nan)
	LOADF	1, QNAN
	fcmpu	3, 1, 1
	/*= cr3 = 1, fpscr = 0x00001000 */
END

TEST(quiet_nan_ordered)
	LOADF	1, QNAN
	fcmpo	3, 1, 1
	/*= cr3 = 1, fpscr = 0xa0081000 */
END

/* A comparison leaves the class bit, FR and FI. */
TEST(leaves_the_rest_of_the_result_flags)
	LOADFPSCR 0x00077000
	fcmpu	0, 1, 1
	/*= fpscr = 0x00072000, cr0 = 0b0010 */
END

TEST(select)
	LOADF	1, 0x8000000000000000
	LOADF	2, 1
	LOADF	3, 2
	LOADF	4, QNAN
	LOADF	5, 0x8000000000000001
	fsel	6, 1, 2, 3
	fsel	7, 4, 2, 3
	fsel	8, 5, 2, 3
	/*= f6 = 1, f7 = 2, f8 = 2, fpscr = 0 */
END

TEST(ftdiv)
	LOADF	1, 0x3fd8000000000000
	LOADF	2, 0x404f000000000000
	LOADF	3, 0x7ff7ffffffffffff
	LOADF	4, 0x0018000000b77501
	LOADF	5, 0x7fe800000000051b
	LOADF	6, 0x7ff0000000000000
	LOADF	7, 0x8008340000078000
	LOADF	8, 0x0123214569900000
	ftdiv	0, 1, 2
	ftdiv	1, 3, 2
	ftdiv	2, 1, 4
	ftdiv	3, 5, 1
	ftdiv	4, 6, 2
	ftdiv	5, 1, 7
	ftdiv	6, 0, 0
	ftdiv	7, 8, 1
	/*= cr = 0x8aaaeeea */
END

TEST(ftsqrt)
	LOADF	1, 0x3ff0000000000000
	LOADF	2, 0xbff0000000000000
	LOADF	3, 0x7ff0000000000000
	ftsqrt	0, 1
	ftsqrt	1, 2
	ftsqrt	2, 3
	ftsqrt	3, 0
	/*= cr = 0x8aee0000 */
END
