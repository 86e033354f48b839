/* SPDX-License-Identifier: MIT */
/*
 * Floating-point numbers in pieces: shared by the fp_exact*.c files.
 *
 * A finite number other than 0 is significand * 2^(exponent - 63), with the top bit of the
 * significand set. Where bits are lost below, the lowest kept bit is their OR ("sticky"), which
 * is enough to round right, since 63 bits are more than any format has plus two.
 */
#ifndef ISA_FP_EXACT_PARTS_H
#define ISA_FP_EXACT_PARTS_H

#include "arch/msr.h"
#include "base/host_fp.h"
#include "isa/fp_exact.h"

enum fp_kind { KIND_ZERO, KIND_FINITE, KIND_INFINITY, KIND_QNAN, KIND_SNAN };

struct parts {
	enum fp_kind kind;
	bool negative;
	s32 exponent;
	u64 significand;
};

#define SIGN_BIT      (1ull << 63)
#define INFINITY_BITS 0x7ff0000000000000ull
#define QUIET_BIT     0x0008000000000000ull
#define FRACTION_MASK 0x000fffffffffffffull

/* Take a double apart; NaNs keep only their kind and sign. */
struct parts fp_unpack(u64 bits);

/* Round by fpscr's RN, OE and UE, and set FPRF, FI, FR, XX, OX, UX. The number is not 0. */
struct fp_result fp_round(bool negative, s32 exponent, u64 significand, bool single, u64 fpscr);

/* An exact result that needs no rounding: FPRF only. */
static inline struct fp_result fp_as_is(u64 value, bool single)
{
	return (struct fp_result){value, fp_class(value, single)};
}

/* A NaN result: quieted; single precision drops the payload bits that a single has not. */
static inline struct fp_result fp_nan(u64 nan, bool single, u32 flags)
{
	nan |= QUIET_BIT;
	if (single)
		nan &= ~0x1fffffffull;
	return (struct fp_result){nan, flags | fp_class(nan, single)};
}

static inline u64 fp_infinity(bool negative)
{
	return negative ? SIGN_BIT | INFINITY_BITS : INFINITY_BITS;
}

static inline u64 fp_zero(bool negative)
{
	return negative ? SIGN_BIT : 0;
}

static inline bool fp_kind_is_nan(enum fp_kind kind)
{
	return kind >= KIND_QNAN;
}

static inline enum rounding fp_rounding(u64 fpscr)
{
	return fpscr & FPSCR_RN;
}

/*
 * Whether dropping `rest` (bits below the last kept one, left-aligned: the top bit is half a unit)
 * rounds the magnitude up.
 */
static inline bool fp_rounds_up(bool negative, bool odd, u64 rest, enum rounding mode)
{
	switch (mode) {
	case ROUND_NEAREST:
		return rest > SIGN_BIT || (rest == SIGN_BIT && odd);
	case ROUND_ZERO:
		return false;
	case ROUND_UP_INF:
		return rest && !negative;
	case ROUND_DOWN_INF:
		return rest && negative;
	}
	return false;
}

/* Shift right; the lowest bit of the result is the OR of what falls out. */
static inline u64 shift_sticky_u64(u64 x, u32 n)
{
	if (n == 0)
		return x;
	if (n > 63)
		return x != 0;
	return x >> n | (x << (64 - n) != 0);
}

static inline u128 shift_sticky_u128(u128 x, u32 n)
{
	if (n == 0)
		return x;
	if (n > 127)
		return x != 0;
	return x >> n | (x << (128 - n) != 0);
}

#endif
