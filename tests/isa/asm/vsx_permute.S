/* SPDX-License-Identifier: MIT */
/* VSX permutes and moves; the FPRs are doubleword 0 of vs0 to vs31, the VRs are vs32 to vs63. */
#include "asmtest.h"

#define A_HIGH 0xa0a1a2a3a4a5a6a7
#define A_LOW  0xa8a9aaabacadaeaf
#define B_HIGH 0xb0b1b2b3b4b5b6b7
#define B_LOW  0xb8b9babbbcbdbebf

TEST(xxpermdi)
	LOADV	1, A_HIGH, A_LOW
	LOADV	34, B_HIGH, B_LOW
	xxpermdi 3, 1, 34, 0
	xxpermdi 4, 1, 34, 1
	xxpermdi 5, 1, 34, 2
	xxpermdi 6, 1, 34, 3
	/*= vs3 = 0xa0a1a2a3a4a5a6a7 b0b1b2b3b4b5b6b7, vs4 = 0xa0a1a2a3a4a5a6a7 b8b9babbbcbdbebf */
	/*= vs5 = 0xa8a9aaabacadaeaf b0b1b2b3b4b5b6b7, vs6 = 0xa8a9aaabacadaeaf b8b9babbbcbdbebf */
END

TEST(xxsldwi)
	LOADV	1, A_HIGH, A_LOW
	LOADV	2, B_HIGH, B_LOW
	xxsldwi	33, 1, 2, 3
	/*= v1 = 0xacadaeafb0b1b2b3 b4b5b6b7b8b9babb */
END

TEST(xxmrg_and_xxsplt)
	LOADV	1, A_HIGH, A_LOW
	LOADV	2, B_HIGH, B_LOW
	xxmrghw	3, 1, 2
	xxmrglw	4, 1, 2
	xxspltw	5, 1, 2
	/*= vs3 = 0xa0a1a2a3b0b1b2b3 a4a5a6a7b4b5b6b7, vs4 = 0xa8a9aaabb8b9babb acadaeafbcbdbebf */
	/*= vs5 = 0xa8a9aaaba8a9aaab a8a9aaaba8a9aaab */
END

TEST(xxsel)
	LOADV	1, A_HIGH, A_LOW
	LOADV	2, B_HIGH, B_LOW
	LOADV	35, -1, 0
	xxsel	4, 1, 2, 35
	/*= vs4 = 0xb0b1b2b3b4b5b6b7 a8a9aaabacadaeaf */
END

TEST(logical)
	LOADV	1, 0xff00ff00ff00ff00, 0
	LOADV	2, 0xffff0000ffff0000, -1
	xxland	3, 1, 2
	xxlandc	4, 1, 2
	xxleqv	5, 1, 2
	xxlnand	6, 1, 2
	xxlorc	7, 1, 2
	/*= vs3 = 0xff000000ff000000 0000000000000000, vs4 = 0x0000ff000000ff00 0000000000000000 */
	/*= vs5 = 0xff0000ffff0000ff 0000000000000000, vs6 = 0x00ffffff00ffffff ffffffffffffffff */
	/*= vs7 = 0xff00ffffff00ffff 0000000000000000 */
END

TEST(gprs)
	LOADV	34, 0x8123456789abcdef, 0x1111111111111111
	mfvsrd	3, 34
	mfvsrwz	4, 34
	LOAD64	5, 0xffffffff89abcdef
	mtvsrwa	6, 5
	mtvsrwz	7, 5
	/*= r3 = 0x8123456789abcdef, r4 = 0x89abcdef, f6 = 0xffffffff89abcdef, f7 = 0x89abcdef */
END
