/* SPDX-License-Identifier: MIT */
/* What is not an instruction for a program of a POWER8. */
#include "asmtest.h"

TEST(zero)
	.long	0
	/*= signal = SIGILL */
END

TEST(reserved_opcode)
	.long	0x04000000
	/*= signal = SIGILL */
END

/* Decimal floating point (dadd) is not implemented and its HWCAP bit is off. */
TEST(decimal_floating_point)
	.long	0xec221804
	/*= signal = SIGILL */
END

/* Instructions of ISA 3.0: modud, cnttzd, lxv, maddld, mtvsrdd. */
TEST(modud)
	.long	0x7c642a12
	/*= signal = SIGILL */
END

TEST(cnttzd)
	.long	0x7c830474
	/*= signal = SIGILL */
END

TEST(maddld)
	.long	0x10642973
	/*= signal = SIGILL */
END

TEST(mtvsrdd)
	.long	0x7c032366
	/*= signal = SIGILL */
END

TEST(privileged_mfmsr)
	mfmsr	3
	/*= signal = SIGILL */
END

TEST(privileged_spr)
	mtspr	26, 3
	/*= signal = SIGILL */
END

TEST(privileged_rfid)
	rfid
	/*= signal = SIGILL */
END

TEST(unknown_spr)
	.long	0x7c0002a6 | (1000 & 31) << 16 | (1000 >> 5) << 11
	/*= signal = SIGILL */
END
