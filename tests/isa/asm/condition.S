/* SPDX-License-Identifier: MIT */
/* The condition register as such. */
#include "asmtest.h"

TEST(logical)
	LOAD64	6, 0xc0000000
	mtcr	6
	crand	4, 0, 1
	crandc	5, 0, 2
	cror	6, 2, 3
	crxor	7, 0, 1
	crnor	8, 2, 3
	crnand	9, 0, 1
	creqv	10, 2, 3
	crorc	11, 3, 0
	/*= cr = 0xcca00000 */
END

TEST(same_bit)
	crset	31
	crnot	30, 31
	crmove	0, 31
	crclr	31
	/*= cr = 0x80000000 */
END

TEST(mcrf)
	LOAD64	6, 0x12345678
	mtcr	6
	mcrf	0, 7
	mcrf	7, 1
	/*= cr = 0x82345672 */
END

TEST(mtcrf_of_some)
	LOAD64	6, 0xffffffff
	LOAD64	7, 0x12345678
	mtcr	6
	mtcrf	0x81, 7
	/*= cr = 0x1ffffff8 */
END

TEST(mtcrf_of_none)
	LOAD64	6, 0xffffffff
	mtcrf	0, 6
	/*= cr = 0 */
END

TEST(mtocrf)
	LOAD64	6, 0x12345678
	mtocrf	0x10, 6
	/*= cr = 0x00040000 */
END

TEST(mfocrf)
	LOAD64	6, 0x12345678
	mtcr	6
	mfocrf	3, 0x10
	rlwinm	3, 3, 0, 12, 15
	mfcr	4
	/*= r3 = 0x40000, r4 = 0x12345678 */
END
