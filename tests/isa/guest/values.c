/* SPDX-License-Identifier: MIT */
#include "values.h"

/* splitmix64 (Steele, Lea, Flood 2014): every seed is good, no state to warm up. */
u64 random_next(struct random *r)
{
	u64 z = r->state += 0x9e3779b97f4a7c15ul;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
	z = (z ^ z >> 27) * 0x94d049bb133111ebul;
	return z ^ z >> 31;
}

static const u64 integers[] = {
	0,
	1,
	2,
	-1ul,
	-2ul,
	0x7f,
	0x80,
	0xff,
	0x7fff,
	0x8000,
	0xffff,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0xffffffff80000000,
	0xffffffff7fffffff,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x8000000000000001,
	0x7fffffff00000000,
	0x8000000080000000,
	0x00000000deadbeef,
	0x0101010101010101,
	0x8080808080808080,
	0x7f7f7f7f7f7f7f7f,
	0x0123456789abcdef,
	0xff00ff00ff00ff00,
	0x5555555555555555,
	0xaaaaaaaaaaaaaaaa,
	63,
	64,
};

static u64 interesting_integer(u64 bits)
{
	return integers[bits % (sizeof(integers) / sizeof(integers[0]))];
}

u64 random_integer(struct random *r, u64 previous)
{
	u64 bits = random_next(r);
	u64 high = bits >> 8;

	switch (bits & 15) {
	case 0 ... 3:
		return random_next(r);
	case 4:
		return (s64)bits >> 56;
	case 5:
	case 6:
		return interesting_integer(high);
	case 7: /* a power of two, or just beside it */
		return (1ul << (high & 63)) + (high >> 6 & 3) - (high >> 8 & 1) * 2;
	case 8:
		return (u32)high;
	case 9:
		return (u64)(s64)(s32)high;
	case 10: /* a number for a word instruction below rubbish */
		return random_next(r) << 32 | (u32)interesting_integer(high);
	case 11:
		return previous;
	case 12:
		return previous + (high & 1 ? 1 : -1ul);
	case 13: /* a run of ones */
		return (-1ul << (high & 63)) & (-1ul >> (high >> 6 & 63));
	case 14: /* a shift count */
		return high & 127;
	default:
		return -previous;
	}
}

#define DOUBLE(exponent, fraction) ((u64)(exponent) << 52 | (fraction))
#define FRACTION_MASK		   0x000ffffffffffffful

static const u64 doubles[] = {
	DOUBLE(0, 0),
	DOUBLE(0, 1),
	DOUBLE(0, FRACTION_MASK),
	DOUBLE(1, 0),
	DOUBLE(1, 1),
	DOUBLE(0x7fe, FRACTION_MASK),
	DOUBLE(0x7ff, 0), /* infinity */
	DOUBLE(0x7ff, 0),
	DOUBLE(0x7ff, 0x8000000000000), /* the default quiet NaN */
	DOUBLE(0x7ff, 1),		/* signalling NaNs */
	DOUBLE(0x7ff, 0x4000000000000),
	DOUBLE(0x3ff, 0), /* 1 */
	DOUBLE(0x3ff, 1),
	DOUBLE(0x3fe, FRACTION_MASK),
	DOUBLE(0x3fe, 0), /* 0.5 */
	DOUBLE(0x3fe, 1),
	DOUBLE(0x3fd, FRACTION_MASK),
	DOUBLE(0x3ff, 0x8000000000000), /* 1.5 */
	DOUBLE(0x400, 0),
	DOUBLE(0x400, 0x4000000000000), /* 2.5 */
	DOUBLE(0x400, 0x8000000000000), /* 3 */
	DOUBLE(0x41d, 0xfffffffc00000), /* 2^31 - 1 */
	DOUBLE(0x41d, 0xfffffffe00000), /* 2^31 - 0.5 */
	DOUBLE(0x41e, 0),		/* 2^31 */
	DOUBLE(0x41e, 0x0000000100000), /* 2^31 + 0.5 */
	DOUBLE(0x41e, 0x0000000200000), /* 2^31 + 1 */
	DOUBLE(0x41e, 0xfffffffe00000), /* 2^32 - 1 */
	DOUBLE(0x41e, 0xffffffff00000), /* 2^32 - 0.5 */
	DOUBLE(0x41f, 0),		/* 2^32 */
	DOUBLE(0x43d, FRACTION_MASK),	/* largest below 2^63 */
	DOUBLE(0x43e, 0),
	DOUBLE(0x43e, FRACTION_MASK), /* largest below 2^64 */
	DOUBLE(0x43f, 0),
	DOUBLE(0x432, 1),		/* 2^51 + 0.5 */
	DOUBLE(0x433, FRACTION_MASK),	/* 2^53 - 1 */
	DOUBLE(0x47e, 0xfffffe0000000), /* largest single */
	DOUBLE(0x47e, 0xfffffefffffff), /* just below the overflow of singles */
	DOUBLE(0x47e, 0xffffff0000000), /* rounds to infinity as single */
	DOUBLE(0x47f, 0),
	DOUBLE(0x381, 0),		/* smallest normal single */
	DOUBLE(0x380, 0xfffffc0000000), /* largest denormal single */
	DOUBLE(0x380, 0xfffffe0000000), /* halfway between the two */
	DOUBLE(0x380, FRACTION_MASK),
	DOUBLE(0x36a, 0), /* smallest denormal single */
	DOUBLE(0x369, 0), /* half of it */
	DOUBLE(0x369, 1),
	DOUBLE(0x368, 0),
};

