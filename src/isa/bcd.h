/* SPDX-License-Identifier: MIT */
/*
 * Signed packed decimal numbers in a quadword, ISA 2.07B Book I chapter 6, "Decimal Integer
 * Arithmetic Instructions": 31 digits and, in the low four bits, a sign code: A, C, E and F are
 * plus, B and D are minus.
 */
#ifndef ISA_BCD_H
#define ISA_BCD_H

#include "base/types.h"

/* What the result says to CR6. */
#define BCD_LT 8u
#define BCD_GT 4u
#define BCD_EQ 2u
#define BCD_SO 1u /* does not fit, or an operand is no number */

/**
 * bcd_add - x + y, or with subtract x - y, modulo 10^31
 * @ps: plus is written F instead of C; minus is always D
 * @cr: BCD_* of the sum before it is cut to 31 digits
 *
 * With an operand that is no number, the result (undefined by the ISA) is all ones. Any thread.
 */
u128 bcd_add(u128 x, u128 y, bool subtract, bool ps, u8 *cr);

#endif
