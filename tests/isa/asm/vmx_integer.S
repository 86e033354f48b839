/* SPDX-License-Identifier: MIT */
/* Integer arithmetic of vectors: carries, quadwords, averages, comparisons and CR6. */
#include "asmtest.h"

TEST(quadword_add)
	LOADV	33, 0, -1
	LOADV	34, -1, -1
	LOADV	35, 0, 1
	vadduqm	4, 1, 3
	vaddcuq	5, 2, 3
	vaddeuqm 6, 2, 2, 3
	vaddecuq 7, 2, 1, 3
	/*= v4 = 0x0000000000000001 0000000000000000, v5 = 1, v6 = -1, v7 = 1 */
END

TEST(quadword_subtract)
	LOADV	33, 1, 0
	LOADV	34, 0, 1
	vsubuqm	3, 1, 2
	vsubcuq	4, 1, 2
	vsubcuq	5, 2, 1
	/*= v3 = 0x0000000000000000 ffffffffffffffff, v4 = 1, v5 = 0 */
END

TEST(carry_of_words)
	LOADV	33, 0xffffffff00000001, 0x8000000000000005
	LOADV	34, 0x00000001ffffffff, 0x8000000000000006
	vaddcuw	3, 1, 2
	vsubcuw	4, 1, 2
	/*= v3 = 0x0000000100000001 0000000100000000, v4 = 0x0000000100000000 0000000100000000 */
END

/* An average rounds up. */
TEST(average)
	LOADV	33, 0x00ff01fe80000000, 0
	LOADV	34, 0x01ff02ff7f000000, 0
	vavgub	3, 1, 2
	vavgsb	4, 1, 2
	/*= v3 = 0x01ff02ff80000000 0000000000000000, v4 = 0x01ff02ff00000000 0000000000000000 */
END

TEST(compare_records_all_and_none)
	LOADV	33, 5, 6
	LOADV	34, 4, 5
	vcmpgtud. 3, 1, 2
	mfocrf	4, 2
	rlwinm	4, 4, 28, 28, 31
	vcmpgtud. 5, 2, 1
	/*= v3 = -1, v5 = 0, cr6 = 0b0010 */
END

TEST(compare_mixed)
	LOADV	33, 5, 6
	LOADV	34, 5, 5
	vcmpequd. 3, 1, 2
	/*= v3 = 0xffffffffffffffff 0000000000000000, cr6 = 0 */
END

TEST(compare_all)
	vcmpequb. 3, 1, 1
	/*= cr6 = 0b1000 */
END

TEST(multiply_even_odd)
	LOADV	33, 0xfffffffe00000003, 0x8000000000000007
	vmuleuw	2, 1, 1
	vmulesw	3, 1, 1
	vmulouw	4, 1, 1
	vmuluwm	5, 1, 1
	/*= v2 = 0xfffffffc00000004 4000000000000000, v3 = 0x0000000000000004 4000000000000000 */
	/*= v4 = 0x0000000000000009 0000000000000031, v5 = 0x0000000400000009 0000000000000031 */
END

TEST(count)
	LOADV	33, 0x00ff010080000000, 0
	vclzd	2, 1
	vclzw	3, 1
	vpopcntd 4, 1
	vpopcntb 5, 1
	/*= v2 = 0x0000000000000008 0000000000000040, v3 = 0x0000000800000000 0000002000000020 */
	/*= v4 = 0x000000000000000a 0000000000000000, v5 = 0x0008010001000000 0000000000000000 */
END

TEST(shift_by_more_than_the_size)
	LOADV	33, 0x8000000080000001, -1
	LOADV	34, 0x000000210000003f, 0x4100000000000040
	vsrw	3, 1, 2
	vsraw	4, 1, 2
	vsld	5, 1, 2
	/*= v3 = 0x4000000000000001 ffffffffffffffff, v4 = 0xc0000000ffffffff ffffffffffffffff */
	/*= v5 = 0x8000000000000000 ffffffffffffffff */
END

TEST(minimum_maximum)
	LOADV	33, 0x8000000000000000, 5
	LOADV	34, 1, 0xffffffffffffffff
	vminsd	3, 1, 2
	vmaxud	4, 1, 2
	/*= v3 = 0x8000000000000000 ffffffffffffffff, v4 = 0x8000000000000000 ffffffffffffffff */
END
