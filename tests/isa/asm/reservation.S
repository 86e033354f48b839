/* SPDX-License-Identifier: MIT */
/* Load and reserve, store conditional. */
#include "asmtest.h"

TEST(word)
	lwarx	3, 0, 31
	li	4, 5
	stwcx.	4, 0, 31
	/*= r3 = 0x03020100, cr0 = 0b0010, mem+0 = 0x0706050400000005 */
END

TEST(without_reservation)
	li	4, 5
	stwcx.	4, 0, 31
	/*= cr0 = 0, mem+0 = 0x0706050403020100 */
END

TEST(only_once)
	ldarx	3, 0, 31
	stdcx.	31, 0, 31
	li	4, 5
	stdcx.	4, 0, 31
	ld	5, 0(31)
	subf	5, 31, 5
	/*= cr0 = 0, r5 = 0 */
END

TEST(so_is_copied)
	lis	6, 0x8000
	mtxer	6
	lwarx	3, 0, 31
	stwcx.	3, 0, 31
	/*= cr0 = 0b0011 */
END

TEST(byte_and_halfword)
	addi	4, 31, 129
	lbarx	3, 0, 4
	li	5, 0x77
	stbcx.	5, 0, 4
	mfcr	7
	addi	4, 31, 130
	lharx	6, 0, 4
	li	5, -1
	sthcx.	5, 0, 4
	/*= r3 = 0x81, r6 = 0x8382, r7 = 0x20000000, cr0 = 0b0010, mem+128 = 0x87868584ffff7780 */
END

/*
 * qemu 7.2 makes no reservation for lqarx. The recorded result of stqcx. on POWER8 is CR0 = 0b0010
 * (Valgrind, none/tests/ppc64/jm_int_isa_2_07).
 */
TEST(quadword)
	addi	8, 31, 16
	lqarx	4, 0, 8
	li	6, 6
	li	7, 7
	stqcx.	6, 0, 8
	/*= r5 = 0x1716151413121110, r4 = 0x1f1e1d1c1b1a1918, cr0 = 0b0010, mem+16 = 7, mem+24 = 6 */
END

TEST(quadword_only_once)
	lqarx	4, 0, 31
	stqcx.	4, 0, 31
	stqcx.	4, 0, 31
	/*= cr0 = 0 */
END

/* A reservation survives ordinary loads, and stores of the same thread elsewhere. */
TEST(survives_other_accesses)
	lwarx	3, 0, 31
	ld	4, 0(31)
	std	4, 512(31)
	stwcx.	4, 0, 31
	/*= cr0 = 0b0010 */
END

/* The new reservation replaces the old one. */
TEST(replaced)
	lwarx	3, 0, 31
	addi	4, 31, 512
	lwarx	5, 0, 4
	li	6, 1
	stwcx.	6, 0, 4
	/*= cr0 = 0b0010, mem+512 = 0x0706050400000001, mem+0 = 0x0706050403020100 */
END

TEST(exclusive_access_hint)
	lwarx	3, 0, 31, 1
	stwcx.	3, 0, 31
	/*= cr0 = 0b0010 */
END
