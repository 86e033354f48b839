// SPDX-License-Identifier: MIT
#include "isa/fp_exact.h"
#include "isa/fp_exact_parts.h"

#include "arch/msr.h"

/* FPRF codes: Book I, figure "Floating-point result flags". */
#define FPRF(code) ((code) << 12)
#define FPRF_QNAN  FPRF(0x11u)

u32 fp_class(u64 value, bool single)
{
	bool negative = value >> 63;
	u64 magnitude = value & ~SIGN_BIT;
	u64 least_normal = single ? 0x3810000000000000ull : 0x0010000000000000ull;

	if (magnitude > INFINITY_BITS)
		return FPRF_QNAN;
	if (magnitude == INFINITY_BITS)
		return negative ? FPRF(0x09u) : FPRF(0x05u);
	if (magnitude == 0)
		return negative ? FPRF(0x12u) : FPRF(0x02u);
	if (magnitude < least_normal)
		return negative ? FPRF(0x18u) : FPRF(0x14u);
	return negative ? FPRF(0x08u) : FPRF(0x04u);
}

u64 fp_widen(u32 single)
{
	u64 sign = (u64)(single >> 31) << 63;
	u32 exponent = single >> 23 & 0xff;
	u64 fraction = single & 0x7fffff;

	if (exponent == 0xff)
		return sign | INFINITY_BITS | fraction << 29;
	if (exponent)
		return sign | (u64)(exponent + 1023 - 127) << 52 | fraction << 29;
	if (!fraction)
		return sign;
	u32 shift = (u32)__builtin_clzll(fraction) - (63 - 23);
	return sign | (u64)(1023 - 126 - shift) << 52 | (fraction << (shift + 29) & FRACTION_MASK);
}

u32 fp_narrow(u64 value)
{
	u32 sign = (u32)(value >> 63) << 31;
	u32 exponent = value >> 52 & 0x7ff;

	/* Normal numbers, infinities and NaNs: drop three exponent bits and 29 fraction bits. */
	if (exponent > 1023 - 127)
		return (u32)(value >> 32 & 0xc0000000) | (u32)(value >> 29 & 0x3fffffff);
	if (exponent < 1023 - 149)
		return sign;
	u64 significand = FRACTION_MASK + 1 | (value & FRACTION_MASK);
	return sign | (u32)(significand >> (1023 - 126 + 29 - exponent));
}

struct parts fp_unpack(u64 bits)
{
	struct parts p = {.negative = bits >> 63};
	u32 exponent = bits >> 52 & 0x7ff;
	u64 fraction = bits & FRACTION_MASK;

	if (exponent == 0x7ff) {
		if (!fraction)
			p.kind = KIND_INFINITY;
		else
			p.kind = bits & QUIET_BIT ? KIND_QNAN : KIND_SNAN;
	} else if (exponent) {
		p.kind = KIND_FINITE;
		p.exponent = (s32)exponent - 1023;
		p.significand = (fraction | FRACTION_MASK + 1) << 11;
	} else if (fraction) {
		u32 shift = (u32)__builtin_clzll(fraction);

		p.kind = KIND_FINITE;
		p.exponent = -1022 + 11 - (s32)shift;
		p.significand = fraction << shift;
	} else {
		p.kind = KIND_ZERO;
	}
	return p;
}

/*
 * A rounded number as a double. An adjusted exponent of a single-precision operation on operands
 * that no single has may be out of range even so: then it is 0 or wraps around.
 */
static u64 pack(bool negative, s32 exponent, u64 significand)
{
	u64 sign = fp_zero(negative);

	if (!significand)
		return sign;
	u32 shift = (u32)__builtin_clzll(significand);
	significand <<= shift;
	exponent -= (s32)shift;
	if (exponent < -1022) {
		if (exponent < -1022 - 52)
			return sign;
		return sign | significand >> (11 - 1022 - exponent);
	}
	return sign | (u64)(exponent + 1023 & 0x7ff) << 52 | (significand >> 11 & FRACTION_MASK);
}

