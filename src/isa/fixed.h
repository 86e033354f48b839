/* SPDX-License-Identifier: MIT */
/*
 * Fixed-point operations that are too long for a block of sem/: called with values.
 * Any thread may call them.
 */
#ifndef ISA_FIXED_H
#define ISA_FIXED_H

#include "base/types.h"

struct fixed_quotient {
	u64 quotient; /* 0 if it does not fit */
	u8 overflow;
};

/* (dividend << 64) / divisor, signed and unsigned: Power ISA 2.07B Book I 3.3.9.1 */
struct fixed_quotient fixed_divde(s64 dividend, s64 divisor);
struct fixed_quotient fixed_divdeu(u64 dividend, u64 divisor);
/* Bit permute, Book I 3.3.13.1 */
u64 fixed_bpermd(u64 indices, u64 bits);
/* Densely packed decimal to BCD and back in each word, Book I 3.3.15 and appendix B */
u64 fixed_declets_to_bcd(u64 declets);
u64 fixed_bcd_to_declets(u64 bcd);

/*
 * Does one of the relations that TO names hold? Words are compared sign-extended, which keeps their
 * order, as unsigned numbers too.
 */
static ALWAYS_INLINE bool trap_condition(u32 to, s64 x, s64 y)
{
	return (to & 16 && x < y) || (to & 8 && x > y) || (to & 4 && x == y) ||
	       (to & 2 && (u64)x < (u64)y) || (to & 1 && (u64)x > (u64)y);
}

#endif
