/* SPDX-License-Identifier: MIT */
/*
 * Words of the semantics language (sem.h) for the vector floating point of VSX.
 *
 * The same scheme as for scalars (fp_sem.h), with vectors of the host: compute, look whether any
 * element is doubtful, and if so let fp_vector_slow() do all elements exactly. What differs is
 * that a vector instruction sets sticky bits but neither FPRF nor FR nor FI, and that any enabled
 * exception in any element keeps the target as it is.
 *
 * Inside an expression, x, y and z are the operands as vectors of the type.
 */
#ifndef ISA_FP_VECTOR_H
#define ISA_FP_VECTOR_H

#include "isa/fp_sem.h"
#include "isa/vector.h"

/**
 * struct fp_vector_outcome - what a slow function decided
 * @value: result
 * @suppressed: the target is not to be written
 * @trap: leave with PROGRAM_FP_ENABLED
 */
struct fp_vector_outcome {
	v2u64 value;
	bool suppressed;
	bool trap;
};

/* An arithmetic operation (FP_SINGLE: on four singles, else on two doubles) on every element. */
struct fp_vector_outcome fp_vector_slow(struct cpu *cpu, u32 operation, v2u64 a, v2u64 b,
					v2u64 c) COLD;

/* What the elements of a conversion are, and which of the words they are in. */
enum fp_shape {
	SHAPE_F64,
	SHAPE_F32,	/* four singles */
	SHAPE_F32_EVEN, /* two singles in words 0 and 2; as a target also in words 1 and 3 */
	SHAPE_I64,
	SHAPE_I32,
	SHAPE_I32_EVEN,
};

/* A conversion of every element; operation as for fp_exact(). */
struct fp_vector_outcome fp_vector_convert(struct cpu *cpu, u32 operation, enum fp_shape from,
					   enum fp_shape to, v2u64 a) COLD;

/* Exceptions of a comparison with a NaN in some element; value is not set. */
struct fp_vector_outcome fp_vector_compare_nan(struct cpu *cpu, v2u64 a, v2u64 b, bool single,
					       bool ordered) COLD;

/* Maximum or minimum with a NaN in some element. */
struct fp_vector_outcome fp_vector_max_min_nan(struct cpu *cpu, v2u64 a, v2u64 b, bool single,
					       bool max) COLD;

u32 fp_vector_test_divide(v2u64 a, v2u64 b, bool single);
u32 fp_vector_test_root(v2u64 b, bool single);

/* --- double and single ------------------------------------------------------------------------ */

/*
 * The macros below take D or S for "double" and "single", from which they derive the type of the
 * vector, its integer twins, and the flag of the operation.
 */
#define XV_TYPE_D	   v2f64
#define XV_TYPE_S	   v4f32
#define XV_BITS_D	   v2u64
#define XV_BITS_S	   v4u32
#define XV_FLAG_D	   0
#define XV_FLAG_S	   FP_SINGLE
#define XV_SIGN_D	   SPLAT(v2u64, 1ull << 63)
#define XV_SIGN_S	   SPLAT(v4u32, 1u << 31)
#define XV_LEAST_NORMAL_D  SPLAT(v2u64, 0x0010000000000000ull)
#define XV_LEAST_NORMAL_S  SPLAT(v4u32, 0x00800000u)
#define XV_ONE_D	   SPLAT(v2f64, 1.0)
#define XV_ONE_S	   SPLAT(v4f32, 1.0f)
#define XV_FMA_D(x, y, z)  host_fp_fma_v2(x, y, z)
#define XV_FMA_S(x, y, z)  host_fp_fma_v4(x, y, z)
#define XV_SQRT(x)	   __builtin_elementwise_sqrt(x)

#define XV_BITS(p, x) ((XV_BITS_##p)(x))
#define XV_ABS(p, x)  (XV_BITS(p, x) & ~XV_SIGN_##p)
#define XV_NAN(x)     ((v2u64)((x) != (x)))

/* Elements that the host may have got wrong. Compare NEVER_TINY and MAYBE_TINY of fp_sem.h. */
#define XV_NEVER_TINY(p, r) XV_NAN(r)
#define XV_MAYBE_TINY(p, r) (XV_NAN(r) | (v2u64)(XV_ABS(p, r) == XV_LEAST_NORMAL_##p))

