/* SPDX-License-Identifier: MIT */
/* Comparisons: word or doubleword, signed or not, any field. */
#include "asmtest.h"

TEST(word_ignores_the_upper_half)
	LOAD64	4, 0xffffffff00000001
	li	5, 1
	cmpw	1, 4, 5
	cmpd	2, 4, 5
	cmplw	3, 4, 5
	cmpld	4, 4, 5
	/*= cr = 0x02824000 */
END

TEST(signs)
	li	4, -1
	li	5, 1
	cmpw	0, 4, 5
	cmplw	1, 4, 5
	cmpd	6, 4, 5
	cmpld	7, 4, 5
	/*= cr = 0x84000084 */
END

TEST(immediates_extend)
	li	4, -1
	cmpwi	0, 4, -1
	cmplwi	1, 4, 0xffff
	cmpdi	2, 4, -32768
	LOAD64	5, 0xffff
	cmpldi	3, 5, 0xffff
	/*= cr = 0x24420000 */
END

TEST(so_goes_into_every_field)
	lis	6, 0x8000
	mtxer	6
	cmpwi	5, 4, 0
	/*= cr = 0x00000300 */
END
