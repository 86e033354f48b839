/* SPDX-License-Identifier: MIT */
/* Vector loads and stores: low address bits are ignored. Memory at r31 holds 0, 1, 2, ... */
#include "asmtest.h"

TEST(lvx_masks_the_address)
	addi	4, 31, 31
	lvx	1, 0, 4
	lvxl	2, 0, 31
	/*= v1 = 0x1f1e1d1c1b1a1918 1716151413121110, v2 = 0x0f0e0d0c0b0a0908 0706050403020100 */
END

TEST(stvx_masks_the_address)
	LOADV	33, 0x1111111111111111, 0x2222222222222222
	addi	4, 31, 23
	stvx	1, 0, 4
	/*= mem+16 = 0x2222222222222222, mem+24 = 0x1111111111111111, mem+32 = 0x2726252423222120 */
END

/* The element goes where it belongs in a quadword that begins at a multiple of 16. */
TEST(lve)
	addi	4, 31, 5
	lvebx	1, 0, 4
	vspltb	1, 1, 10
	addi	5, 31, 7
	lvehx	2, 0, 5
	vsplth	2, 2, 4
	addi	6, 31, 15
	lvewx	3, 0, 6
	vspltw	3, 3, 0
	/*= v1 = 0x0505050505050505 0505050505050505, v2 = 0x0706070607060706 0706070607060706 */
	/*= v3 = 0x0f0e0d0c0f0e0d0c 0f0e0d0c0f0e0d0c */
END

TEST(stve)
	LOADV	33, 0xa0a1a2a3a4a5a6a7, 0xa8a9aaabacadaeaf
	addi	4, 31, 5
	stvebx	1, 0, 4
	addi	5, 31, 19
	stvehx	1, 0, 5
	addi	6, 31, 47
	stvewx	1, 0, 6
	/*= mem+0 = 0x0706aa0403020100, mem+16 = 0x17161514acad1110, mem+40 = 0xa0a1a2a32b2a2928 */
END

TEST(lvsl_and_lvsr)
	addi	4, 31, 3
	lvsl	1, 0, 4
	lvsr	2, 0, 4
	lvsr	3, 0, 31
	/*= v1 = 0x030405060708090a 0b0c0d0e0f101112, v2 = 0x0d0e0f1011121314 15161718191a1b1c */
	/*= v3 = 0x1011121314151617 18191a1b1c1d1e1f */
END

TEST(base_0_is_zero)
	li	0, 64
	lvx	1, 0, 31
	/*= v1 = 0x0f0e0d0c0b0a0908 0706050403020100 */
END
