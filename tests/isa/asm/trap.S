/* SPDX-License-Identifier: MIT */
/* Traps, taken and not. */
#include "asmtest.h"

TEST(unconditional)
	trap
	/*= signal = SIGTRAP */
END

TEST(tw_compares_words)
	LOAD64	4, 0xffffffff00000001
	li	5, 1
	twne	4, 5
	li	3, 1
	/*= r3 = 1 */
END

TEST(td_compares_doublewords)
	LOAD64	4, 0xffffffff00000001
	li	5, 1
	tdne	4, 5
	/*= signal = SIGTRAP */
END

TEST(twlt_is_signed)
	li	4, -1
	twlti	4, 0
	/*= signal = SIGTRAP */
END

TEST(twllt_is_unsigned)
	li	4, -1
	twllti	4, 0
	twllti	4, 5
	li	3, 1
	/*= r3 = 1 */
END

TEST(immediates_extend)
	li	4, -1
	tdeqi	4, -1
	/*= signal = SIGTRAP */
END

TEST(twllgt)
	li	4, 0
	li	5, -1
	twlgt	4, 5
	li	3, 1
	twlgt	5, 4
	/*= signal = SIGTRAP */
END

TEST(never)
	tw	0, 4, 4
	tdi	0, 4, 0
	li	3, 1
	/*= r3 = 1 */
END
