/* SPDX-License-Identifier: MIT */
/* Packed decimal: 31 digits and a sign; C and F are plus, D is minus. CR6: LT GT EQ SO. */
#include "asmtest.h"

TEST(add)
	LOADV	33, 0, 0x199c
	LOADV	34, 0, 0x002f
	bcdadd.	3, 1, 2, 0
	bcdadd.	4, 1, 2, 1
	/*= v3 = 0x201c, v4 = 0x201f, cr6 = 0b0100 */
END

TEST(add_of_different_signs)
	LOADV	33, 0, 0x123c
	LOADV	34, 0, 0x124d
	bcdadd.	3, 1, 2, 0
	/*= v3 = 0x1d, cr6 = 0b1000 */
END

TEST(zero_is_positive)
	LOADV	33, 0, 0x123d
	bcdsub.	3, 1, 1, 0
	/*= v3 = 0xc, cr6 = 0b0010 */
END

TEST(other_signs)
	LOADV	33, 0, 0x1a
	LOADV	34, 0, 0x2e
	LOADV	35, 0, 0x4b
	bcdadd.	4, 1, 2, 0
	bcdadd.	5, 4, 3, 0
	/*= v4 = 0x3c, v5 = 0x1d */
END

TEST(overflow)
	LOADV	33, 0x9999999999999999, 0x999999999999999c
	LOADV	34, 0, 0x1c
	bcdadd.	3, 1, 2, 0
	/*= v3 = 0xc, cr6 = 0b0101 */
END

TEST(carry_across_the_halves)
	LOADV	33, 0, 0x999999999999999c
	LOADV	34, 0, 0x1c
	bcdadd.	3, 1, 2, 0
	bcdsub.	4, 3, 2, 0
	/*= v3 = 0x0000000000000001 000000000000000c, v4 = 0x999999999999999c */
END

TEST(invalid_digit)
	LOADV	33, 0, 0x1ac
	LOADV	34, 0, 0x1c
	bcdadd.	3, 1, 2, 0
	/*= cr6 = 0b0001 */
END

TEST(invalid_sign)
	LOADV	33, 0, 0x123
	LOADV	34, 0, 0x1c
	bcdsub.	3, 1, 2, 0
	/*= cr6 = 0b0001 */
END

/* The assist instructions of the fixed-point unit. */
TEST(declets)
	LOAD64	4, 0x0000099900000123
	cbcdtd	3, 4
	cdtbcd	5, 3
	/*= r3 = 0x000000ff000000a3, r5 = 0x0000099900000123 */
END

/* 6 where a digit did not carry. */
TEST(addg6s)
	LOAD64	4, 0x0000000000000999
	LOAD64	5, 0x0000000000000001
	addg6s	3, 4, 5
	/*= r3 = 0x6666666666666666 */
END

TEST(addg6s_hexadecimal_carries)
	LOAD64	4, 0x0000000000000fff
	LOAD64	5, 0x0000000000000001
	addg6s	3, 4, 5
	/*= r3 = 0x6666666666666000 */
END
