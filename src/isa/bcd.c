// SPDX-License-Identifier: MIT
#include "isa/bcd.h"

#define HALF(digit)   (0x1111111111111111ull * (digit))
#define QUAD(digit)   ((u128)HALF(digit) << 64 | HALF(digit))
#define DIGITS(digit) (QUAD(digit) >> 4) /* 31 times */

#define PLUS_C 0xcu
#define PLUS_F 0xfu
#define MINUS  0xdu

static bool is_number(u128 x)
{
	const u128 digits = x >> 4;
	/* Bit 4i + 4 is set where digit i and 6 make 16 or more, or the digits below did. */
	const u128 carries = (digits + DIGITS(6)) ^ digits ^ DIGITS(6);

	return (x & 0xf) >= 0xa && !(carries & ~(u128)1 & QUAD(1));
}

static bool is_negative(u128 x)
{
	return (x & 0xf) == 0xb || (x & 0xf) == 0xd;
}

/*
 * Sum of 31 digits each; a carry out is digit 31. With 6 added to each digit of x, a decimal carry
 * is a binary one, and where there was none the 6 is taken away again.
 */
static u128 add_digits(u128 x, u128 y, u128 carry)
{
	const u128 biased = x + DIGITS(6);
	const u128 sum = biased + y + carry;
	const u128 no_carry = ~(sum ^ biased ^ y) & QUAD(1) & ~(u128)1;

	return sum - (no_carry >> 2 | no_carry >> 3);
}

u128 bcd_add(u128 x, u128 y, bool subtract, bool ps, u8 *cr)
{
	const u128 x_digits = x >> 4, y_digits = y >> 4;
	bool negative = is_negative(x);
	u128 digits;

	if (!is_number(x) || !is_number(y)) {
		*cr = BCD_SO;
		return ~(u128)0;
	}
	if (negative == (is_negative(y) ^ subtract)) {
		digits = add_digits(x_digits, y_digits, 0);
	} else if (x_digits >= y_digits) {
		/* x + (999...9 - y) + 1, less the 10^31 that this is too much */
		digits = add_digits(x_digits, DIGITS(9) - y_digits, 1) & (u128)-1 >> 4;
	} else {
		digits = add_digits(y_digits, DIGITS(9) - x_digits, 1) & (u128)-1 >> 4;
		negative = !negative;
	}
	if (!digits)
		negative = false;
	*cr = !digits ? BCD_EQ : negative ? BCD_LT : BCD_GT;
	if (digits >> 124)
		*cr |= BCD_SO;
	return digits << 4 | (negative ? MINUS : ps ? PLUS_F : PLUS_C);
}
