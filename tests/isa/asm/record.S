/* SPDX-License-Identifier: MIT */
/* Record forms: CR0 is the result as a signed doubleword, and SO. */
#include "asmtest.h"

TEST(so_is_copied)
	lis	6, 0x8000
	mtxer	6
	li	4, 0
	or.	3, 4, 4
	/*= r3 = 0, cr = 0x30000000 */
END

/* Bit 0 decides, not bit 32. */
TEST(word_with_sign_is_positive)
	LOAD64	4, 0x80000000
	or.	3, 4, 4
	/*= cr = 0x40000000 */
END

TEST(rlwinm_wrapping_mask_can_be_negative)
	LOAD64	4, 0x80000001
	rlwinm.	3, 4, 0, 31, 0
	/*= r3 = 0x8000000180000001, cr = 0x80000000 */
END

TEST(andi_looks_at_low_bits)
	li	4, -1
	andi.	3, 4, 0x8000
	/*= r3 = 0x8000, cr = 0x40000000 */
END

TEST(andis)
	li	4, -1
	andis.	3, 4, 0x8000
	/*= r3 = 0x80000000, cr = 0x40000000 */
END

TEST(mulhw)
	LOAD64	4, 0x80000000
	li	5, 2
	mulhw.	3, 4, 5
	/*= r3 = 0xffffffff, cr = 0x40000000 */
END

TEST(other_fields_stay)
	LOAD64	6, 0xffffffff
	mtcr	6
	li	4, -1
	extsb.	3, 4
	/*= r3 = -1, cr = 0x8fffffff */
END