struct fp_result fp_round(bool negative, s32 exponent, u64 significand, bool single, u64 fpscr)
{
	const s32 least = single ? -126 : -1022, greatest = single ? 127 : 1023;
	const s32 adjust = single ? 192 : 1536;
	const u32 drop = single ? 64 - 24 : 64 - 53;
	const enum rounding mode = fp_rounding(fpscr);
	struct fp_result r = {0};
	/* Tininess is that of the infinitely precise result (Book I, 4.4.4). */
	bool tiny = exponent < least;

	if (tiny && fpscr & FPSCR_UE) {
		exponent += adjust;
		r.fpscr |= FPSCR_UX;
	} else if (tiny) {
		significand = shift_sticky_u64(significand, (u32)(least - exponent));
		exponent = least;
	}

	u64 rest = significand << (64 - drop);
	bool up = fp_rounds_up(negative, significand >> drop & 1, rest, mode);

	significand = significand >> drop << drop;
	if (up && __builtin_add_overflow(significand, 1ull << drop, &significand)) {
		significand = SIGN_BIT;
		exponent++;
	}
	if (rest) {
		r.fpscr |= FPSCR_XX | FPSCR_FI | (up ? FPSCR_FR : 0);
		if (tiny)
			r.fpscr |= FPSCR_UX;
	}

	if (exponent > greatest) {
		r.fpscr |= FPSCR_OX;
		if (!(fpscr & FPSCR_OE)) {
			bool infinite = mode == ROUND_NEAREST ||
					(mode == ROUND_UP_INF && !negative) ||
					(mode == ROUND_DOWN_INF && negative);

			r.value = fp_infinity(negative);
			if (!infinite)
				r.value = fp_zero(negative) |
					  (single ? 0x47efffffe0000000ull : 0x7fefffffffffffffull);
			/* The ISA leaves FR undefined here. */
			r.fpscr = FPSCR_OX | FPSCR_XX | FPSCR_FI | (infinite ? FPSCR_FR : 0) |
				  fp_class(r.value, single);
			return r;
		}
		exponent -= adjust;
	}
	r.value = pack(negative, exponent, significand);
	r.fpscr |= fp_class(r.value, single);
	return r;
}

/* Round significand * 2^(exponent - 127); it is not 0. */
static struct fp_result round_u128(bool negative, s32 exponent, u128 significand, bool single,
				   u64 fpscr)
{
	u64 high = (u64)(significand >> 64);
	u32 shift = high ? (u32)__builtin_clzll(high) : 64 + (u32)__builtin_clzll((u64)significand);

	significand <<= shift;
	return fp_round(negative, exponent - (s32)shift,
			(u64)(significand >> 64) | ((u64)significand != 0), single, fpscr);
}

/* Sign of an exact zero sum of numbers that are not both zeros of one sign. */
static bool zero_sum_sign(u64 fpscr)
{
	return fp_rounding(fpscr) == ROUND_DOWN_INF;
}

/* Two finite nonzero numbers, significands left-aligned below bit 127. */
static struct fp_result sum(bool a_negative, s32 a_exponent, u128 a, bool b_negative,
			    s32 b_exponent, u128 b, bool single, u64 fpscr)
{
	s32 exponent = MAX(a_exponent, b_exponent);

	a = shift_sticky_u128(a, (u32)(exponent - a_exponent));
	b = shift_sticky_u128(b, (u32)(exponent - b_exponent));
	if (a_negative == b_negative)
		return round_u128(a_negative, exponent + 1, a + b, single, fpscr);
	if (a == b)
		return fp_as_is(fp_zero(zero_sum_sign(fpscr)), single);
	if (a > b)
		return round_u128(a_negative, exponent + 1, a - b, single, fpscr);
	return round_u128(b_negative, exponent + 1, b - a, single, fpscr);
}

