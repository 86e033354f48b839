// SPDX-License-Identifier: MIT
/*
 * Operations between floating point and integers.
 */
#include "isa/fp_exact.h"
#include "isa/fp_exact_parts.h"

#include "arch/msr.h"

/* Rounding to nearest with ties away from zero: only frin and its VSX forms. */
#define ROUND_AWAY 4

static bool rounds_up(bool negative, bool odd, u64 rest, u32 mode)
{
	if (mode == ROUND_AWAY)
		return rest >= SIGN_BIT;
	return fp_rounds_up(negative, odd, rest, (enum rounding)mode);
}

/*
 * Integer part of a finite number below 2^64 in magnitude, rounded. 2^64 itself comes out as 0
 * with *carry set.
 */
static u64 to_integer(struct parts a, u32 mode, bool *inexact, bool *up, bool *carry)
{
	u64 integer, rest;

	if (a.exponent == 63) {
		integer = a.significand;
		rest = 0;
	} else if (a.exponent >= 0) {
		integer = a.significand >> (63 - a.exponent);
		rest = a.significand << (a.exponent + 1);
	} else {
		integer = 0;
		rest = shift_sticky_u64(a.significand, (u32)(-1 - a.exponent));
	}
	*inexact = rest != 0;
	*up = rounds_up(a.negative, integer & 1, rest, mode);
	*carry = __builtin_add_overflow(integer, (u64)*up, &integer);
	return integer;
}

static struct fp_result round_to_integral(u32 operation, u64 bits, u64 fpscr)
{
	const bool single = operation & FP_SINGLE;
	struct parts a = fp_unpack(bits);
	struct fp_result r;
	bool inexact, up, carry;
	u32 mode;

	if (fp_kind_is_nan(a.kind))
		return fp_nan(bits, single, a.kind == KIND_SNAN ? FPSCR_VXSNAN : 0);
	/* From 2^52 on every double is integral. */
	if (a.kind != KIND_FINITE || a.exponent >= 52)
		return fp_as_is(bits, single);

	switch (operation & FP_KIND) {
	case FP_RINT_AWAY:
		mode = ROUND_AWAY;
		break;
	case FP_RINT_ZERO:
		mode = ROUND_ZERO;
		break;
	case FP_RINT_UP:
		mode = ROUND_UP_INF;
		break;
	case FP_RINT_DOWN:
		mode = ROUND_DOWN_INF;
		break;
	default:
		mode = fp_rounding(fpscr);
		break;
	}
	u64 integer = to_integer(a, mode, &inexact, &up, &carry);

	if (!integer)
		r = fp_as_is(fp_zero(a.negative), single);
	else
		r = fp_round(a.negative, 63 - __builtin_clzll(integer),
			     integer << __builtin_clzll(integer), single, fpscr);
	if ((operation & FP_KIND) == FP_RINT_CURRENT && inexact)
		r.fpscr |= FPSCR_XX | FPSCR_FI | (up ? FPSCR_FR : 0);
	return r;
}

static struct fp_result from_integer(u64 value, bool is_signed, bool single, u64 fpscr)
{
	bool negative = is_signed && value >> 63;
	u64 magnitude = negative ? -value : value;

	if (!magnitude)
		return fp_as_is(0, single);
	return fp_round(negative, 63 - __builtin_clzll(magnitude),
			magnitude << __builtin_clzll(magnitude), single, fpscr);
}

static struct fp_result convert_to_integer(u32 operation, u64 bits, u64 fpscr)
{
	const u32 mode = operation & FP_TRUNCATE ? ROUND_ZERO : fp_rounding(fpscr);
	struct parts a = fp_unpack(bits);
	struct fp_result r = {0};
	u64 integer = 0;
	bool inexact = false, up = false, carry = false;
	u64 greatest; /* magnitudes */
	u64 least;

	switch (operation & FP_KIND) {
	case FP_TO_S64:
		greatest = INT64_MAX;
		least = 1ull << 63;
		break;
	case FP_TO_U64:
		greatest = UINT64_MAX;
		least = 0;
		break;
	case FP_TO_S32:
		greatest = INT32_MAX;
		least = 1ull << 31;
		break;
	default:
		greatest = UINT32_MAX;
		least = 0;
		break;
	}
	/* A NaN becomes the least integer; what is left of a word in the register is undefined. */
	if (fp_kind_is_nan(a.kind)) {
		r.fpscr = FPSCR_VXCVI | (a.kind == KIND_SNAN ? FPSCR_VXSNAN : 0);
		r.value = least;
		return r;
	}
	if (a.kind == KIND_ZERO)
		return r;
	bool fits = a.kind == KIND_FINITE && a.exponent < 64;

	if (fits) {
		integer = to_integer(a, mode, &inexact, &up, &carry);
		fits = !carry && integer <= (a.negative ? least : greatest);
	}
	if (!fits) {
		r.fpscr = FPSCR_VXCVI;
		r.value = a.negative ? -least : greatest;
		return r;
	}
	r.value = a.negative ? -integer : integer;
	if (inexact)
		r.fpscr = FPSCR_XX | FPSCR_FI | (up ? FPSCR_FR : 0);
	return r;
}

struct fp_result fp_exact_integer(u32 operation, u64 a, u64 fpscr)
{
	struct fp_result r;

	switch (operation & FP_KIND) {
	case FP_FROM_S64:
		return from_integer(a, true, operation & FP_SINGLE, fpscr);
	case FP_FROM_U64:
		return from_integer(a, false, operation & FP_SINGLE, fpscr);
	case FP_TO_S64:
	case FP_TO_U64:
	case FP_TO_S32:
	case FP_TO_U32:
		r = convert_to_integer(operation, a, fpscr);
		if (operation & FP_INVALID_IS_QNAN && r.fpscr & FPSCR_VXCVI)
			r.fpscr |= fp_class(FP_DEFAULT_NAN, false);
		return r;
	default:
		return round_to_integral(operation, a, fpscr);
	}
}
