/* SPDX-License-Identifier: MIT */
/*
 * Operands for tests of floating point: special values, numbers near the edges of the formats,
 * numbers of few bits (ties, cancellation), and any bits at all. The sequence is always the same.
 */
#ifndef TESTS_UNIT_FP_OPERANDS_H
#define TESTS_UNIT_FP_OPERANDS_H

#include "base/types.h"

static u64 random_state = 0x2545f4914f6cdd1dull;

static u64 random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x9e3779b97f4a7c15ull;
}

static const u64 special_doubles[] = {
	0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x0010000000000001, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
	0x3fe0000000000000, 0x4000000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
	0x41e0000000000000, 0x41efffffffe00000, 0x43dfffffffffffff, 0x43e0000000000000,
	0x43f0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
	0x7ff0000000000001, 0x7ff4123456789abc, 0x7ff8000000000000, 0x7ffc123456789abc,
	/* Edges of single precision: least denormal, least normal, greatest. */
	0x3690000000000000, 0x36a0000000000000, 0x380fffffc0000000, 0x380fffffe0000000,
	0x380fffffffffffff, 0x3810000000000000, 0x47efffffe0000000, 0x47efffffefffffff,
	0x47effffff0000000, 0x47f0000000000000,
};

static const u32 special_singles[] = {
	0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x3f7fffff, 0x3f800000,
	0x3f800001, 0x3f000000, 0x40000000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000,
	0x5effffff, 0x5f000000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa12345,
	0x7fc00000, 0x7fe12345,
};

/* A double with an exponent field from first on, of `count` ones. */
static u64 with_exponent(u64 bits, u64 first, u64 count, u64 choice)
{
	return (bits & 0x800fffffffffffffull) | (first + choice % count) << 52;
}

static u64 random_double(void)
{
	u64 x = random_u64(), r = random_u64() >> 8;

	switch (random_u64() % 16) {
	case 0:
	case 1:
		return special_doubles[r % ARRAY_SIZE(special_doubles)] ^ (x & 1ull << 63);
	case 2:
		return special_doubles[r % ARRAY_SIZE(special_doubles)] + x % 5 - 2;
	case 3:
	case 4:
		return with_exponent(x, 1023 - 20, 40, r);
	case 5:
		return with_exponent(x & ~0ull << x % 53, 1023 - 4, 8, r);
	case 6:
	case 7:
		return with_exponent(x, 1023 - 136, 274, r) & ~0x1fffffffull;
	case 8:
		return with_exponent(x, 0, 60, r);
	case 9:
		return with_exponent(x, 2047 - 60, 60, r);
	case 10:
		return with_exponent(x, 1023, 66, r);
	case 11:
		return with_exponent(x, 1023 - 155, 40, r);
	case 12:
		return with_exponent(x, 512 - 30, 60, r);
	case 13:
		return (u64)((s64)x >> r % 64);
	default:
		return x;
	}
}

static u32 random_single(void)
{
	u32 x = (u32)random_u64(), r = (u32)(random_u64() >> 40);
	u32 sign_fraction = x & 0x807fffffu;

	switch (random_u64() % 10) {
	case 0:
	case 1:
		return special_singles[r % ARRAY_SIZE(special_singles)] ^ (x & 1u << 31);
	case 2:
	case 3:
		return sign_fraction | (127 - 10 + r % 20) << 23;
	case 4:
		return (sign_fraction & 0xfff00000u) | (127 - 3 + r % 6) << 23;
	case 5:
		return sign_fraction | r % 26 << 23;
	case 6:
		return sign_fraction | (254 - r % 26) << 23;
	case 7:
		return sign_fraction | (63 - 13 + r % 26) << 23;
	case 8:
		return sign_fraction | (127 + r % 66) << 23;
	default:
		return x;
	}
}

#endif
