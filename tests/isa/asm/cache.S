/* SPDX-License-Identifier: MIT */
/* Cache management and instructions that do nothing. */
#include "asmtest.h"

/* dcbz clears the 128-byte block around the address. */
TEST(dcbz)
	addi	4, 31, 200
	dcbz	0, 4
	/*= mem+120 = 0x7f7e7d7c7b7a7978, mem+128 = 0, mem+248 = 0, mem+256 = 0x0706050403020100 */
END

TEST(hints_do_not_fault)
	li	4, 0
	dcbt	0, 4
	dcbtst	0, 4
	dcbt	4, 4, 16
	.long	0x7c00202c	/* icbt 0,0,r4 */
	.long	0x7c0022ac	/* dst r0,r4,0 */
	.long	0x7e00066c	/* dssall */
	li	3, 1
	/*= r3 = 1 */
END

TEST(write_back)
	dcbst	0, 31
	dcbf	0, 31
	dcbfl	0, 31
	.long	0x7c60f8ac	/* dcbflp */
	sync
	lwsync
	eieio
	isync
	/*= mem+0 = 0x0706050403020100 */
END

/* Priority hints, and the hints that are encoded as or. */
TEST(or_forms)
	li	1, 11
	li	27, 27
	or	1, 1, 1
	or	31, 31, 31
	or	6, 6, 6
	or	2, 2, 2
	or	27, 27, 27
	or	29, 29, 29
	or	30, 30, 30
	nop
	ori	2, 2, 0
	/*= r1 = 11, r27 = 27, r6 = 0 */
END

/* The reserved no-ops of Book I 1.8.3. */
TEST(reserved_no_ops)
	.long	31 << 26 | 530 << 1
	.long	0x7ffffc64	/* all fields ones */
	.long	31 << 26 | 594 << 1
	.long	31 << 26 | 626 << 1
	.long	31 << 26 | 658 << 1
	.long	31 << 26 | 690 << 1
	.long	31 << 26 | 722 << 1
	.long	31 << 26 | 754 << 1
	li	3, 1
	/*= r3 = 1 */
END
