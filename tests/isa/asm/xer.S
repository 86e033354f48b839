/* SPDX-License-Identifier: MIT */
/* Carry and overflow. XER: SO 0x80000000, OV 0x40000000, CA 0x20000000, byte count 0x7f. */
#include "asmtest.h"

TEST(addc_carries_out_of_bit_0)
	li	4, -1
	li	5, 2
	addc	3, 4, 5
	/*= r3 = 1, xer = 0x20000000 */
END

TEST(addc_without_carry_clears_ca)
	lis	6, 0x2000
	mtxer	6
	li	4, 1
	addc	3, 4, 4
	/*= r3 = 2, xer = 0 */
END

/* The carry is that of 64 bits: a word that overflows makes none. */
TEST(addic_of_word_makes_no_carry)
	LOAD64	4, 0xffffffff
	addic.	3, 4, 1
	/*= r3 = 0x100000000, xer = 0, cr0 = 0b0100 */
END

TEST(subfic_of_equal_carries)
	li	4, 7
	subfic	3, 4, 7
	/*= r3 = 0, xer = 0x20000000 */
END

TEST(subfic_borrow)
	li	4, 8
	subfic	3, 4, 7
	/*= r3 = -1, xer = 0 */
END

TEST(adde_chain)
	li	4, -1
	li	5, -1
	addc	6, 4, 5
	adde	7, 4, 5
	/*= r6 = -2, r7 = -1, xer = 0x20000000 */
END

TEST(addme_of_zero)
	addme	3, 4
	/*= r3 = -1, xer = 0 */
END

TEST(addme_with_carry)
	lis	6, 0x2000
	mtxer	6
	addme	3, 4
	/*= r3 = 0, xer = 0x20000000 */
END

TEST(subfze_of_zero_with_carry)
	lis	6, 0x2000
	mtxer	6
	subfze	3, 4
	/*= r3 = 0, xer = 0x20000000 */
END

TEST(subfme)
	li	4, -1
	subfme	3, 4
	/*= r3 = -1, xer = 0 */
END

TEST(addo_overflows_and_so_sticks)
	LOAD64	4, 0x7fffffffffffffff
	li	5, 1
	addo.	3, 4, 5
	addo.	6, 5, 5
	/*= r3 = 0x8000000000000000, r6 = 2, xer = 0x80000000, cr0 = 0b0101 */
END

TEST(subfo_overflows)
	LOAD64	4, 0x8000000000000000
	li	5, 1
	subfo	3, 5, 4
	/*= r3 = 0x7fffffffffffffff, xer = 0xc0000000 */
END

TEST(nego_of_the_most_negative)
	LOAD64	4, 0x8000000000000000
	nego.	3, 4
	/*= r3 = 0x8000000000000000, xer = 0xc0000000, cr0 = 0b1001 */
END

TEST(addzeo_overflows_by_the_carry)
	lis	6, 0x2000
	mtxer	6
	LOAD64	4, 0x7fffffffffffffff
	addzeo	3, 4
	/*= r3 = 0x8000000000000000, xer = 0xc0000000 */
END

TEST(instructions_without_oe_keep_ov)
	lis	6, 0x4000
	mtxer	6
	li	4, 1
	add.	3, 4, 4
	/*= xer = 0x40000000, cr0 = 0b0100 */
END

TEST(count_is_kept)
	li	6, 0x55
	mtxer	6
	li	4, -1
	addco	3, 4, 4
	mfxer	7
	/*= r7 = 0x20000055, xer = 0x20000055 */
END