u64 random_double(struct random *r, u64 previous)
{
	u64 bits = random_next(r);
	u64 high = bits >> 8;
	u64 sign = bits & 1ul << 63;
	u64 fraction = random_next(r) & FRACTION_MASK;
	u64 exponent;

	switch (bits & 31) {
	case 0 ... 5:
		return sign | doubles[high % (sizeof(doubles) / sizeof(doubles[0]))];
	case 6 ... 8:
		exponent = 1023 - 8 + (high & 15);
		break;
	case 9 ... 12: /* few bits set: exact results, ties */
		exponent = 1023 - 4 + (high & 7);
		fraction &= 0xf000000000000;
		break;
	case 13:
		exponent = 0;
		fraction >>= high & 63 ? high % 52 : 0;
		break;
	case 14:
		exponent = 1 + high % 60;
		break;
	case 15:
		exponent = 2046 - high % 60;
		break;
	case 16: /* products overflow */
		exponent = 1023 + 508 + (high & 7);
		break;
	case 17: /* products underflow */
		exponent = 1023 - 515 + (high & 7);
		break;
	case 18: /* products are denormal */
		exponent = 1023 - 512 - 30 + high % 40;
		break;
	case 19: /* denormal singles */
		exponent = 1023 - 127 - 30 + high % 34;
		break;
	case 20: /* overflow of singles */
		exponent = 1023 + 124 + (high & 7);
		break;
	case 21:
	case 22: /* integers with a fraction, up to 2^66 */
		exponent = 1023 + high % 67;
		break;
	case 23: /* integers */
		exponent = 1023 + high % 52;
		fraction &= ~(FRACTION_MASK >> (exponent - 1023));
		break;
	case 24: /* NaN */
		exponent = 2047;
		fraction |= 1;
		break;
	case 25: /* near the value before, mostly of the other sign: cancellation */
		return previous + (high & 3) - 1;
	case 26:
		return (previous ^ 1ul << 63) + (high & 3) - 1;
	case 27: /* halfway between two singles, or nearly */
		exponent = 1023 - 64 + (high & 127);
		fraction = (fraction & ~0x1ffffffful) | (0x10000000 + (high >> 8 & 3) - 1);
		break;
	case 28: /* all ones or all zeros, but for a few bits */
		exponent = 1023 - 64 + (high & 127);
		fraction = high & 128 ? fraction & 7 : fraction | ~7ul;
		fraction &= FRACTION_MASK;
		break;
	case 29:
		return random_next(r);
	default:
		exponent = 1023 - 64 + (high & 127);
		break;
	}
	return sign | exponent << 52 | fraction;
}

