/* SPDX-License-Identifier: MIT */
/* Permutes and shifts of whole registers. */
#include "asmtest.h"

#define A_HIGH 0xa0a1a2a3a4a5a6a7
#define A_LOW  0xa8a9aaabacadaeaf
#define B_HIGH 0xb0b1b2b3b4b5b6b7
#define B_LOW  0xb8b9babbbcbdbebf

/* Five bits of each byte select. */
TEST(vperm)
	LOADV	33, A_HIGH, A_LOW
	LOADV	34, B_HIGH, B_LOW
	LOADV	35, 0x001f0f10e0ff4151, 0x0000000000000000
	vperm	4, 1, 2, 3
	/*= v4 = 0xa0bfafb0a0bfa1b1 a0a0a0a0a0a0a0a0 */
END

TEST(vsldoi)
	LOADV	33, A_HIGH, A_LOW
	LOADV	34, B_HIGH, B_LOW
	vsldoi	3, 1, 2, 5
	vsldoi	4, 1, 2, 0
	/*= v3 = 0xa5a6a7a8a9aaabac adaeafb0b1b2b3b4, v4 = 0xa0a1a2a3a4a5a6a7 a8a9aaabacadaeaf */
END

TEST(vsel)
	LOADV	33, A_HIGH, A_LOW
	LOADV	34, B_HIGH, B_LOW
	LOADV	35, 0x00ff00ff0f0ff0f0, -1
	vsel	4, 1, 2, 3
	/*= v4 = 0xa0b1a2b3a4a5b6b7 b8b9babbbcbdbebf */
END

/* Shift counts of vsl and vsr stand in every byte; those of vslo and vsro in the last one. */
TEST(shift_bits)
	LOADV	33, A_HIGH, A_LOW
	vspltisb 2, 4
	vsl	3, 1, 2
	vsr	4, 1, 2
	/*= v3 = 0x0a1a2a3a4a5a6a7a 8a9aaabacadaeaf0, v4 = 0x0a0a1a2a3a4a5a6a 7a8a9aaabacadaea */
END

TEST(shift_octets)
	LOADV	33, A_HIGH, A_LOW
	LOADV	34, 0, 3 * 8 + 7
	vslo	3, 1, 2
	vsro	4, 1, 2
	/*= v3 = 0xa3a4a5a6a7a8a9aa abacadaeaf000000, v4 = 0x000000a0a1a2a3a4 a5a6a7a8a9aaabac */
END

TEST(merge)
	LOADV	33, A_HIGH, A_LOW
	LOADV	34, B_HIGH, B_LOW
	vmrghb	3, 1, 2
	vmrglw	4, 1, 2
	vmrgew	5, 1, 2
	/*= v3 = 0xa0b0a1b1a2b2a3b3 a4b4a5b5a6b6a7b7, v4 = 0xa8a9aaabb8b9babb acadaeafbcbdbebf */
	/*= v5 = 0xa0a1a2a3b0b1b2b3 a8a9aaabb8b9babb */
END

TEST(unpack)
	LOADV	33, 0x7f80ff0001020304, 0xffff800000017fff
	vupkhsb	2, 1
	vupklsh	3, 1
	vupkhpx	4, 1
	/*= v2 = 0x007fff80ffff0000 0001000200030004, v3 = 0xffffffffffff8000 0000000100007fff */
	/*= v4 = 0x001f1c00ff1f1800 0000080200001804 */
END

TEST(pack_pixels)
	LOADV	33, 0x01f8f8f800080808, 0xff00000000ffffff
	vpkpx	2, 1, 1
	/*= v2 = 0xffff042180007fff ffff042180007fff */
END

TEST(splat_immediate)
	vspltisb 1, -16
	vspltish 2, 15
	vspltisw 3, -1
	/*= v1 = 0xf0f0f0f0f0f0f0f0 f0f0f0f0f0f0f0f0, v2 = 0x000f000f000f000f 000f000f000f000f */
	/*= v3 = -1 */
END

TEST(gather_bits_by_bytes)
	LOADV	33, 0x0000000000000080, 0xff00000000000000
	vgbbd	2, 1
	/*= v2 = 0x0100000000000000 8080808080808080 */
END

TEST(bit_permute)
	LOADV	33, 0x8000000000000000, 1
	LOADV	34, 0x007f8001ff000000, 0x7f7f7f7f00000000
	vbpermq	3, 1, 2
	/*= v3 = 0x000000000000c7ff 0000000000000000 */
END

TEST(rotate_elements)
	LOADV	33, 0x8000000000000001, 0x0000000100000001
	LOADV	34, 65, 0x0000002100000020
	vrld	3, 1, 2
	vrlw	4, 1, 2
	/*= v3 = 0x0000000000000003 0000000100000001, v4 = 0x8000000000000002 0000000200000001 */
END