static struct fp_result add(u64 a_bits, u64 b_bits, bool subtract, bool single, u64 fpscr)
{
	struct parts a = fp_unpack(a_bits), b = fp_unpack(b_bits);
	u32 flags = a.kind == KIND_SNAN || b.kind == KIND_SNAN ? FPSCR_VXSNAN : 0;

	if (fp_kind_is_nan(a.kind))
		return fp_nan(a_bits, single, flags);
	if (fp_kind_is_nan(b.kind))
		return fp_nan(b_bits, single, flags);
	b.negative ^= subtract;
	if (a.kind == KIND_INFINITY) {
		if (b.kind == KIND_INFINITY && a.negative != b.negative)
			return fp_nan(FP_DEFAULT_NAN, single, FPSCR_VXISI);
		return fp_as_is(fp_infinity(a.negative), single);
	}
	if (b.kind == KIND_INFINITY)
		return fp_as_is(fp_infinity(b.negative), single);
	if (a.kind == KIND_ZERO && b.kind == KIND_ZERO) {
		bool negative = a.negative == b.negative ? a.negative : zero_sum_sign(fpscr);

		return fp_as_is(fp_zero(negative), single);
	}
	if (a.kind == KIND_ZERO)
		return fp_round(b.negative, b.exponent, b.significand, single, fpscr);
	if (b.kind == KIND_ZERO)
		return fp_round(a.negative, a.exponent, a.significand, single, fpscr);
	return sum(a.negative, a.exponent, (u128)a.significand << 63, b.negative, b.exponent,
		   (u128)b.significand << 63, single, fpscr);
}

static struct fp_result multiply(u64 a_bits, u64 b_bits, bool single, u64 fpscr)
{
	struct parts a = fp_unpack(a_bits), b = fp_unpack(b_bits);
	bool negative = a.negative != b.negative;
	u32 flags = a.kind == KIND_SNAN || b.kind == KIND_SNAN ? FPSCR_VXSNAN : 0;

	if (fp_kind_is_nan(a.kind))
		return fp_nan(a_bits, single, flags);
	if (fp_kind_is_nan(b.kind))
		return fp_nan(b_bits, single, flags);
	if (a.kind == KIND_INFINITY || b.kind == KIND_INFINITY) {
		if (a.kind == KIND_ZERO || b.kind == KIND_ZERO)
			return fp_nan(FP_DEFAULT_NAN, single, FPSCR_VXIMZ);
		return fp_as_is(fp_infinity(negative), single);
	}
	if (a.kind == KIND_ZERO || b.kind == KIND_ZERO)
		return fp_as_is(fp_zero(negative), single);
	return round_u128(negative, a.exponent + b.exponent + 1,
			  (u128)a.significand * b.significand, single, fpscr);
}

static struct fp_result divide(u64 a_bits, u64 b_bits, bool single, u64 fpscr)
{
	struct parts a = fp_unpack(a_bits), b = fp_unpack(b_bits);
	bool negative = a.negative != b.negative;
	u32 flags = a.kind == KIND_SNAN || b.kind == KIND_SNAN ? FPSCR_VXSNAN : 0;
	struct fp_result r;

	if (fp_kind_is_nan(a.kind))
		return fp_nan(a_bits, single, flags);
	if (fp_kind_is_nan(b.kind))
		return fp_nan(b_bits, single, flags);
	if (a.kind == KIND_INFINITY) {
		if (b.kind == KIND_INFINITY)
			return fp_nan(FP_DEFAULT_NAN, single, FPSCR_VXIDI);
		return fp_as_is(fp_infinity(negative), single);
	}
	if (b.kind == KIND_INFINITY)
		return fp_as_is(fp_zero(negative), single);
	if (b.kind == KIND_ZERO) {
		if (a.kind == KIND_ZERO)
			return fp_nan(FP_DEFAULT_NAN, single, FPSCR_VXZDZ);
		r = fp_as_is(fp_infinity(negative), single);
		r.fpscr |= FPSCR_ZX;
		return r;
	}
	if (a.kind == KIND_ZERO)
		return fp_as_is(fp_zero(negative), single);

