/* SPDX-License-Identifier: MIT */
/* Loads and stores of general registers. Memory at r31 holds the bytes 0, 1, 2, ... */
#include "asmtest.h"

TEST(sizes_and_signs)
	lbz	3, 0x81(31)
	lhz	4, 0x80(31)
	lha	5, 0x80(31)
	lwz	6, 0x80(31)
	lwa	7, 0x80(31)
	ld	8, 0x80(31)
	/*= r3 = 0x81, r4 = 0x8180, r5 = 0xffffffffffff8180, r6 = 0x83828180 */
	/*= r7 = 0xffffffff83828180, r8 = 0x8786858483828180 */
END

TEST(unaligned)
	ld	3, 1*4(31)
	addi	4, 31, 125
	ld	5, 0(4)
	lwz	6, 3(31)
	std	5, 0(4)
	/*= r3 = 0x0b0a090807060504, r5 = 0x84838281807f7e7d, r6 = 0x06050403 */
END

TEST(update)
	addi	4, 31, 16
	lwzu	3, -8(4)
	addi	5, 31, 8
	li	6, 8
	ldux	7, 5, 6
	subf	4, 31, 4
	subf	5, 31, 5
	/*= r3 = 0x0b0a0908, r4 = 8, r7 = 0x1716151413121110, r5 = 16 */
END

/* The register that is stored may be the one that is updated: its old value goes out. */
TEST(stdu_of_the_base)
	addi	4, 31, 64
	stdu	4, -8(4)
	ld	5, 56(31)
	subf	5, 31, 5
	subf	4, 31, 4
	/*= r5 = 64, r4 = 56 */
END

TEST(address_wraps)
	li	4, -16
	addi	5, 31, 32
	ldx	3, 4, 5
	/*= r3 = 0x1716151413121110 */
END

TEST(base_0_is_zero)
	li	0, 100
	ldx	3, 0, 31
	/*= r3 = 0x0706050403020100 */
END

TEST(byte_reversed)
	lhbrx	3, 0, 31
	lwbrx	4, 0, 31
	ldbrx	5, 0, 31
	li	6, 8
	stdbrx	5, 31, 6
	li	6, 16
	stwbrx	5, 31, 6
	/*= r3 = 0x0001, r4 = 0x00010203, r5 = 0x0001020304050607 */
	/*= mem+8 = 0x0706050403020100, mem+16 = 0x1716151407060504 */
END

/* In little-endian mode the odd register gets the doubleword at the lower address. */
TEST(quadword)
	lq	4, 16(31)
	stq	4, 32(31)
	/*= r5 = 0x1716151413121110, r4 = 0x1f1e1d1c1b1a1918 */
	/*= mem+32 = 0x1716151413121110, mem+40 = 0x1f1e1d1c1b1a1918 */
END

TEST(store_of_part)
	li	4, -1
	stb	4, 3(31)
	sth	4, 10(31)
	stw	4, 20(31)
	/*= mem+0 = 0x07060504ff020100, mem+8 = 0x0f0e0d0cffff0908, mem+16 = 0xffffffff13121110 */
END

TEST(load_into_the_base)
	li	6, 8
	stdx	31, 31, 6
	addi	4, 31, 8
	ld	4, 0(4)
	subf	4, 31, 4
	/*= r4 = 0 */
END

TEST(fault_of_a_load)
	li	4, 0
	ld	3, 0(4)
	/*= signal = SIGSEGV */
END

TEST(fault_beyond_the_address_space)
	LOAD64	4, 0xc000000000000000
	lwz	3, 0(4)
	/*= signal = SIGSEGV */
END
