/* SPDX-License-Identifier: MIT */
/* AES rounds of FIPS 197 appendix B, SHA-2 functions of FIPS 180-4, polynomial products. */
#include "asmtest.h"

TEST(first_round)
	LOADV	33, 0x193de3bea0f4e22b, 0x9ac68d2ae9f84808
	LOADV	34, 0xa0fafe1788542cb1, 0x23a339392a6c7605
	vcipher	3, 1, 2
	vcipherlast 4, 1, 2
	/*= v3 = 0xa49c7ff2689f352b 6b5bea43026a5049, v4 = 0x7445a32768e07e1f 9be228c8344beee0 */
END

TEST(substitution)
	LOADV	33, 0x0001105300ffc2aa, 0x193de3bea0f4e22b
	vsbox	2, 1
	/*= v2 = 0x637ccaed631625ac d42711aee0bf98f1 */
END

TEST(inverse_round)
	LOADV	33, 0x8e4da1bc8e4da1bc, 0x8e4da1bc8e4da1bc
	LOADV	34, 0x1111111111111111, 0x2222222222222222
	vcipherlast 3, 1, 0
	vncipherlast 4, 3, 2
	vncipher 5, 3, 0
	/*= v4 = 0x9f5cb0ad9f5cb0ad ac6f839eac6f839e, v5 = 0xdb135345db135345 db135345db135345 */
END

TEST(sha256)
	LOADV	33, 0x0000000100000001, 0x0000000100000001
	vshasigmaw 2, 1, 0, 5
	vshasigmaw 3, 1, 1, 5
	/*= v2 = 0x020040000000a000 020040000000a000, v3 = 0x4008040004200080 4008040004200080 */
END

TEST(sha512)
	LOADV	33, 1, 1
	vshasigmad 2, 1, 0, 2
	vshasigmad 3, 1, 1, 13
	/*= v2 = 0x8100000000000000 0000200000000008 */
	/*= v3 = 0x0004400000800000 0000001042000000 */
END

TEST(polynomial_doublewords)
	LOADV	33, 3, 0x8000000000000000
	LOADV	34, 3, 2
	vpmsumd	3, 1, 2
	/*= v3 = 0x0000000000000001 0000000000000005 */
END

TEST(polynomial_bytes)
	LOADV	33, 0x0303ff0000000000, 0x8001000000000000
	LOADV	34, 0x0305ff0000000000, 0x8001000000000000
	vpmsumb	3, 1, 2
	/*= v3 = 0x000a555500000000 4001000000000000 */
END

TEST(permute_and_xor)
	LOADV	33, 0x0001020304050607, 0x08090a0b0c0d0e0f
	LOADV	34, 0xf0f1f2f3f4f5f6f7, 0xf8f9fafbfcfdfeff
	LOADV	35, 0x0010f00f1221ffee, 0
	vpermxor 4, 1, 2, 3
	/*= v4 = 0xf0f1fffff3f3f0f0 f0f0f0f0f0f0f0f0 */
END
