/* SPDX-License-Identifier: MIT */
/* Shifts: counts from the size up, and CA of the algebraic ones. */
#include "asmtest.h"

TEST(slw_by_32)
	li	4, -1
	li	5, 32
	slw	3, 4, 5
	/*= r3 = 0 */
END

TEST(slw_by_64_is_by_0)
	LOAD64	4, 0x1234567889abcdef
	li	5, 64
	slw	3, 4, 5
	/*= r3 = 0x89abcdef */
END

TEST(srw_upper_half_is_cleared)
	li	4, -1
	li	5, 4
	srw	3, 4, 5
	/*= r3 = 0x0fffffff */
END

TEST(sld_by_64)
	li	4, -1
	li	5, 64
	sld	3, 4, 5
	/*= r3 = 0 */
END

TEST(srd_by_127)
	li	4, -1
	li	5, 127
	srd	3, 4, 5
	/*= r3 = 0 */
END

TEST(sld_by_128_is_by_0)
	li	4, 5
	li	5, 128
	sld	3, 4, 5
	/*= r3 = 5 */
END

TEST(sraw_negative_loses_ones)
	LOAD64	4, 0x80000001
	li	5, 1
	sraw.	3, 4, 5
	/*= r3 = 0xffffffffc0000000, xer = 0x20000000, cr0 = 0b1000 */
END

TEST(sraw_negative_loses_zeros)
	LOAD64	4, 0x80000000
	li	5, 1
	sraw	3, 4, 5
	/*= r3 = 0xffffffffc0000000, xer = 0 */
END

TEST(sraw_by_32_of_negative)
	LOAD64	4, 0x80000000
	li	5, 32
	sraw	3, 4, 5
	/*= r3 = -1, xer = 0x20000000 */
END

TEST(sraw_by_63_of_positive)
	LOAD64	4, 0xffffffff7fffffff
	li	5, 63
	sraw	3, 4, 5
	/*= r3 = 0, xer = 0 */
END

TEST(srawi_by_0_clears_ca)
	lis	6, 0x2000
	mtxer	6
	LOAD64	4, 0x80000001
	srawi	3, 4, 0
	/*= r3 = 0xffffffff80000001, xer = 0 */
END

TEST(srad_by_64_of_negative)
	LOAD64	4, 0x8000000000000000
	li	5, 64
	srad	3, 4, 5
	/*= r3 = -1, xer = 0x20000000 */
END

TEST(sradi_63)
	li	4, -2
	sradi.	3, 4, 63
	/*= r3 = -1, xer = 0x20000000, cr0 = 0b1000 */
END

TEST(sradi_exact)
	li	4, -8
	sradi	3, 4, 3
	/*= r3 = -1, xer = 0 */
END
