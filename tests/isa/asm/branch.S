/* SPDX-License-Identifier: MIT */
/* Branches: what is written, and in which order things are looked at. */
#include "asmtest.h"

/* LR is written whether the branch is taken or not. */
TEST(link_of_a_branch_not_taken)
	crclr	0
	bcl	12, 0, 2f
1:	mflr	3
	lis	4, 1b@ha
	addi	4, 4, 1b@l
	subf	3, 4, 3
2:
	/*= r3 = 0, cr = 0 */
END

/* bclrl jumps to the old LR. */
TEST(blrl_uses_the_old_link)
	lis	4, 2f@ha
	addi	4, 4, 2f@l
	mtlr	4
	blrl
1:	li	3, 1
	b	3f
2:	li	3, 2
	mflr	5
	addi	4, 4, 1b - 2b
	subf	5, 4, 5
3:
	/*= r3 = 2, r5 = 0 */
END

TEST(low_bits_of_targets_are_ignored)
	lis	4, 1f@ha
	addi	4, 4, 1f@l
	ori	5, 4, 3
	mtctr	5
	bctr
	li	3, 1
1:	lis	4, 2f@ha
	addi	4, 4, 2f@l
	ori	5, 4, 2
	mtspr	815, 5
	bctar	20, 0, 0
	li	3, 2
2:	mfctr	6
	clrldi	6, 6, 62
	/*= r3 = 0, r6 = 3 */
END

/* All 64 bits of CTR count. */
TEST(bdnz_looks_at_64_bits)
	LOAD64	4, 0x100000001
	mtctr	4
	bdnz	1f
	li	3, 1
1:
	/*= r3 = 0, ctr = 0x100000000 */
END

TEST(bdz_wraps)
	li	4, 0
	mtctr	4
	bdz	1f
	li	3, 1
1:
	/*= r3 = 1, ctr = -1 */
END

TEST(bdnzt_counts_even_if_the_condition_fails)
	li	4, 5
	mtctr	4
	crclr	0
	bdnzt	0, 1f
	li	3, 1
1:
	/*= r3 = 1, ctr = 4 */
END

TEST(counted_loop)
	li	4, 100
	mtctr	4
1:	addi	3, 3, 2
	bdnz	1b
	/*= r3 = 200, ctr = 0 */
END

/* An absolute branch that is not taken may have any target. */
TEST(bca_not_taken)
	crclr	0
	.long	16 << 26 | 12 << 21 | 0x7ffc | 2
	.long	16 << 26 | 12 << 21 | 0xfffc | 3
	li	3, 1
	/*= r3 = 1 */
END

TEST(bca_taken_into_nowhere)
	.long	16 << 26 | 20 << 21 | 0x0ffc | 2
	/*= signal = SIGSEGV */
END

TEST(bctrl_writes_link)
	lis	4, 2f@ha
	addi	4, 4, 2f@l
	mtctr	4
	bctrl
1:	b	3f
2:	mflr	5
	addi	4, 4, 1b - 2b
	subf	3, 4, 5
	blr
3:	li	6, 1
	/*= r3 = 0, r6 = 1 */
END

TEST(bclr_with_count)
	lis	4, 1f@ha
	addi	4, 4, 1f@l
	mtlr	4
	li	5, 2
	mtctr	5
	bdnzlr
	li	3, 1
1:	bdnzlr
	/*= r3 = 0, ctr = 0 */
END
