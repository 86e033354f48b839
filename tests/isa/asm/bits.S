/* SPDX-License-Identifier: MIT */
/* Counting, parity, bit permutes, selects. */
#include "asmtest.h"

TEST(cntlz_of_zero)
	cntlzw	3, 4
	cntlzd	5, 4
	/*= r3 = 32, r5 = 64 */
END

TEST(cntlzw_ignores_the_upper_half)
	LOAD64	4, 0xffffffff00000001
	cntlzw.	3, 4
	cntlzd	5, 4
	/*= r3 = 31, r5 = 0, cr0 = 0b0100 */
END

TEST(population)
	LOAD64	4, 0x9182736405504536
	popcntd	3, 4
	popcntw	5, 4
	popcntb	6, 4
	/*= r3 = 24, r5 = 0xd0000000b, r6 = 0x0302050302020304 */
END

/* Parity counts bit 7 of each byte only. */
TEST(parity)
	LOAD64	4, 0x0101000001fe0001
	prtyd	3, 4
	prtyw	5, 4
	/*= r3 = 0, r5 = 0x0000000000000000 */
END

TEST(parity_odd)
	LOAD64	4, 0x0100000001010000
	prtyd	3, 4
	prtyw	5, 4
	/*= r3 = 1, r5 = 0x0000000100000000 */
END

/* An index above 63 gives 0. */
TEST(bpermd)
	LOAD64	4, 0x003f4080ff013e02
	LOAD64	5, 0xc000000000000003
	bpermd	3, 4, 5
	/*= r3 = 0b11000110 */
END

TEST(cmpb)
	LOAD64	4, 0x1122334455667788
	LOAD64	5, 0x1100330055007788
	cmpb	3, 4, 5
	/*= r3 = 0xff00ff00ff00ffff */
END

TEST(isel_of_r0_is_zero)
	li	0, 5
	li	4, 7
	li	6, 1
	cmpdi	6, 1
	isel	3, 0, 4, 2
	isel	5, 0, 4, 0
	/*= r3 = 0, r5 = 7 */
END

TEST(extend)
	LOAD64	4, 0x00000000ffff8081
	extsb	3, 4
	extsh	5, 4
	extsw	6, 4
	/*= r3 = 0xffffffffffffff81, r5 = 0xffffffffffff8081, r6 = 0xffffffffffff8081 */
END
