/* SPDX-License-Identifier: MIT */
/*
 * VSX loads and stores: in little-endian mode the elements keep their order, the bytes in them are
 * swapped; so lxvd2x swaps doublewords against lvx. Memory at r31 holds 0, 1, 2, ...
 */
#include "asmtest.h"

TEST(lxvd2x)
	addi	4, 31, 1
	lxvd2x	35, 0, 4
	/*= v3 = 0x0807060504030201 100f0e0d0c0b0a09 */
END

TEST(lxvw4x)
	lxvw4x	35, 0, 31
	/*= v3 = 0x0302010007060504 0b0a09080f0e0d0c */
END

TEST(lxvdsx)
	lxvdsx	3, 0, 31
	/*= vs3 = 0x0706050403020100 0706050403020100 */
END

TEST(stxvd2x)
	LOADV	35, 0xa0a1a2a3a4a5a6a7, 0xa8a9aaabacadaeaf
	stxvd2x	35, 0, 31
	/*= mem+0 = 0xa0a1a2a3a4a5a6a7, mem+8 = 0xa8a9aaabacadaeaf */
END

TEST(stxvw4x)
	LOADV	35, 0xa0a1a2a3a4a5a6a7, 0xa8a9aaabacadaeaf
	stxvw4x	35, 0, 31
	/*= mem+0 = 0xa4a5a6a7a0a1a2a3, mem+8 = 0xacadaeafa8a9aaab */
END

TEST(scalars)
	LOADV	35, 0x7ff0000020000000, 0
	stxsspx	35, 0, 31
	lxsspx	36, 0, 31
	addi	4, 31, 4
	stxsiwx	35, 0, 4
	addi	5, 31, 8
	stxsdx	35, 0, 5
	/*= mem+0 = 0x200000007f800001, mem+8 = 0x7ff0000020000000 */
	/*= v4 = 0x7ff0000020000000 0000000000000000, fpscr = 0 */
END
