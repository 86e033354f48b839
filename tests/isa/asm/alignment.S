/* SPDX-License-Identifier: MIT */
/*
 * Accesses that take an alignment interrupt (ISA 2.07B Book III-S 6.5.8). These tests are about
 * the machine, whose user they end with SIGBUS; a kernel may emulate some of them.
 */
#include "asmtest.h"

TEST(lwarx)
	addi	4, 31, 2
	lwarx	3, 0, 4
	/*= signal = SIGBUS */
END

TEST(ldarx)
	addi	4, 31, 4
	ldarx	3, 0, 4
	/*= signal = SIGBUS */
END

TEST(lharx)
	addi	4, 31, 1
	lharx	3, 0, 4
	/*= signal = SIGBUS */
END

TEST(lqarx)
	addi	4, 31, 8
	lqarx	6, 0, 4
	/*= signal = SIGBUS */
END

TEST(stwcx)
	addi	4, 31, 1
	stwcx.	3, 0, 4
	/*= signal = SIGBUS */
END

TEST(stdcx)
	addi	4, 31, 4
	stdcx.	3, 0, 4
	/*= signal = SIGBUS */
END

/* Multiple and string instructions exist in big-endian mode only. */
TEST(lmw)
	.long	46 << 26 | 29 << 21 | 31 << 16
	/*= signal = SIGBUS */
END

TEST(stmw)
	.long	47 << 26 | 29 << 21 | 31 << 16
	/*= signal = SIGBUS */
END

TEST(lswi)
	.long	31 << 26 | 3 << 21 | 31 << 16 | 8 << 11 | 597 << 1
	/*= signal = SIGBUS */
END

TEST(stswx)
	.long	31 << 26 | 3 << 21 | 0 << 16 | 31 << 11 | 661 << 1
	/*= signal = SIGBUS */
END