#define XV_FINISH(outcome)                                                                         \
	do {                                                                                       \
		const struct fp_vector_outcome o_ = (outcome);                                     \
                                                                                                   \
		if (!o_.suppressed)                                                                \
			WRVEC(t, o_.value);                                                        \
		if (o_.trap)                                                                       \
			PROGRAM(PROGRAM_FP_ENABLED);                                               \
	} while (0)

#define XV_TRY(p, r, expression, doubtful)                                                         \
	(!unlikely(FP_ENABLED) &&                                                                  \
	 ((r) = (expression), !unlikely(host_vector_any(doubtful(p, r)))))

/* Operations on a and b. */
#define XV_BINARY(name, p, op, expression, doubtful)                                               \
	SEM(name)                                                                                  \
	{                                                                                          \
		const XV_TYPE_##p x = RDVEC(XV_TYPE_##p, a), y = RDVEC(XV_TYPE_##p, b);            \
		XV_TYPE_##p r;                                                                     \
                                                                                                   \
		if (XV_TRY(p, r, expression, doubtful))                                            \
			WRVEC(t, r);                                                               \
		else                                                                               \
			XV_FINISH(fp_vector_slow(env, (op) | XV_FLAG_##p, (v2u64)x, (v2u64)y,      \
						 (v2u64){0}));                                     \
	}

/* Operations on a alone. */
#define XV_UNARY(name, p, op, expression, doubtful)                                                \
	SEM(name)                                                                                  \
	{                                                                                          \
		const XV_TYPE_##p x = RDVEC(XV_TYPE_##p, a);                                       \
		XV_TYPE_##p r;                                                                     \
                                                                                                   \
		if (XV_TRY(p, r, expression, doubtful))                                            \
			WRVEC(t, r);                                                               \
		else                                                                               \
			XV_FINISH(fp_vector_slow(env, (op) | XV_FLAG_##p, (v2u64)x, (v2u64){0},    \
						 (v2u64){0}));                                     \
	}

/* m1 * m2 + addend; as for scalars the result, not its parts, is negated. */
#define XV_FUSED(name, p, op, m1, m2, addend)                                                      \
	SEM(name)                                                                                  \
	{                                                                                          \
		const XV_TYPE_##p x = RDVEC(XV_TYPE_##p, m1), y = RDVEC(XV_TYPE_##p, m2);          \
		const XV_TYPE_##p z = RDVEC(XV_TYPE_##p, addend);                                  \
		const XV_BITS_##p none = {0};                                                      \
		const XV_BITS_##p turn_z = (op) & FP_NEGATE_ADDEND ? XV_SIGN_##p : none;           \
		const XV_BITS_##p turn_r = (op) & FP_NEGATE_RESULT ? XV_SIGN_##p : none;           \
		XV_TYPE_##p r;                                                                     \
                                                                                                   \
		if (XV_TRY(p, r, XV_FMA_##p(x, y, (XV_TYPE_##p)(XV_BITS(p, z) ^ turn_z)),          \
			   XV_MAYBE_TINY))                                                         \
			WRVEC(t, XV_BITS(p, r) ^ turn_r);                                          \
		else                                                                               \
			XV_FINISH(fp_vector_slow(env, (op) | XV_FLAG_##p, (v2u64)x, (v2u64)y,      \
						 (v2u64)z));                                       \
	}

/* Rounding to integral values raises nothing but VXSNAN. */
#define XV_TO_INTEGRAL(name, p, op, expression)                                                    \
	SEM(name)                                                                                  \
	{                                                                                          \
		const XV_TYPE_##p x = RDVEC(XV_TYPE_##p, a);                                       \
                                                                                                   \
		if (likely(!host_vector_any(XV_NAN(x))))                                           \
			WRVEC(t, (expression));                                                    \
		else                                                                               \
			XV_FINISH(fp_vector_slow(env, (op) | XV_FLAG_##p, (v2u64)x, (v2u64){0},    \
						 (v2u64){0}));                                     \
	}

/*
 * To nearest, ties away from zero: like ROUND_AWAY of fp_sem.h. Elements that are not moved have
 * 0 added, which would turn -0 into +0: the sign of x is put back.
 */
