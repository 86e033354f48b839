/* SPDX-License-Identifier: MIT */
/* Special-purpose registers of problem state. */
#include "asmtest.h"

TEST(link_count_target)
	LOAD64	4, 0x123456789abcdef1
	mtlr	4
	mtctr	4
	mtspr	815, 4
	mflr	5
	mfctr	6
	mfspr	7, 815
	/*= lr = 0x123456789abcdef1, ctr = 0x123456789abcdef1, tar = 0x123456789abcdef1 */
	/*= r5 = 0x123456789abcdef1, r6 = 0x123456789abcdef1, r7 = 0x123456789abcdef1 */
END

TEST(vrsave_has_32_bits)
	LOAD64	4, 0xffffffff89abcdef
	mtspr	256, 4
	mfspr	5, 256
	/*= r5 = 0x89abcdef, vrsave = 0x89abcdef */
END

TEST(xer_has_what_it_has)
	LOAD64	4, 0xffffffffe000007f
	mtxer	4
	mfxer	5
	clrldi	5, 5, 32
	rlwinm	5, 5, 0, 25, 2
	clrldi	5, 5, 32
	/*= r5 = 0xe000007f */
END

/* DSCR can be written from problem state by its number 3. */
TEST(dscr)
	li	4, 5
	mtspr	3, 4
	mfspr	5, 3
	/*= r5 = 5 */
END

TEST(ppr)
	mfspr	4, 896
	mtspr	896, 4
	mfspr	5, 896
	subf	3, 4, 5
	/*= r3 = 0 */
END

/* The time base runs. */
TEST(time_base)
	mftb	4
	li	6, 1000
	mtctr	6
1:	bdnz	1b
	mfspr	5, 268
	cmpld	5, 4
	mfspr	7, 269
	srdi	8, 5, 32
	cmpld	1, 7, 8
	/*= cr0 = 0b0100, cr1 = 0b0010 */
END

TEST(sprg3_is_readable)
	mfspr	4, 259
	li	3, 1
	/*= r3 = 1 */
END

TEST(time_base_is_read_only)
	mtspr	268, 4
	/*= signal = SIGILL */
END