#define SINGLE(exponent, fraction) ((u32)(exponent) << 23 | (fraction))

static const u32 singles[] = {
	SINGLE(0, 0),		SINGLE(0, 1),		SINGLE(0, 0x7fffff),
	SINGLE(0, 0x400000),	SINGLE(1, 0),		SINGLE(1, 1),
	SINGLE(0xfe, 0x7fffff), SINGLE(0xff, 0),	SINGLE(0xff, 0),
	SINGLE(0xff, 0x400000), SINGLE(0xff, 1),	SINGLE(0xff, 0x200000),
	SINGLE(0x7f, 0),	SINGLE(0x7f, 1),	SINGLE(0x7e, 0x7fffff),
	SINGLE(0x7e, 0),	SINGLE(0x7e, 1),	SINGLE(0x7f, 0x400000),
	SINGLE(0x80, 0),	SINGLE(0x80, 0x200000), SINGLE(0x80, 0x400000),
	SINGLE(0x9d, 0x7fffff), /* largest below 2^31 */
	SINGLE(0x9e, 0),	SINGLE(0x9e, 0x7fffff), SINGLE(0x9f, 0),
	SINGLE(0xbd, 0x7fffff), /* largest below 2^63 */
	SINGLE(0xbe, 0),	SINGLE(0xbe, 0x7fffff), SINGLE(0xbf, 0),
	SINGLE(0x96, 0x7fffff), /* 2^24 - 1 */
	SINGLE(0x95, 1),	/* 2^22 + 0.5 */
	SINGLE(0x95, 3),
};

u32 random_single(struct random *r, u32 previous)
{
	u64 bits = random_next(r);
	u64 high = bits >> 8;
	u32 sign = (u32)(bits >> 32) & 1u << 31;
	u32 fraction = (u32)(bits >> 32) & 0x7fffff;
	u32 exponent;

	switch (bits & 31) {
	case 0 ... 5:
		return sign | singles[high % (sizeof(singles) / sizeof(singles[0]))];
	case 6 ... 8:
		exponent = 127 - 8 + (high & 15);
		break;
	case 9 ... 12:
		exponent = 127 - 4 + (high & 7);
		fraction &= 0x780000;
		break;
	case 13:
		exponent = 0;
		fraction >>= high % 23;
		break;
	case 14:
		exponent = 1 + high % 28;
		break;
	case 15:
		exponent = 254 - high % 28;
		break;
	case 16:
		exponent = 127 + 60 + (high & 7);
		break;
	case 17:
		exponent = 127 - 67 + (high & 7);
		break;
	case 18:
		exponent = 127 - 64 - 14 + high % 20;
		break;
	case 19 ... 21:
		exponent = 127 + high % 67;
		break;
	case 22:
		exponent = 127 + high % 23;
		fraction &= ~(0x7fffffu >> (exponent - 127));
		break;
	case 23:
	case 24:
		exponent = 255;
		fraction |= 1;
		break;
	case 25:
		return previous + (high & 3) - 1;
	case 26:
		return (previous ^ 1u << 31) + (high & 3) - 1;
	case 27:
		exponent = 127 - 16 + (high & 31);
		fraction = high & 32 ? fraction & 3 : fraction | 0x7ffffc;
		break;
	case 28:
		return (u32)random_next(r);
	default:
		exponent = 127 - 16 + (high & 31);
		break;
	}
	return sign | exponent << 23 | fraction;
}

/* What lfs makes of a single-precision number: the same number, NaNs not quieted. */
static u64 single_to_double(u32 single)
{
	u64 sign = (u64)(single >> 31) << 63;
	u32 exponent = single >> 23 & 255;
	u64 fraction = single & 0x7fffff;

	if (exponent == 255)
		return sign | DOUBLE(2047, fraction << 29);
	if (exponent)
		return sign | DOUBLE(exponent - 127 + 1023, fraction << 29);
	if (!fraction)
		return sign;
	exponent = 1023 - 126;
	while (!(fraction & 0x800000)) {
		fraction <<= 1;
		exponent--;
	}
	return sign | DOUBLE(exponent, (fraction & 0x7fffff) << 29);
}

