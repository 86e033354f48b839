/* SPDX-License-Identifier: MIT */
/* Estimates of special operands: these are exact. */
#include "asmtest.h"

TEST(reciprocal_of_zero)
	fre	1, 0
	LOADF	2, 0x8000000000000000
	fres	3, 2
	/*= f1 = 0x7ff0000000000000, f3 = 0xfff0000000000000 */
END

TEST(reciprocal_of_zero_is_a_division_by_zero)
	fre	1, 0
	mcrfs	1, 1
	/*= cr1 = 0b0100 */
END

TEST(reciprocal_of_infinity)
	LOADF	1, 0xfff0000000000000
	fre	2, 1
	/*= f2 = 0x8000000000000000 */
END

TEST(reciprocal_square_root)
	LOADF	1, 0x8000000000000000
	LOADF	2, 0xbff0000000000000
	LOADF	3, 0x7ff0000000000000
	frsqrte	4, 1
	frsqrte	5, 2
	frsqrte	6, 3
	/*= f4 = 0xfff0000000000000, f5 = 0x7ff8000000000000, f6 = 0 */
END

TEST(square_root)
	LOADF	1, 0x8000000000000000
	LOADF	2, 0x4000000000000000
	fsqrt	3, 1
	fsqrt	4, 2
	/*= f3 = 0x8000000000000000, f4 = 0x3ff6a09e667f3bcd, fpscr = 0x82064000 */
END