	/* The quotient of two significands is in (1/2, 2): 63 or 64 bits of it. */
	u128 dividend = (u128)a.significand << 63;
	u64 quotient = (u64)(dividend / b.significand);
	bool sticky = dividend % b.significand != 0;
	u32 shift = (u32)__builtin_clzll(quotient);

	return fp_round(negative, a.exponent - b.exponent - (s32)shift, quotient << shift | sticky,
			single, fpscr);
}

static struct fp_result square_root(u64 bits, bool single, u64 fpscr)
{
	struct parts a = fp_unpack(bits);

	if (fp_kind_is_nan(a.kind))
		return fp_nan(bits, single, a.kind == KIND_SNAN ? FPSCR_VXSNAN : 0);
	if (a.kind == KIND_ZERO)
		return fp_as_is(bits, single);
	if (a.negative)
		return fp_nan(FP_DEFAULT_NAN, single, FPSCR_VXSQRT);
	if (a.kind == KIND_INFINITY)
		return fp_as_is(bits, single);

	/* a = radicand * 2^(exponent - 126) with an even exponent; the root then has 64 bits. */
	bool odd = a.exponent & 1;
	u128 radicand = (u128)a.significand << (odd ? 64 : 63);
	u128 root = 0, remainder = 0;

	for (int i = 0; i < 64; i++) {
		remainder = remainder << 2 | (u32)(radicand >> 126);
		radicand <<= 2;
		u128 trial = root << 2 | 1;
		root <<= 1;
		if (remainder >= trial) {
			remainder -= trial;
			root |= 1;
		}
	}
	return fp_round(false, (a.exponent - odd) / 2, (u64)root | (remainder != 0), single, fpscr);
}

/* a * b + c with one rounding. */
static struct fp_result multiply_add(u32 operation, u64 a_bits, u64 b_bits, u64 c_bits, u64 fpscr)
{
	const bool single = operation & FP_SINGLE;
	struct parts a = fp_unpack(a_bits), b = fp_unpack(b_bits), c = fp_unpack(c_bits);
	bool negative = a.negative != b.negative;
	bool infinity_times_zero = (a.kind == KIND_INFINITY && b.kind == KIND_ZERO) ||
				   (a.kind == KIND_ZERO && b.kind == KIND_INFINITY);
	u32 flags = a.kind == KIND_SNAN || b.kind == KIND_SNAN || c.kind == KIND_SNAN ? FPSCR_VXSNAN
										      : 0;

	/* An invalid product counts even where a NaN addend decides the result. */
	if (infinity_times_zero)
		flags |= FPSCR_VXIMZ;
	if (fp_kind_is_nan(a.kind))
		return fp_nan(a_bits, single, flags);
	if (fp_kind_is_nan(c.kind))
		return fp_nan(c_bits, single, flags);
	if (fp_kind_is_nan(b.kind))
		return fp_nan(b_bits, single, flags);
	if (infinity_times_zero)
		return fp_nan(FP_DEFAULT_NAN, single, flags);

	if (operation & FP_NEGATE_ADDEND)
		c.negative = !c.negative;
	if (a.kind == KIND_INFINITY || b.kind == KIND_INFINITY) {
		if (c.kind == KIND_INFINITY && c.negative != negative)
			return fp_nan(FP_DEFAULT_NAN, single, FPSCR_VXISI);
		return fp_as_is(fp_infinity(negative), single);
	}
	if (c.kind == KIND_INFINITY)
		return fp_as_is(fp_infinity(c.negative), single);
	if (a.kind == KIND_ZERO || b.kind == KIND_ZERO) {
		if (c.kind == KIND_FINITE)
			return fp_round(c.negative, c.exponent, c.significand, single, fpscr);
		if (negative != c.negative)
			negative = zero_sum_sign(fpscr);
		return fp_as_is(fp_zero(negative), single);
	}