#define XV_ROUND_AWAY(p)                                                                           \
	({                                                                                         \
		const XV_TYPE_##p whole_ = __builtin_elementwise_trunc(x);                         \
		const XV_TYPE_##p part_ = (XV_TYPE_##p)XV_ABS(p, x - whole_);                      \
		const XV_BITS_##p sign_ = XV_BITS(p, x) & XV_SIGN_##p;                             \
		const XV_BITS_##p step_ = (XV_BITS(p, XV_ONE_##p) | sign_) &                       \
					  XV_BITS(p, part_ + part_ >= XV_ONE_##p);                 \
		XV_BITS(p, whole_ + (XV_TYPE_##p)step_) | sign_;                                   \
	})

/* All elements by a scalar function. */
#define XV_MAP2(f, x) ((v2f64){f((x)[0]), f((x)[1])})
#define XV_MAP4(f, x) ((v4f32){f((x)[0]), f((x)[1]), f((x)[2]), f((x)[3])})

/* Comparison: masks of all ones, and for the record form CR6. */
#define XV_COMPARE_BODY(p, expression, ordered, set_cr6)                                           \
	{                                                                                          \
		const XV_TYPE_##p x = RDVEC(XV_TYPE_##p, a), y = RDVEC(XV_TYPE_##p, b);            \
		const v2u64 r = (v2u64)(expression);                                               \
                                                                                                   \
		if (unlikely(host_vector_any(XV_NAN(x) | XV_NAN(y)))) {                            \
			const struct fp_vector_outcome o_ = fp_vector_compare_nan(                 \
				env, (v2u64)x, (v2u64)y, XV_FLAG_##p, ordered);                    \
                                                                                                   \
			if (!o_.suppressed)                                                        \
				WRVEC(t, r);                                                       \
			set_cr6(r);                                                                \
			if (o_.trap)                                                               \
				PROGRAM(PROGRAM_FP_ENABLED);                                       \
		} else {                                                                           \
			WRVEC(t, r);                                                               \
			set_cr6(r);                                                                \
		}                                                                                  \
	}
#define XV_NO_CR6(r)
#define XV_COMPARE(name, p, expression, ordered)                                                   \
	SEM(name) XV_COMPARE_BODY(p, expression, ordered, XV_NO_CR6)                               \
	SEM(name##_rc) XV_COMPARE_BODY(p, expression, ordered, SET_CR6)

/* Maximum and minimum; equal numbers differ at most in the sign of a zero. */
#define XV_MAX_MIN(name, p, max)                                                                   \
	SEM(name)                                                                                  \
	{                                                                                          \
		const XV_TYPE_##p x = RDVEC(XV_TYPE_##p, a), y = RDVEC(XV_TYPE_##p, b);            \
                                                                                                   \
		if (likely(!host_vector_any(XV_NAN(x) | XV_NAN(y)))) {                             \
			const v2u64 xb = (v2u64)x, yb = (v2u64)y;                                  \
			const v2u64 first = (v2u64)((max) ? x > y : x < y);                        \
			const v2u64 same = (v2u64)(x == y);                                        \
			const v2u64 equal = (max) ? xb & yb : xb | yb;                             \
                                                                                                   \
			WRVEC(t, (first & xb) | (same & equal) | (~first & ~same & yb));           \
		} else {                                                                           \
			XV_FINISH(fp_vector_max_min_nan(env, (v2u64)x, (v2u64)y, XV_FLAG_##p,      \
							max));                                     \
		}                                                                                  \
	}

/* --- conversions ------------------------------------------------------------------------------ */

/* A conversion that is left to fp_vector_convert() unless the host can do it. */
#define XV_CONVERT(name, op, from, to, ...)                                                        \
	SEM(name)                                                                                  \
	{                                                                                          \
		const v2u64 v = RDV(a).v;                                                          \
		v2u64 r;                                                                           \
                                                                                                   \
		if (!unlikely(FP_ENABLED) && likely(__VA_ARGS__))                                  \
			WRVEC(t, r);                                                               \
		else                                                                               \
			XV_FINISH(fp_vector_convert(env, op, from, to, v));                        \
	}

#endif
