/* SPDX-License-Identifier: MIT */
/* Products: halves, overflow. Word forms clear the upper half, as recorded on POWER (jm-int). */
#include "asmtest.h"

TEST(mulhw_clears_the_upper_half)
	LOAD64	4, 0x0000001cbe991def
	li	5, -1
	mulhw	3, 4, 4
	mulhwu	6, 4, 5
	/*= r3 = 0x10b56825, r6 = 0xbe991dee */
END

TEST(mullw_is_a_64_bit_product)
	LOAD64	4, 0x0000001cbe991def
	mullwo.	3, 4, 4
	/*= r3 = 0x10b568258f2e0521, xer = 0xc0000000, cr0 = 0b0101 */
END

TEST(mullwo_that_fits)
	LOAD64	4, 0xffff8000
	LOAD64	5, 0x10000
	mullwo	3, 4, 5
	/*= r3 = 0xffffffff80000000, xer = 0 */
END

TEST(mullwo_one_too_large)
	LOAD64	4, 0x8000
	LOAD64	5, 0x10000
	mullwo	3, 4, 5
	/*= r3 = 0x80000000, xer = 0xc0000000 */
END

TEST(mulldo_of_the_most_negative)
	LOAD64	4, 0x8000000000000000
	li	5, -1
	mulldo	3, 4, 5
	/*= r3 = 0x8000000000000000, xer = 0xc0000000 */
END

TEST(mulld_and_mulhd)
	LOAD64	4, 0x0000001cbe991def
	mulldo	3, 4, 4
	mulhd	5, 4, 4
	/*= r3 = 0x3f66304b8f2e0521, r5 = 0x33a, xer = 0xc0000000 */
END

TEST(mulhdu)
	li	4, -1
	mulhdu	3, 4, 4
	mulhd	5, 4, 4
	/*= r3 = 0xfffffffffffffffe, r5 = 0 */
END

TEST(mulli_negative)
	li	4, -3
	mulli	3, 4, -32768
	/*= r3 = 98304 */
END
