/* SPDX-License-Identifier: MIT */
/*
 * VMX single-precision arithmetic, ISA 2.07B Book I chapter 6, "Vector Floating-Point Operations":
 * always rounded to nearest, nothing is raised, the FPSCR is not touched. With VSCR[NJ] ("non-
 * Java", nj in here) denormal operands count as zeros, and a result that is tiny before rounding
 * becomes a zero, of the same sign in both cases. A NaN result is the first operand that is one,
 * in the order VRA, VRB, VRC, made quiet; an invalid operation gives 0x7fc00000.
 *
 * Vectors are elements as bits; they are computed on the host FPU, whose state is put back, so
 * that a guest's rounding mode and sticky flags survive. Any thread.
 */
#ifndef ISA_VMX_FLOAT_H
#define ISA_VMX_FLOAT_H

#include "base/host_fp.h"
#include "isa/fp.h"
#include "isa/vector.h"

#define F32_SIGN       0x80000000u
#define F32_MAGNITUDE  0x7fffffffu
#define F32_INFINITY   0x7f800000u
#define F32_LEAST      0x00800000u /* the least normal number */
#define F32_QUIET      0x00400000u
#define F32_ONE	       0x3f800000u
#define F32_DEFAULT_NAN 0x7fc00000u

/* Lanes that are all ones for a NaN. The comparison is a signed one, of positive numbers. */
static ALWAYS_INLINE v4u32 f32_is_nan(v4u32 x)
{
	return (v4u32)((v4s32)(x & F32_MAGNITUDE) > (s32)F32_INFINITY);
}

/* Denormals to zeros of the same sign. */
static ALWAYS_INLINE v4u32 f32_flush(v4u32 x, bool nj)
{
	const v4u32 small = (v4u32)((x & F32_INFINITY) == 0);

	return nj ? x & ~(small & F32_MAGNITUDE) : x;
}

/* Replace in r the lanes with a NaN, as the operands x, y, z of the operation demand. */
v4u32 f32_fix_nans(v4u32 r, v4u32 x, v4u32 y, v4u32 z) COLD;

/*
 * Replace in r, which is x * z + y, the lanes that were rounded up to the least normal number: they
 * are tiny before rounding, which the host does not see.
 */
v4u32 f32_fix_tiny(v4u32 r, v4u32 x, v4u32 z, v4u32 y) COLD;

/* vexptefp and vlogefp. */
v4u32 f32_exp2(v4u32 x, bool nj);
v4u32 f32_log2(v4u32 x, bool nj);

/* For hosts that cannot flush by themselves. */
#define F32_FLUSH_BY_HAND(x, nj) (HOST_FP_CAN_FLUSH ? (x) : f32_flush(x, nj))

/*
 * expression of x and y as vectors of float. For results that the host flushes right: tiny sums
 * are exact, and no reciprocal is rounded up to the least normal number.
 */
#define F32_COMPUTE(x_, y_, nj, expression)                                                        \
	({                                                                                         \
		const v4u32 x_bits = (x_), y_bits = (y_);                                          \
		const v4f32 x = (v4f32)F32_FLUSH_BY_HAND(x_bits, nj);                              \
		UNUSED const v4f32 y = (v4f32)F32_FLUSH_BY_HAND(y_bits, nj);                       \
		const host_fp_env fp_env = vmx_fp_begin(nj);                                       \
		v4u32 r = (v4u32)(expression);                                                     \
                                                                                                   \
		vmx_fp_end(fp_env);                                                                \
		r = F32_FLUSH_BY_HAND(r, nj);                                                      \
		if (unlikely(host_vector_any((v2u64)f32_is_nan(r))))                               \
			r = f32_fix_nans(r, x_bits, y_bits, y_bits);                               \
		r;                                                                                 \
	})

/* x * z + y, rounded once; negate: -(x * z - y), which leaves the sign of a NaN alone. */
static ALWAYS_INLINE v4u32 f32_multiply_add(v4u32 x_bits, v4u32 z_bits, v4u32 y_bits, bool negate,
					    bool nj)
{
	const u32 sign = negate ? F32_SIGN : 0;
	const v4u32 x = F32_FLUSH_BY_HAND(x_bits, nj);
	const v4u32 z = F32_FLUSH_BY_HAND(z_bits, nj);
	const v4u32 y = F32_FLUSH_BY_HAND(y_bits, nj) ^ sign;
	const host_fp_env fp_env = vmx_fp_begin(nj);
	v4u32 r = (v4u32)host_fp_fma_v4((v4f32)x, (v4f32)z, (v4f32)y);

	vmx_fp_end(fp_env);
	r = F32_FLUSH_BY_HAND(r, nj);
	if (nj && unlikely(host_vector_any((v2u64)((r & F32_MAGNITUDE) == F32_LEAST))))
		r = f32_fix_tiny(r, x, z, y);
	r ^= sign;
	if (unlikely(host_vector_any((v2u64)f32_is_nan(r))))
		r = f32_fix_nans(r, x_bits, y_bits, z_bits);
	return r;
}