static void random_elements(struct random *r, const u64 previous[2], u64 out[2])
{
	u64 bits = random_next(r);
	unsigned int width = 8u << (bits & 3);
	u64 value = 0;

	if ((bits >> 2 & 15) < 3) {
		out[0] = random_integer(r, previous[0]);
		out[1] = random_integer(r, previous[1]);
		return;
	}
	if ((bits >> 2 & 15) == 3) { /* small numbers: indices of permutes, shift counts */
		out[0] = random_next(r) & 0x1f1f1f1f1f1f1f1f;
		out[1] = random_next(r) & 0x1f1f1f1f1f1f1f1f;
		return;
	}
	for (int half = 0; half < 2; half++) {
		out[half] = random_next(r);
		if (width == 64) {
			out[half] = random_integer(r, previous[half]);
			continue;
		}
		for (unsigned int at = 0; at < 64; at += width) {
			u64 mask = (1ul << width) - 1;

			bits = random_next(r);
			switch (bits & 7) {
			case 0 ... 2:
				continue; /* leave the random one */
			case 3:
				value = interesting_integer(bits >> 8);
				break;
			case 4:
				value = 1ul << (width - 1); /* the most negative */
				break;
			case 5:
				value = (1ul << (width - 1)) - 1;
				break;
			case 6:
				value = previous[half] >> at;
				break;
			default:
				value = (u64)((s64)bits >> 60);
				break;
			}
			out[half] = (out[half] & ~(mask << at)) | (value & mask) << at;
		}
	}
}

/* Decimal digits, with runs of 9 and of 0 so that carries go far. */
static u64 random_digits(struct random *r)
{
	u64 bits = random_next(r), run = random_next(r), digits = 0;

	for (int at = 0; at < 64; at += 4) {
		u64 digit = bits >> at & 15;

		digits |= (digit > 9 ? digit - 6 : digit) << at;
	}
	if (run & 1)
		digits &= -1ul << (run >> 2 & 60);
	if (run & 2)
		digits = 0x9999999999999999 ^
			 ((0x9999999999999999 ^ digits) & -1ul >> (run >> 8 & 60));
	return digits;
}

static void random_decimal(struct random *r, const u64 previous[2], u64 out[2])
{
	u64 bits = random_next(r);

	out[0] = random_digits(r);
	out[1] = random_digits(r);
	if ((bits & 7) == 0)
		out[0] = 0;
	if ((bits & 15) == 8) /* zero but for the sign */
		out[1] = 0;
	if ((bits & 15) == 1) { /* the same magnitude again */
		out[0] = previous[0];
		out[1] = previous[1];
	}
	out[1] = (out[1] & ~15ul) | (10 + (bits >> 8) % 6);
}

void random_vector(struct random *r, enum profile profile, const u64 previous[2], u64 out[2])
{
	u64 bits = random_next(r);

	/* One register in eight holds something else than expected. */
	if ((bits & 7) == 0 || profile == PROFILE_MIXED)
		profile = PROFILE_INTEGER + (bits >> 8) % (PROFILE_DECIMAL - PROFILE_INTEGER);
	switch (profile) {
	case PROFILE_DOUBLE:
		out[0] = random_double(r, previous[0]);
		out[1] = random_double(r, previous[1]);
		break;
	case PROFILE_SINGLE:
		for (int half = 0; half < 2; half++) {
			u32 upper = random_single(r, (u32)(previous[half] >> 32));

			out[half] = (u64)upper << 32 | random_single(r, (u32)previous[half]);
		}
		break;
	case PROFILE_SCALAR_SINGLE:
		out[0] = single_to_double(random_single(r, (u32)bits));
		out[1] = single_to_double(random_single(r, (u32)previous[1]));
		break;
	case PROFILE_DECIMAL:
		random_decimal(r, previous, out);
		break;
	default:
		random_elements(r, previous, out);
		break;
	}
}
