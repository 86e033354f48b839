/* SPDX-License-Identifier: MIT */
/* Saturation and VSCR[SAT], which sticks. VSCR: NJ 0x10000, SAT 1. */
#include "asmtest.h"

TEST(without_saturation)
	LOADV	33, 0x7f80ff0001020304, 0
	vaddubm	2, 1, 1
	/*= v2 = 0xfe00fe0002040608 0000000000000000, vscr = 0 */
END

TEST(add_signed_bytes)
	LOADV	33, 0x7f80ff0001020304, 0
	vaddsbs	2, 1, 1
	/*= v2 = 0x7f80fe0002040608 0000000000000000, vscr = 1 */
END

TEST(add_unsigned_bytes)
	LOADV	33, 0x7f80ff0001020304, 0
	vaddubs	2, 1, 1
	/*= v2 = 0xfeffff0002040608 0000000000000000, vscr = 1 */
END

TEST(subtract_unsigned)
	LOADV	33, 0x0001000000000000, 0
	LOADV	34, 0x0002000000000000, 0
	vsubuhs	3, 1, 2
	/*= v3 = 0, vscr = 1 */
END

TEST(sticks)
	LOADV	33, 0x7f00000000000000, 0
	vaddsbs	2, 1, 1
	vaddsbs	3, 0, 0
	/*= vscr = 1 */
END

TEST(mtvscr)
	LOADV	33, 0, 0x00010001
	mtvscr	1
	mfvscr	2
	/*= vscr = 0x00010001, v2 = 0x00010001 */
END

TEST(pack_signed_to_unsigned)
	LOADV	33, 0x0000007fffffff01, 0x00ff0100ffff8000
	vpkshus	2, 1, 1
	/*= v2 = 0x007f0000ffff0000 007f0000ffff0000, vscr = 1 */
END

TEST(pack_signed_doublewords)
	LOADV	33, 0x000000007fffffff, 0xffffffff7fffffff
	vpksdss	2, 1, 0
	/*= v2 = 0x7fffffff80000000 0000000000000000, vscr = 1 */
END

TEST(pack_modulo_never)
	LOADV	33, 0x123456789abcdef0, 0xffffffff00000001
	vpkudum	2, 1, 1
	/*= v2 = 0x9abcdef000000001 9abcdef000000001, vscr = 0 */
END

TEST(sum_across)
	LOADV	33, 0x7fffffff00000001, 0
	LOADV	34, 0, 0
	vsumsws	3, 1, 2
	/*= v3 = 0x7fffffff, vscr = 1 */
END

/* The products are added without loss before the one saturation. */
TEST(multiply_sum)
	LOADV	33, 0x8000800000000000, 0
	LOADV	34, 0, 0
	vmsumshs 3, 1, 1, 2
	vmsumshm 4, 1, 1, 2
	/*= v3 = 0x7fffffff00000000 0000000000000000, v4 = 0x8000000000000000 0000000000000000 */
	/*= vscr = 1 */
END

TEST(multiply_high_add)
	LOADV	33, 0x8000000000000000, 0
	LOADV	34, 0, 0
	vmhaddshs 3, 1, 1, 2
	vmhraddshs 4, 1, 1, 2
	/*= v3 = 0x7fff000000000000 0000000000000000, v4 = 0x7fff000000000000 0000000000000000 */
	/*= vscr = 1 */
END
