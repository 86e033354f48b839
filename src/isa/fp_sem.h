/* SPDX-License-Identifier: MIT */
/*
 * Words of the semantics language (sem.h) for scalar floating point.
 *
 * An arithmetic block computes on the host and looks at the result. In the common case it writes
 * the target and leaves a note of operation and operands from which FPRF, FR and FI can be had;
 * otherwise fp_slow() does everything and tells what is left to do. The target is always t.
 *
 * Inside an expression that is passed to one of these, x and y are the operands as doubles, n the
 * operand as an integer.
 */
#ifndef ISA_FP_SEM_H
#define ISA_FP_SEM_H

#include "isa/fp.h"
#include "isa/sem.h"

/*
 * Operands that stand in an FPR, or in doubleword 0 of a VSR. FP_OPERAND, which the file of
 * semantics defines, makes the offset of one from t, a, b or c.
 */
#define RDFP(r)	       RDF(FP_OPERAND(r))
#define WRFP(r, value) WRF(FP_OPERAND(r), value)

/* Whether some exception is enabled: then nothing may be left to the host. */
#define FP_ENABLED (env->fpscr & FPSCR_ENABLES)

#define HOST_SQRT(x) __builtin_elementwise_sqrt(x)

/* CR1 of a record form. */
#define SET_CR1()                                                                                  \
	do {                                                                                       \
		const u32 cr1_ = fp_cr1(env);                                                      \
		WR_CRF(CRF_OFFSET(1), cr1_ >> 3 & 1, cr1_ >> 2 & 1, cr1_ >> 1 & 1, cr1_ & 1);      \
	} while (0)

