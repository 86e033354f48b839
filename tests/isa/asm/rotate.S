/* SPDX-License-Identifier: MIT */
/* Rotates: masks that wrap, and what the word forms do to the upper half. */
#include "asmtest.h"

TEST(rlwinm_plain)
	LOAD64	4, 0x1234567889abcdef
	rlwinm	3, 4, 8, 16, 23
	/*= r3 = 0xef00 */
END

/* The rotated word is there twice, so a mask that wraps lets the upper copy through. */
TEST(rlwinm_wraps_through_the_upper_half)
	LOAD64	4, 0x1234567889abcdef
	rlwinm	3, 4, 0, 24, 7
	/*= r3 = 0x89abcdef890000ef */
END

TEST(rlwnm_takes_five_bits)
	LOAD64	4, 0x80000001
	li	5, 33
	rlwnm	3, 4, 5, 0, 31
	/*= r3 = 3 */
END

TEST(rlwimi_keeps_the_rest)
	LOAD64	3, 0xaaaaaaaaaaaaaaaa
	LOAD64	4, 0x0000000000000055
	rlwimi	3, 4, 8, 16, 23
	/*= r3 = 0xaaaaaaaaaaaa55aa */
END

TEST(rlwimi_wrapping)
	li	3, 0
	LOAD64	4, 0xffffffffffffffff
	rlwimi	3, 4, 0, 31, 0
	/*= r3 = 0xffffffff80000001 */
END

TEST(rldicl)
	LOAD64	4, 0x8000000000000001
	rldicl	3, 4, 4, 60
	/*= r3 = 8 */
END

TEST(rldicr)
	LOAD64	4, 0x8000000000000001
	rldicr	3, 4, 63, 0
	/*= r3 = 0x8000000000000000 */
END

TEST(rldic)
	li	4, -1
	rldic	3, 4, 8, 48
	/*= r3 = 0xff00 */
END


TEST(rldimi)
	LOAD64	3, 0x1111111111111111
	LOAD64	4, 0x2222222222222222
	rldimi	3, 4, 16, 32
	/*= r3 = 0x1111111122221111 */
END

TEST(rldcl_takes_six_bits)
	LOAD64	4, 0x8000000000000000
	li	5, 65
	rldcl	3, 4, 5, 0
	/*= r3 = 1 */
END