	/* 106 significant bits, left-aligned: shifted right by 1 they keep a bit for the carry. */
	u128 product = (u128)a.significand * b.significand;
	s32 exponent = a.exponent + b.exponent + 1;

	if (!(product >> 127)) {
		product <<= 1;
		exponent--;
	}
	if (c.kind == KIND_ZERO)
		return round_u128(negative, exponent, product, single, fpscr);
	return sum(negative, exponent, product >> 1, c.negative, c.exponent,
		   (u128)c.significand << 63, single, fpscr);
}

static struct fp_result copy(u64 bits, bool single, u64 fpscr)
{
	struct parts a = fp_unpack(bits);

	if (fp_kind_is_nan(a.kind))
		return fp_nan(bits, single, a.kind == KIND_SNAN ? FPSCR_VXSNAN : 0);
	if (a.kind != KIND_FINITE)
		return fp_as_is(bits, single);
	return fp_round(a.negative, a.exponent, a.significand, single, fpscr);
}

/*
 * Estimates. The ISA asks for a relative error below 2^-14 (1/256 and 1/32 for the older ones) and
 * leaves the bits to the implementation: here they are the correctly rounded quotient, for the
 * root the one of the rounded root.
 */
static struct fp_result reciprocal_root(u64 a, u32 operation, u64 fpscr)
{
	const bool single = operation & FP_SINGLE;
	struct fp_result root, r;

	if (!(a & ~SIGN_BIT)) {
		r = fp_as_is(fp_infinity(a >> 63), single);
		r.fpscr |= FPSCR_ZX;
		return r;
	}
	root = square_root(a, operation & FP_ROOT_SINGLE, fpscr);
	if (fp_is_nan(root.value))
		return square_root(a, single, fpscr);
	r = divide(0x3ff0000000000000ull, root.value, single, fpscr);
	r.fpscr |= root.fpscr & (FPSCR_XX | FPSCR_FI);
	return r;
}

u64 fp_exact_max_min_nan(u64 a, u64 b)
{
	if (fp_is_snan(a))
		return a | QUIET_BIT;
	if (fp_is_nan(a))
		return fp_is_nan(b) ? a : b;
	return fp_is_snan(b) ? b | QUIET_BIT : a;
}

struct fp_result fp_exact(u32 operation, u64 a, u64 b, u64 c, u64 fpscr)
{
	const bool single = operation & FP_SINGLE;
	struct fp_result r = {0};

	switch (operation & FP_KIND) {
	case FP_NONE:
		break;
	case FP_ADD:
		return add(a, b, false, single, fpscr);
	case FP_SUB:
		return add(a, b, true, single, fpscr);
	case FP_MUL:
		return multiply(a, b, single, fpscr);
	case FP_DIV:
		return divide(a, b, single, fpscr);
	case FP_SQRT:
		return square_root(a, single, fpscr);
	case FP_MADD:
		r = multiply_add(operation, a, b, c, fpscr);
		if (operation & FP_NEGATE_RESULT && !fp_is_nan(r.value)) {
			r.value ^= SIGN_BIT;
			r.fpscr = (r.fpscr & ~FPSCR_FPRF) | fp_class(r.value, single);
		}
		break;
	case FP_COPY:
		return copy(a, single, fpscr);
	case FP_RE:
		return divide(0x3ff0000000000000ull, a, single, fpscr);
	case FP_RSQRTE:
		return reciprocal_root(a, operation, fpscr);
	case FP_CLASSIFY:
		return fp_as_is(a, single);
	default:
		return fp_exact_integer(operation, a, fpscr);
	}
	return r;
}
