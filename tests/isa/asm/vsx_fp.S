/* SPDX-License-Identifier: MIT */
/* VSX floating point: conversions, comparisons, elements that do not disturb each other. */
#include "asmtest.h"

#define ONE  0x3ff0000000000000
#define QNAN 0x7ff8000000000000
#define SNAN 0x7ff0000000000001

/* The single stands in word 0; word 1 is undefined. */
TEST(xscvdpsp)
	LOADF	1, 0xc0d0650f5a07b353
	LOADF	2, 0x7ff7ffffffffffff
	xscvdpsp 3, 1
	xscvdpsp 4, 2
	mfvsrd	3, 3
	mfvsrd	4, 4
	srdi	3, 3, 32
	srdi	4, 4, 32
	/*= r3 = 0xc683287b, r4 = 0x7fffffff */
END

TEST(xscvspdp)
	LOADV	1, 0xffbfffff00000000, 0
	xscvspdp 2, 1
	/*= f2 = 0xffffffffe0000000, fpscr = 0xa1011000 */
END

/* These two signal nothing and quiet nothing. */
TEST(non_signalling)
	LOADV	1, 0x7f80000100000000, 0
	xscvspdpn 2, 1
	xscvdpspn 3, 2
	mfvsrd	4, 3
	srdi	4, 4, 32
	/*= f2 = 0x7ff0000020000000, r4 = 0x7f800001, fpscr = 0 */
END

/* Larger and smaller: a number beats a quiet NaN, a signalling NaN beats all. */
TEST(maximum_minimum)
	LOADF	1, QNAN
	LOADF	2, SNAN
	LOADF	3, ONE
	LOADF	4, 0x8000000000000000
	xsmaxdp	5, 1, 3
	xsmaxdp	6, 3, 2
	xsmaxdp	7, 4, 0
	xsmindp	8, 0, 4
	/*= f5 = 0x3ff0000000000000, f6 = 0x7ff8000000000001, f7 = 0, f8 = 0x8000000000000000 */
	/*= fpscr = 0xa1000000 */
END

TEST(compare_vectors)
	LOADV	1, ONE, QNAN
	xvcmpeqdp. 2, 1, 1
	/*= vs2 = 0xffffffffffffffff 0000000000000000, cr6 = 0, fpscr = 0 */
END

TEST(compare_vectors_ordered)
	LOADV	1, ONE, QNAN
	xvcmpgedp. 2, 1, 1
	/*= vs2 = 0xffffffffffffffff 0000000000000000, cr6 = 0, fpscr = 0xa0080000 */
END

TEST(compare_vectors_all)
	LOADV	1, 0x3f80000000000000, 0xbf80000080000000
	xvcmpeqsp. 2, 1, 1
	/*= vs2 = -1, cr6 = 0b1000 */
END

/* qemu 7.2 saturates all elements behind a NaN. */
TEST(conversion_behind_a_nan)
	LOADV	1, QNAN, 0x403c400000000000
	xvcvdpsxds 2, 1
	xvcvdpuxds 3, 1
	/*= vs2 = 0x8000000000000000 000000000000001c, vs3 = 0x0000000000000000 000000000000001c */
	/*= fpscr = 0xa2000100 */
END

TEST(conversion_of_singles)
	LOADV	1, 0x7fc000004f000000, 0xbfc0000040200000
	xvcvspsxws 2, 1
	/*= vs2 = 0x800000007fffffff ffffffff00000002, fpscr = 0xa2000100 */
END

/* Recorded on POWER: Valgrind, none/tests/ppc64/test_isa_2_06_part3. */
TEST(recorded)
	LOADV	1, 0x7fe800000000051b, 0xc0d0650f5a07b353
	xvcvdpuxds 2, 1
	LOADV	3, 0xfff7ffffffffffff, 0x41232585a9900000
	xvsqrtdp 4, 3
	/*= vs2 = 0xffffffffffffffff 0000000000000000, vs4 = 0xffffffffffffffff 4088c0a9258a4a8b */
END

TEST(rounding)
	LOADV	1, 0x4004000000000000, 0xc004000000000000
	xvrdpi	2, 1
	xvrdpic	3, 1
	xvrdpim	4, 1
	/*= vs2 = 0x4008000000000000 c008000000000000, vs3 = 0x4000000000000000 c000000000000000 */
	/*= vs4 = 0x4000000000000000 c008000000000000, fpscr = 0x82000000 */
END

/* xsaddsp rounds once; by way of double precision the result would be -0. */
TEST(rounded_once)
	LOADF	1, 0xb690000000000000
	LOADF	2, 0x8000002a9a67fba3
	xsaddsp	3, 1, 2
	/*= f3 = 0xb6a0000000000000 */
END

TEST(multiply_add_forms)
	LOADF	1, 0x4000000000000000
	LOADF	2, 0x4008000000000000
	LOADF	3, 0x3ff0000000000000
	fmr	4, 3
	xsmaddadp 3, 1, 2
	xsmaddmdp 4, 1, 2
	/*= f3 = 0x401c000000000000, f4 = 0x4014000000000000 */
END

TEST(tests)
	LOADV	1, ONE, 0xbff0000000000000
	xvtsqrtdp 0, 1
	xstsqrtdp 1, 1
	xvtdivdp 2, 1, 1
	/*= cr = 0xa8800000 */
END
