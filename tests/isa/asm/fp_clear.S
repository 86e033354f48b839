/* SPDX-License-Identifier: MIT */
/*
 * Scalar results clear doubleword 1 of their vector-scalar register. The ISA leaves it undefined;
 * POWER8 clears it.
 */
#include "asmtest.h"

.macro FILL n
	LOADV	\n, 0x1111111111111111, 0x2222222222222222
.endm

TEST(lfd)
	FILL	3
	lfd	3, 0(31)
	/*= vs3 = 0x0706050403020100 0000000000000000 */
END

TEST(lfs)
	FILL	3
	lfs	3, 0x3c(31)
	/*= vs3 = 0x3fe7c7a780000000 0000000000000000 */
END

TEST(fmr)
	FILL	3
	FILL	4
	fmr	3, 4
	/*= vs3 = 0x1111111111111111 0000000000000000, vs4 = 0x1111111111111111 2222222222222222 */
END

TEST(fadd)
	FILL	3
	LOADF	4, 0x3ff0000000000000
	fadd	3, 4, 4
	/*= vs3 = 0x4000000000000000 0000000000000000 */
END

TEST(mffs)
	FILL	3
	mffs	3
	/*= vs3 = 0 */
END

TEST(xsadddp)
	FILL	35
	LOADF	4, 0x3ff0000000000000
	xsadddp	35, 4, 4
	/*= v3 = 0x4000000000000000 0000000000000000 */
END

TEST(lxsdx)
	FILL	35
	lxsdx	35, 0, 31
	/*= v3 = 0x0706050403020100 0000000000000000 */
END

TEST(lxsiwax)
	FILL	35
	addi	4, 31, 0x80
	lxsiwax	35, 0, 4
	/*= v3 = 0xffffffff83828180 0000000000000000 */
END

TEST(mtvsrd)
	FILL	35
	li	4, 5
	mtvsrd	35, 4
	/*= v3 = 0x0000000000000005 0000000000000000 */
END

/* Stores and comparisons leave their operands whole. */
TEST(stfd)
	FILL	3
	stfd	3, 0(31)
	fcmpu	0, 3, 3
	/*= vs3 = 0x1111111111111111 2222222222222222, mem+0 = 0x1111111111111111, cr0 = 0b0010 */
END