/* An instruction and its record form. The text sets `trap` to report an enabled exception. */
#define FP_FORMS(name, ...)                                                                        \
	SEM(name)                                                                                  \
	{                                                                                          \
		bool trap = false;                                                                 \
		__VA_ARGS__                                                                        \
		if (unlikely(trap))                                                                \
			PROGRAM(PROGRAM_FP_ENABLED);                                               \
	}                                                                                          \
	SEM(name##_rc)                                                                             \
	{                                                                                          \
		bool trap = false;                                                                 \
		__VA_ARGS__                                                                        \
		SET_CR1();                                                                         \
		if (unlikely(trap))                                                                \
			PROGRAM(PROGRAM_FP_ENABLED);                                               \
	}

/* The same for an instruction without record form. */
#define FP_FORM(name, ...)                                                                         \
	SEM(name)                                                                                  \
	{                                                                                          \
		bool trap = false;                                                                 \
		__VA_ARGS__                                                                        \
		if (unlikely(trap))                                                                \
			PROGRAM(PROGRAM_FP_ENABLED);                                               \
	}

/* A move of bits. */
#define FP_MOVE(name, ...)                                                                         \
	SEM(name) { WRFP(t, (__VA_ARGS__)); }                                                      \
	SEM(name##_rc)                                                                             \
	{                                                                                          \
		WRFP(t, (__VA_ARGS__));                                                            \
		SET_CR1();                                                                         \
	}

/*
 * May the exact result be tiny although the host's result r, as bits, is not? Sums are exact where
 * they are tiny; all others can be rounded up to the least normal number.
 */
#define NEVER_TINY(r) 0
#define MAYBE_TINY(r) ((r) << 1 == 0x0020000000000000ull)

/*
 * Can a double r, as bits, not be rounded to single with the right result and flags? If it is
 * halfway between two singles, it may itself have been rounded; and if it is tiny as a single, or
 * the least normal one, the host may be wrong about underflow.
 */
#define MAYBE_ROUNDED_TWICE(r)                                                                     \
	(((r) & 0x1fffffffu) == 0x10000000u || ((r) << 1) - 1 < 0x7020000000000000ull)

/* Leave the note about the last result. */
#define FP_PENDING1(op, a_bits)                                                                    \
	do {                                                                                       \
		s->fp.operation = (op);                                                            \
		s->fp.a = (a_bits);                                                                \
	} while (0)
#define FP_PENDING2(op, a_bits, b_bits)                                                            \
	do {                                                                                       \
		FP_PENDING1(op, a_bits);                                                           \
		s->fp.b = (b_bits);                                                                \
	} while (0)
#define FP_PENDING3(op, a_bits, b_bits, c_bits)                                                    \
	do {                                                                                       \
		FP_PENDING2(op, a_bits, b_bits);                                                   \
		s->fp.c = (c_bits);                                                                \
	} while (0)

#define FP_SLOW(op, a_bits, b_bits, c_bits)                                                        \
	do {                                                                                       \
		const struct fp_outcome o_ = fp_slow(env, (op), (a_bits), (b_bits), (c_bits));     \
                                                                                                   \
		if (!o_.suppressed)                                                                \
			WRFP(t, o_.value);                                                         \
		trap = o_.trap;                                                                    \
	} while (0)

/* r := expression on the host, unless that must not be; then whether r will do. */
#define FP_TRY(r, expression, is_doubtful)                                                         \
	(!unlikely(FP_ENABLED) &&                                                                  \
	 ((r) = (expression), !unlikely(__builtin_isunordered(r, r) || is_doubtful(fp_bits(r)))))

/* Operations on a and b. */
#define FP_BINARY(op, expression, is_doubtful)                                                     \
	{                                                                                          \
		const u64 a_bits = RDFP(a), b_bits = RDFP(b);                                      \
		const double x = fp_double(a_bits), y = fp_double(b_bits);                         \
		double r;                                                                          \
                                                                                                   \
		if (FP_TRY(r, expression, is_doubtful)) {                                          \
			WRFP(t, fp_bits(r));                                                       \
			FP_PENDING2(op, a_bits, b_bits);                                           \
		} else {                                                                           \
			FP_SLOW(op, a_bits, b_bits, 0);                                            \
		}                                                                                  \
	}

#define FP_BINARY_SINGLE(op, expression)                                                           \
	{                                                                                          \
		const u64 a_bits = RDFP(a), b_bits = RDFP(b);                                      \
		const double x = fp_double(a_bits), y = fp_double(b_bits);                         \
		double r;                                                                          \
                                                                                                   \
		if (FP_TRY(r, expression, MAYBE_ROUNDED_TWICE)) {                                  \
			WRFP(t, fp_bits((double)(float)r));                                        \
			FP_PENDING2((op) | FP_SINGLE, a_bits, b_bits);                             \
		} else {                                                                           \
			FP_SLOW((op) | FP_SINGLE, a_bits, b_bits, 0);                              \
		}                                                                                  \
	}

/* Operations on a alone. */
#define FP_UNARY(op, expression, is_doubtful)                                                      \
	{                                                                                          \
		const u64 a_bits = RDFP(a);                                                        \
		const double x = fp_double(a_bits);                                                \
		double r;                                                                          \
                                                                                                   \
		if (FP_TRY(r, expression, is_doubtful)) {                                          \
			WRFP(t, fp_bits(r));                                                       \
			FP_PENDING1(op, a_bits);                                                   \
		} else {                                                                           \
			FP_SLOW(op, a_bits, 0, 0);                                                 \
		}                                                                                  \
	}

#define FP_UNARY_SINGLE(op, expression)                                                            \
	{                                                                                          \
		const u64 a_bits = RDFP(a);                                                        \
		const double x = fp_double(a_bits);                                                \
		double r;                                                                          \
                                                                                                   \
		if (FP_TRY(r, expression, MAYBE_ROUNDED_TWICE)) {                                  \
			WRFP(t, fp_bits((double)(float)r));                                        \
			FP_PENDING1((op) | FP_SINGLE, a_bits);                                     \
		} else {                                                                           \
			FP_SLOW((op) | FP_SINGLE, a_bits, 0, 0);                                   \
		}                                                                                  \
	}

/*
 * Multiply-add on the registers at offsets m1 * m2 + addend. fnmadd and fnmsub negate what has
 * been rounded, which is not a host instruction with the signs of product and addend changed.
 */
#define FP_FUSED_HOST(op, x, y, z)                                                                 \
	__builtin_fma(x, y, fp_double((z) ^ ((op) & FP_NEGATE_ADDEND ? 1ull << 63 : 0)))
#define FP_FUSED_SIGN(op, bits) ((bits) ^ ((op) & FP_NEGATE_RESULT ? 1ull << 63 : 0))

#define FP_FUSED(op, m1, m2, addend)                                                               \
	{                                                                                          \
		const u64 a_bits = RDFP(m1), b_bits = RDFP(m2), c_bits = RDFP(addend);             \
		double r;                                                                          \
                                                                                                   \
		if (FP_TRY(r, FP_FUSED_HOST(op, fp_double(a_bits), fp_double(b_bits), c_bits),     \
			   MAYBE_TINY)) {                                                          \
			WRFP(t, FP_FUSED_SIGN(op, fp_bits(r)));                                    \
			FP_PENDING3(op, a_bits, b_bits, c_bits);                                   \
		} else {                                                                           \
			FP_SLOW(op, a_bits, b_bits, c_bits);                                       \
		}                                                                                  \
	}

#define FP_FUSED_SINGLE(op, m1, m2, addend)                                                        \
	{                                                                                          \
		const u64 a_bits = RDFP(m1), b_bits = RDFP(m2), c_bits = RDFP(addend);             \
		double r;                                                                          \
                                                                                                   \
		if (FP_TRY(r, FP_FUSED_HOST(op, fp_double(a_bits), fp_double(b_bits), c_bits),     \
			   MAYBE_ROUNDED_TWICE)) {                                                 \
			WRFP(t, FP_FUSED_SIGN(op, fp_bits((double)(float)r)));                     \
			FP_PENDING3((op) | FP_SINGLE, a_bits, b_bits, c_bits);                     \
		} else {                                                                           \
			FP_SLOW((op) | FP_SINGLE, a_bits, b_bits, c_bits);                         \
		}                                                                                  \
	}

/* CR field t := result of fp_test_*(). */
#define FP_TEST(test)                                                                              \
	do {                                                                                       \
		const u32 test_ = (test);                                                          \
		WR_CRF(t, test_ >> 3 & 1, test_ >> 2 & 1, test_ >> 1 & 1, 0);                      \
	} while (0)

/*
 * Conversion to an integer. FR and FI are plain to see: the integer converted back, which is
 * exact, is compared with the operand. XX has come from the host.
 */
#define FP_SET_FRFI(x, back)                                                                       \
	do {                                                                                       \
		const u32 fi_ = (x) != (back) ? FPSCR_FI : 0;                                      \
		const u32 fr_ = __builtin_fabs(back) > __builtin_fabs(x) ? FPSCR_FR : 0;           \
                                                                                                   \
		env->fpscr = (env->fpscr & ~(u64)(FPSCR_FR | FPSCR_FI)) | fr_ | fi_;               \
		s->fp.operation |= FP_KEEP_FRFI;                                                   \
	} while (0)

#define FP_TO_INTEGER(op, expression, is_good, write)                                              \
	{                                                                                          \
		const u64 a_bits = RDFP(a);                                                        \
		const double x = fp_double(a_bits);                                                \
		s64 n;                                                                             \
                                                                                                   \
		if (!unlikely(FP_ENABLED) && likely(is_good(n, expression))) {                     \
			const double back = (double)n;                                             \
                                                                                                   \
			write(t, n);                                                               \
			FP_SET_FRFI(x, back);                                                      \
		} else {                                                                           \
			const struct fp_outcome o_ = fp_slow(env, (op), a_bits, 0, 0);             \
                                                                                                   \
			if (!o_.suppressed)                                                        \
				write(t, o_.value);                                                \
			trap = o_.trap;                                                            \
		}                                                                                  \
	}

/* Signed conversions tell when they fail. */
#define GOOD_S64(n, expression) (((n) = (expression)), (n) != HOST_FP_BAD_S64)
#define GOOD_S32(n, expression) (((n) = (expression)), (n) != HOST_FP_BAD_S32)
/* Unsigned ones agree with signed ones of 64 bits if 0 <= operand < 2^31, or 2^63. */
#define GOOD_U32(n, expression) (a_bits < 0x41e0000000000000ull && (((n) = (expression)), true))
#define GOOD_U64(n, expression) (a_bits < 0x43e0000000000000ull && (((n) = (expression)), true))

/* Conversion of an integer. */
#define FP_FROM_INTEGER(op, expression, good)                                                      \
	{                                                                                          \
		const u64 n = RDFP(a);                                                             \
                                                                                                   \
		if (!unlikely(FP_ENABLED) && likely(good)) {                                       \
			WRFP(t, fp_bits(expression));                                              \
			FP_PENDING1(op, n);                                                        \
		} else {                                                                           \
			FP_SLOW(op, n, 0, 0);                                                      \
		}                                                                                  \
	}

/* Rounding to an integral value, which raises nothing but VXSNAN: no need to look at enables. */
#define FP_TO_INTEGRAL(op, expression)                                                             \
	{                                                                                          \
		const u64 a_bits = RDFP(a);                                                        \
		const double x = fp_double(a_bits);                                                \
                                                                                                   \
		if (likely(!__builtin_isunordered(x, x))) {                                        \
			const u64 r = fp_bits(expression);                                         \
                                                                                                   \
			WRFP(t, r);                                                                \
			FP_PENDING1(FP_CLASSIFY, r);                                               \
		} else {                                                                           \
			FP_SLOW(op, a_bits, 0, 0);                                                 \
		}                                                                                  \
	}

/*
 * To nearest, ties away from zero. The difference is exact, and so raises nothing; that of an
 * infinity from itself is a NaN, which compares false.
 */
#define ROUND_AWAY(x)                                                                              \
	({                                                                                         \
		const double whole_ = __builtin_trunc(x);                                          \
		const double part_ = __builtin_fabs((x) - whole_);                                 \
		part_ >= 0.5 ? whole_ + __builtin_copysign(1.0, x) : whole_;                       \
	})

/* Compare two registers' bits into CR field t and FPCC. */
#define FP_COMPARE(a_bits, b_bits, ordered)                                                        \
	do {                                                                                       \
		const u64 a_ = (a_bits), b_ = (b_bits);                                            \
		const double x_ = fp_double(a_), y_ = fp_double(b_);                               \
                                                                                                   \
		if (likely(!__builtin_isunordered(x_, y_))) {                                      \
			const u8 less_ = __builtin_isless(x_, y_);                                 \
			const u8 greater_ = __builtin_isgreater(x_, y_);                           \
                                                                                                   \
			/* FL, FG, FE stand in this order from the left. */                        \
			env->fpscr = (env->fpscr & ~(u64)FPSCR_FPCC) |                             \
				     FPSCR_FE << (2 * less_ + greater_);                           \
			s->fp.operation |= FP_KEEP_FPCC;                                           \
			WR_CRF(t, less_, greater_, !(less_ | greater_), 0);                        \
		} else {                                                                           \
			const bool trap_ = fp_compare_nan(env, a_, b_, ordered);                   \
                                                                                                   \
			WR_CRF(t, 0, 0, 0, 1);                                                     \
			if (trap_)                                                                 \
				PROGRAM(PROGRAM_FP_ENABLED);                                       \
		}                                                                                  \
	} while (0)

/* A write to the FPSCR can make an enabled exception appear. */
#define FP_WRITE_FPSCR(write)                                                                      \
	{                                                                                          \
		write;                                                                             \
		trap = fp_trap(env);                                                               \
	}

#endif
