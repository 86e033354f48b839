/* SPDX-License-Identifier: MIT */
/*
 * Floating-point operations of the Power ISA in integer arithmetic: the truth about every result
 * bit and every FPSCR bit. The fast paths (fp.h) use the host's FPU and come here for what it does
 * not tell: NaN results, the rules of enabled exceptions, FPRF, FR and FI.
 *
 * Pure functions: any thread, no access to the host's floating-point state.
 *
 * Source: Power ISA 2.07B Book I 4.2-4.6 (floating point), 7.3-7.4 (VSX), 7.6.1 (descriptions).
 */
#ifndef ISA_FP_EXACT_H
#define ISA_FP_EXACT_H

#include "base/types.h"
#include "isa/fp_format.h"

/*
 * What to compute. Operands and results are bit patterns in double-precision format: single
 * precision is widened before (fp_widen) and single-precision results are doubles whose value a
 * single has, as they stand in an FPR.
 */
enum fp_operation {
	FP_NONE,

	/* Arithmetic: rounded by FPSCR[RN], to double precision or, with FP_SINGLE, to single. */
	FP_ADD,
	FP_SUB,
	FP_MUL,
	FP_DIV,
	FP_SQRT,
	FP_MADD, /* a * b + c, rounded once; NaN priority a, c, b */
	FP_COPY, /* a, rounded: frsp is FP_COPY | FP_SINGLE */
	FP_RE,	 /* estimate of 1 / a */
	FP_RSQRTE,
	FP_FROM_S64,
	FP_FROM_U64,

	/* To an integral value in floating-point format. Only RINT_CURRENT sets XX, FR and FI. */
	FP_RINT_AWAY, /* to nearest, ties away from zero */
	FP_RINT_CURRENT,
	FP_RINT_ZERO,
	FP_RINT_UP,
	FP_RINT_DOWN,

	/* To an integer; what does not fit is VXCVI and the nearest integer, a NaN is the least. */
	FP_TO_S64,
	FP_TO_U64,
	FP_TO_S32, /* result sign-extended */
	FP_TO_U32,

	/* No operation but the class of a: FPRF, with FR = FI = 0. */
	FP_CLASSIFY,

	FP_KIND = 0x3f,
	FP_SINGLE = 0x40,
	FP_NEGATE_ADDEND = 0x80,    /* of FP_MADD: fmsub */
	FP_NEGATE_RESULT = 0x100,   /* of FP_MADD, after rounding, not of a NaN: fnmadd */
	FP_TRUNCATE = 0x200,	    /* of FP_TO_*: toward zero whatever FPSCR[RN] */
	FP_INVALID_IS_QNAN = 0x400, /* of FP_TO_*: an invalid one sets FPRF to "quiet NaN" */
	FP_ROOT_SINGLE = 0x800,	    /* of FP_RSQRTE: the root, too, is rounded to single */
};

/**
 * struct fp_result - what an operation gives
 * @value: as bits; meaningless if an enabled exception suppresses it (VE with a VX bit, ZE with ZX)
 * @fpscr: exception bits that the operation raises (not FX, FEX, VX), and FR, FI, FPRF
 */
struct fp_result {
	u64 value;
	u32 fpscr;
};

/**
 * fp_exact - perform one operation
 * @operation: enum fp_operation with its flag bits
 * @a, @b, @c: operands as double-precision bits (integers for FP_FROM_*); unused ones are ignored
 * @fpscr: RN and the enables OE and UE of it select the result
 *
 * An overflow with OE and an underflow with UE give the result with its exponent brought back into
 * range by 1536, or 192 for FP_SINGLE.
 */
struct fp_result fp_exact(u32 operation, u64 a, u64 b, u64 c, u64 fpscr);

/* The same for FP_RINT_*, FP_TO_* and FP_FROM_*; fp_exact() calls it. fp_exact_integer.c */
struct fp_result fp_exact_integer(u32 operation, u64 a, u64 fpscr);

#define FP_DEFAULT_NAN 0x7ff8000000000000ull

/* FPRF, in place, of a double; for FP_SINGLE a double that is a denormal as a single is one. */
u32 fp_class(u64 value, bool single);

/* Maximum or minimum, of which one operand at least is a NaN: a number wins over a quiet NaN. */
u64 fp_exact_max_min_nan(u64 a, u64 b);

static ALWAYS_INLINE bool fp_is_nan(u64 bits)
{
	return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

static ALWAYS_INLINE bool fp_is_snan(u64 bits)
{
	return fp_is_nan(bits) && !(bits & 0x0008000000000000ull);
}

#endif