/* The greater one; of zeros the positive one. Comparing NaNs raises nothing that anybody sees. */
static ALWAYS_INLINE v4u32 f32_maximum(v4u32 x, v4u32 y, bool nj)
{
	const v4u32 x_flushed = f32_flush(x, nj), y_flushed = f32_flush(y, nj);
	const v4u32 x_wins = (v4u32)((v4f32)x_flushed > (v4f32)y_flushed);
	const v4u32 equal = (v4u32)((v4f32)x_flushed == (v4f32)y_flushed);
	const v4u32 r = VEC_SELECT(x_wins, y_flushed & (x_flushed | ~equal), x_flushed);

	if (unlikely(host_vector_any((v2u64)(f32_is_nan(x) | f32_is_nan(y)))))
		return f32_fix_nans(r, x, y, y);
	return r;
}

static ALWAYS_INLINE v4u32 f32_minimum(v4u32 x, v4u32 y, bool nj)
{
	const v4u32 x_flushed = f32_flush(x, nj), y_flushed = f32_flush(y, nj);
	const v4u32 x_wins = (v4u32)((v4f32)x_flushed < (v4f32)y_flushed);
	const v4u32 equal = (v4u32)((v4f32)x_flushed == (v4f32)y_flushed);
	const v4u32 r = VEC_SELECT(x_wins, y_flushed | (x_flushed & equal), x_flushed);

	if (unlikely(host_vector_any((v2u64)(f32_is_nan(x) | f32_is_nan(y)))))
		return f32_fix_nans(r, x, y, y);
	return r;
}

/* Signed or unsigned integers divided by 2^scale. */
#define F32_FROM_INTEGER(n, scale)                                                                 \
	({                                                                                         \
		const host_fp_env fp_env = vmx_fp_begin(false);                                    \
		const v4u32 factor = SPLAT(v4u32, F32_ONE - ((u32)(scale) << 23));                 \
		const v4f32 r = __builtin_convertvector(n, v4f32) * (v4f32)factor;                 \
                                                                                                   \
		vmx_fp_end(fp_env);                                                                \
		r;                                                                                 \
	})

/*
 * x times 2^scale, toward zero, as signed or unsigned integers; where it does not fit, the nearest
 * one, and a lane of *saturated is not 0. A NaN is 0, and does not saturate.
 */
static ALWAYS_INLINE v4u32 f32_to_s32(v4u32 x, u32 scale, v4u32 *saturated)
{
	const host_fp_env fp_env = vmx_fp_begin(false);
	const v4f32 scaled = (v4f32)x * (v4f32)SPLAT(v4u32, F32_ONE + (scale << 23));
	const v4u32 above = (v4u32)(scaled >= 0x1p31f), below = (v4u32)(scaled < -0x1p31f);
	const v4u32 fits = ~(above | below | f32_is_nan(x));
	const v4u32 r = (v4u32)__builtin_convertvector((v4f32)((v4u32)scaled & fits), v4s32);

	vmx_fp_end(fp_env);
	*saturated = above | below;
	return r | (above & INT32_MAX) | (below & 0x80000000);
}

static ALWAYS_INLINE v4u32 f32_to_u32(v4u32 x, u32 scale, v4u32 *saturated)
{
	const host_fp_env fp_env = vmx_fp_begin(false);
	const v4f32 scaled = (v4f32)x * (v4f32)SPLAT(v4u32, F32_ONE + (scale << 23));
	const v4u32 above = (v4u32)(scaled >= 0x1p32f), below = (v4u32)(scaled <= -1.0f);
	const v4u32 fits = (v4u32)(scaled > 0.0f) & ~above;
	/* In two parts, since hosts convert to signed integers. */
	const v4u32 half = (v4u32)(scaled >= 0x1p31f) & fits;
	const v4f32 rest = (v4f32)((v4u32)scaled & fits) - (v4f32)(half & 0x4f000000);
	const v4u32 r = (v4u32)__builtin_convertvector(rest, v4s32) + (half & 0x80000000);

	vmx_fp_end(fp_env);
	*saturated = above | below;
	return r | above;
}

#endif
