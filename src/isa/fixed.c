// SPDX-License-Identifier: MIT
#include "isa/fixed.h"

struct fixed_quotient fixed_divdeu(u64 dividend, u64 divisor)
{
	if (dividend >= divisor) /* also for divisor 0 */
		return (struct fixed_quotient){.quotient = 0, .overflow = 1};
	return (struct fixed_quotient){.quotient = (u64)(((u128)dividend << 64) / divisor)};
}

struct fixed_quotient fixed_divde(s64 dividend, s64 divisor)
{
	const struct fixed_quotient overflow = {.quotient = 0, .overflow = 1};

	if (divisor == 0 || (dividend == INT64_MIN && divisor == -1))
		return overflow;
	s128 quotient = (s128)((u128)(u64)dividend << 64) / divisor;
	if (quotient != (s64)quotient)
		return overflow;
	return (struct fixed_quotient){.quotient = (u64)quotient};
}

u64 fixed_bpermd(u64 indices, u64 bits)
{
	u64 result = 0;

	for (int i = 0; i < 8; i++) {
		u64 index = indices >> 8 * i & 0xff;

		if (index < 64)
			result |= (bits >> (63 - index) & 1) << i;
	}
	return result;
}

/*
 * A declet holds three decimal digits in ten bits, named p q r s t u v w x y from the top;
 * the three digits in BCD are abcd efgh ijkm. v says whether a digit is 8 or 9, and w x s t which.
 * Source: Power ISA 2.07B Book I appendix B.
 */
static u32 declet_to_bcd(u32 declet)
{
#define BIT(n) (declet >> (n) & 1)
	u32 p = BIT(9), q = BIT(8), r = BIT(7), s = BIT(6), t = BIT(5), u = BIT(4);
	u32 v = BIT(3), w = BIT(2), x = BIT(1), y = BIT(0);
#undef BIT
	u32 low3[3] = {p << 2 | q << 1 | r, s << 2 | t << 1 | u, w << 2 | x << 1 | y};

	if (!v)
		return low3[0] << 8 | low3[1] << 4 | low3[2];
	switch (w << 1 | x) {
	case 0: /* third digit large */
		return low3[0] << 8 | low3[1] << 4 | 8 | y;
	case 1: /* second digit large */
		return low3[0] << 8 | (8 | u) << 4 | (s << 2 | t << 1 | y);
	case 2: /* first digit large */
		return (8 | r) << 8 | low3[1] << 4 | (p << 2 | q << 1 | y);
	}
	switch (s << 1 | t) {
	case 0: /* first and second large */
		return (8 | r) << 8 | (8 | u) << 4 | (p << 2 | q << 1 | y);
	case 1: /* first and third large */
		return (8 | r) << 8 | (p << 2 | q << 1 | u) << 4 | 8 | y;
	case 2: /* second and third large */
		return low3[0] << 8 | (8 | u) << 4 | 8 | y;
	default:
		return (8 | r) << 8 | (8 | u) << 4 | 8 | y;
	}
}

static u32 bcd_to_declet(u32 bcd)
{
	u32 d1 = bcd >> 8 & 15, d2 = bcd >> 4 & 15, d3 = bcd & 15;
	u32 large = (d1 >> 3) << 2 | (d2 >> 3) << 1 | d3 >> 3;
	u32 r = d1 & 1, u = d2 & 1, y = d3 & 1;
	u32 top1 = d1 >> 1 & 3, top2 = d2 >> 1 & 3, top3 = d3 >> 1 & 3;
	/* pq, st, wx: two bits each; v = any digit is large */
	u32 pq, st, wx;

	switch (large) {
	case 0:
		pq = top1, st = top2, wx = top3;
		break;
	case 1:
		pq = top1, st = top2, wx = 0;
		break;
	case 2:
		pq = top1, st = top3, wx = 1;
		break;
	case 4:
		pq = top3, st = top2, wx = 2;
		break;
	case 6:
		pq = top3, st = 0, wx = 3;
		break;
	case 5:
		pq = top2, st = 1, wx = 3;
		break;
	case 3:
		pq = top1, st = 2, wx = 3;
		break;
	default:
		pq = 0, st = 3, wx = 3;
		break;
	}
	return pq << 8 | r << 7 | st << 5 | u << 4 | (large != 0) << 3 | wx << 1 | y;
}

u64 fixed_declets_to_bcd(u64 declets)
{
	u64 result = 0;

	for (int word = 0; word < 64; word += 32)
		for (int i = 0; i < 2; i++)
			result |= (u64)declet_to_bcd(declets >> (word + 10 * i) & 0x3ff) << (word + 12 * i);
	return result;
}

u64 fixed_bcd_to_declets(u64 bcd)
{
	u64 result = 0;

	for (int word = 0; word < 64; word += 32)
		for (int i = 0; i < 2; i++)
			result |= (u64)bcd_to_declet(bcd >> (word + 12 * i) & 0xfff) << (word + 10 * i);
	return result;
}
