// SPDX-License-Identifier: MIT
/*
 * Arithmetic in integers against the host's FPU, where both follow IEEE 754, and the rules of the
 * Power ISA that differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arch/msr.h"
#include "base/host_fp.h"
#include "isa/fp_exact.h"
#include "fp_operands.h"

#define ROUNDS 200000

#define ONE	 0x3ff0000000000000ull
#define HALF	 0x3fe0000000000000ull
#define INFINITE 0x7ff0000000000000ull
#define MINUS	 (1ull << 63)
#define TINIEST	 0x0010000000000000ull /* least normal */
#define FPRF(r)	 ((r).fpscr & FPSCR_FPRF)

static double as_double(u64 bits)
{
	return __builtin_bit_cast(double, bits);
}

static float as_float(u64 bits)
{
	return __builtin_bit_cast(float, fp_narrow(bits));
}

static u64 double_bits(double x)
{
	return __builtin_bit_cast(u64, x);
}

static u64 float_bits(float x)
{
	return fp_widen(__builtin_bit_cast(u32, x));
}

/* One operation on the host: result as double bits, and its flags. */
static u64 on_host(u32 operation, u64 a, u64 b, u64 c, enum rounding mode, u32 *flags)
{
	volatile double x = as_double(a), y = as_double(b), z = as_double(c), r = 0;
	volatile float xs = as_float(a), ys = as_float(b), zs = as_float(c), rs = 0;
	const bool single = operation & FP_SINGLE;

	host_fp_start(mode);
	switch (operation) {
	case FP_ADD:
		r = x + y;
		break;
	case FP_SUB:
		r = x - y;
		break;
	case FP_MUL:
		r = x * y;
		break;
	case FP_DIV:
		r = x / y;
		break;
	case FP_SQRT:
		r = __builtin_elementwise_sqrt(x);
		break;
	case FP_MADD:
		r = __builtin_fma(x, y, z);
		break;
	case FP_FROM_S64:
		r = (double)(s64)a;
		break;
	case FP_RINT_CURRENT:
		r = __builtin_rint(x);
		break;
	case FP_ADD | FP_SINGLE:
		rs = xs + ys;
		break;
	case FP_SUB | FP_SINGLE:
		rs = xs - ys;
		break;
	case FP_MUL | FP_SINGLE:
		rs = xs * ys;
		break;
	case FP_DIV | FP_SINGLE:
		rs = xs / ys;
		break;
	case FP_SQRT | FP_SINGLE:
		rs = __builtin_elementwise_sqrt(xs);
		break;
	case FP_MADD | FP_SINGLE:
		rs = __builtin_fmaf(xs, ys, zs);
		break;
	case FP_COPY | FP_SINGLE:
		rs = (float)x;
		break;
	case FP_FROM_S64 | FP_SINGLE:
		rs = (float)(s64)a;
		break;
	}
	*flags = host_fp_flags();
	host_fp_default();
	return single ? float_bits(rs) : double_bits(r);
}

static const u32 operations[] = {
	FP_ADD,
	FP_SUB,
	FP_MUL,
	FP_DIV,
	FP_SQRT,
	FP_MADD,
	FP_FROM_S64,
	FP_RINT_CURRENT,
	FP_ADD | FP_SINGLE,
	FP_SUB | FP_SINGLE,
	FP_MUL | FP_SINGLE,
	FP_DIV | FP_SINGLE,
	FP_SQRT | FP_SINGLE,
	FP_MADD | FP_SINGLE,
	FP_COPY | FP_SINGLE,
	FP_FROM_S64 | FP_SINGLE,
};

static void check_against_host(u32 operation, u64 a, u64 b, u64 c, enum rounding mode)
{
	u32 flags, host_ux, ux;
	u64 host = on_host(operation, a, b, c, mode, &flags);
	struct fp_result r = fp_exact(operation, a, b, c, mode);
	u64 least_normal = operation & FP_SINGLE ? 0x3810000000000000ull : TINIEST;
	bool same = r.value == host || (fp_is_nan(r.value) && fp_is_nan(host));

	/* The host looks for tininess after rounding. */
	host_ux = flags & HOST_FP_UNDERFLOW ? FPSCR_UX : 0;
	ux = r.fpscr & FPSCR_UX;
	if ((r.value & ~MINUS) == least_normal)
		host_ux = ux;
	if (!same || ux != host_ux || !(r.fpscr & FPSCR_OX) != !(flags & HOST_FP_OVERFLOW) ||
	    !(r.fpscr & FPSCR_ZX) != !(flags & HOST_FP_ZERO_DIVIDE) ||
	    !(r.fpscr & FPSCR_XX) != !(flags & HOST_FP_INEXACT) ||
	    !(r.fpscr & FPSCR_XX) != !(r.fpscr & FPSCR_FI))
		fail_msg("operation %#x on %016lx %016lx %016lx, RN %d: %016lx fpscr %08x, "
			 "host %016lx flags %02x",
			 operation, a, b, c, mode, r.value, r.fpscr, host, flags);
	if (!fp_is_nan(a) && !fp_is_nan(b) && !fp_is_nan(c))
		assert_int_equal(fp_is_nan(r.value), !!(r.fpscr & FPSCR_VX_ALL));
	assert_int_equal(FPRF(r), fp_class(r.value, operation & FP_SINGLE));
}

static void agrees_with_the_host(void **state)
{
	for (size_t o = 0; o < ARRAY_SIZE(operations); o++) {
		const u32 operation = operations[o];
		/* Only on singles are the host's single-precision operations the same. */
		const bool narrow = operation & FP_SINGLE && (operation & FP_KIND) != FP_COPY &&
				    (operation & FP_KIND) != FP_FROM_S64;

		for (int i = 0; i < ROUNDS / (int)ARRAY_SIZE(operations); i++) {
			u64 v[3];

			for (int k = 0; k < 3; k++)
				v[k] = narrow ? fp_widen(random_single()) : random_double();
			if (i % 8 == 0) /* cancellation */
				v[2] = v[1] ^ (random_u64() & MINUS);
			check_against_host(operation, v[0], v[1], v[2], i & 3);
		}
	}
}

static void special_operands_agree_with_the_host(void **state)
{
	const size_t n = ARRAY_SIZE(special_doubles);

	for (size_t i = 0; i < 4 * n * n; i++) {
		u64 a = special_doubles[i / 4 % n] ^ (i & 1 ? MINUS : 0);
		u64 b = special_doubles[i / 4 / n] ^ (i & 2 ? MINUS : 0);

		for (enum rounding mode = ROUND_NEAREST; mode <= ROUND_DOWN_INF; mode++) {
			for (u32 operation = FP_ADD; operation <= FP_SQRT; operation++)
				check_against_host(operation, a, b, 0, mode);
			check_against_host(FP_MADD, a, b, special_doubles[i % n], mode);
			check_against_host(FP_COPY | FP_SINGLE, a, 0, 0, mode);
		}
	}
}

static void conversions_to_integers_agree_with_the_host(void **state)
{
	for (int i = 0; i < ROUNDS; i++) {
		const enum rounding mode = i & 3;
		const u64 a = random_double();
		const double x = as_double(a);
		s64 n64, z64;
		s32 n32, z32;

		host_fp_start(mode);
		n64 = host_fp_to_s64(x);
		z64 = host_fp_to_s64_z(x);
		n32 = host_fp_to_s32(x);
		z32 = host_fp_to_s32_z(x);
		host_fp_default();

		struct fp_result r = fp_exact(FP_TO_S64, a, 0, 0, mode);
		if (!(r.fpscr & FPSCR_VXCVI))
			assert_int_equal((s64)r.value, n64);
		else
			assert_true(n64 == HOST_FP_BAD_S64);
		r = fp_exact(FP_TO_S64 | FP_TRUNCATE, a, 0, 0, mode);
		if (!(r.fpscr & FPSCR_VXCVI))
			assert_int_equal((s64)r.value, z64);
		r = fp_exact(FP_TO_S32, a, 0, 0, mode);
		if (!(r.fpscr & FPSCR_VXCVI))
			assert_int_equal((s64)r.value, n32);
		else
			assert_true(n32 == HOST_FP_BAD_S32);
		r = fp_exact(FP_TO_S32 | FP_TRUNCATE, a, 0, 0, mode);
		if (!(r.fpscr & FPSCR_VXCVI))
			assert_int_equal((s64)r.value, z32);
	}
}

static void integers_saturate(void **state)
{
	static const struct {
		u32 operation;
		u64 a, value;
	} cases[] = {
		{FP_TO_S64, 0x43e0000000000000, 0x7fffffffffffffff},
		{FP_TO_S64, 0xc3e0000000000001, 0x8000000000000000},
		{FP_TO_S64, INFINITE, 0x7fffffffffffffff},
		{FP_TO_S64, FP_DEFAULT_NAN, 0x8000000000000000},
		{FP_TO_U64, 0x43f0000000000000, 0xffffffffffffffff},
		{FP_TO_U64, 0xbff0000000000000, 0},
		{FP_TO_U64, FP_DEFAULT_NAN, 0},
		{FP_TO_S32, 0x41e0000000000000, 0x7fffffff},
		{FP_TO_S32, 0xc1e0000000200000, 0xffffffff80000000},
		{FP_TO_U32, 0x41f0000000000000, 0xffffffff},
		{FP_TO_U32, 0x41efffffffffffff, 0xffffffff}, /* rounds to 2^32 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fp_result r = fp_exact(cases[i].operation, cases[i].a, 0, 0, 0);

		assert_int_equal(r.value, cases[i].value);
		assert_int_equal(r.fpscr & FPSCR_VX_ALL, FPSCR_VXCVI);
		assert_false(r.fpscr & FPSCR_XX);
	}
	/* In range, just. */
	struct fp_result r = fp_exact(FP_TO_U64, 0x43efffffffffffff, 0, 0, 0);
	assert_int_equal(r.value, 0xfffffffffffff800);
	assert_int_equal(r.fpscr & ~FPSCR_FPRF, 0);
	/* Truncated toward zero this is no error, rounded it is. */
	r = fp_exact(FP_TO_U64 | FP_TRUNCATE, MINUS | 0x3fe8000000000000, 0, 0, 0);
	assert_int_equal(r.value, 0);
	assert_int_equal(r.fpscr & FPSCR_VX_ALL, 0);
	r = fp_exact(FP_TO_U64, MINUS | 0x3fe8000000000000, 0, 0, 0);
	assert_int_equal(r.fpscr & FPSCR_VX_ALL, FPSCR_VXCVI);
}

static void ties_round_away_in_frin(void **state)
{
	assert_int_equal(fp_exact(FP_RINT_AWAY, 0x4004000000000000, 0, 0, 0).value,
			 0x4008000000000000); /* 2.5 -> 3 */
	assert_int_equal(fp_exact(FP_RINT_CURRENT, 0x4004000000000000, 0, 0, 0).value,
			 0x4000000000000000); /* 2.5 -> 2 */
	assert_int_equal(fp_exact(FP_RINT_AWAY, MINUS | HALF, 0, 0, 0).value, MINUS | ONE);
	assert_int_equal(fp_exact(FP_RINT_AWAY, MINUS | 0x3fdfffffffffffff, 0, 0, 0).value, MINUS);
	/* Only the form with the current mode is ever inexact. */
	assert_int_equal(fp_exact(FP_RINT_AWAY, HALF, 0, 0, 0).fpscr & ~FPSCR_FPRF, 0);
	assert_int_equal(fp_exact(FP_RINT_CURRENT, HALF, 0, 0, 0).fpscr & ~FPSCR_FPRF,
			 FPSCR_XX | FPSCR_FI);
}

/* Book I, 4.4.4: tiny is what is tiny before rounding, other than on x86. */
static void tininess_is_detected_before_rounding(void **state)
{
	/* (1 - 2^-53) * 2^-1022 is just below the least normal number and rounds up to it. */
	struct fp_result r = fp_exact(FP_MUL, 0x3fefffffffffffff, 0x0010000000000000, 0, 0);

	assert_int_equal(r.value, TINIEST);
	assert_int_equal(r.fpscr & FPSCR_UX, FPSCR_UX);
	assert_int_equal(r.fpscr & (FPSCR_FR | FPSCR_FI), FPSCR_FR | FPSCR_FI);
	/* A tiny result that is exact underflows only if UE is set. */
	r = fp_exact(FP_MUL, HALF, TINIEST, 0, 0);
	assert_int_equal(r.value, TINIEST / 2);
	assert_int_equal(r.fpscr & ~FPSCR_FPRF, 0);
	r = fp_exact(FP_MUL, HALF, TINIEST, 0, FPSCR_UE);
	assert_int_equal(r.fpscr & ~FPSCR_FPRF, FPSCR_UX);
	assert_int_equal(r.value, (1ull + 1535) << 52); /* exponent + 1536 */
	r = fp_exact(FP_MUL | FP_SINGLE, HALF, 0x3810000000000000, 0, FPSCR_UE);
	assert_int_equal(r.fpscr & ~FPSCR_FPRF, FPSCR_UX);
	assert_int_equal(r.value, 0x3810000000000000 + (191ull << 52));
}

static void enabled_overflow_wraps_the_exponent(void **state)
{
	struct fp_result r = fp_exact(FP_MUL, 0x7fe8000000000000, 0x4000000000000000, 0, FPSCR_OE);

	assert_int_equal(r.value, 0x7ff8000000000000 - (1536ull << 52));
	assert_int_equal(r.fpscr & ~FPSCR_FPRF, FPSCR_OX);
	r = fp_exact(FP_COPY | FP_SINGLE, 0x47f8000000000001, 0, 0, FPSCR_OE);
	assert_int_equal(r.value, 0x47f8000000000000 - (192ull << 52));
	assert_int_equal(r.fpscr & ~FPSCR_FPRF, FPSCR_OX | FPSCR_XX | FPSCR_FI);
	/* Disabled: infinity, or the greatest number where rounding goes toward zero. */
	r = fp_exact(FP_COPY | FP_SINGLE, 0x47f8000000000000, 0, 0, ROUND_NEAREST);
	assert_int_equal(r.value, INFINITE);
	assert_int_equal(r.fpscr & ~(FPSCR_FPRF | FPSCR_FR), FPSCR_OX | FPSCR_XX | FPSCR_FI);
	r = fp_exact(FP_COPY | FP_SINGLE, 0x47f8000000000000, 0, 0, ROUND_DOWN_INF);
	assert_int_equal(r.value, 0x47efffffe0000000);
}

static void nans_have_their_priority(void **state)
{
	const u64 q1 = 0x7ff8000000000001, q2 = 0xfff8000000000002, q3 = 0x7ff8000000000003;
	const u64 s1 = 0x7ff0000000000001;
	struct fp_result r;

	assert_int_equal(fp_exact(FP_ADD, q1, q2, 0, 0).value, q1);
	assert_int_equal(fp_exact(FP_ADD, ONE, q2, 0, 0).value, q2);
	/* The addend comes before the second factor. */
	assert_int_equal(fp_exact(FP_MADD, q1, q2, q3, 0).value, q1);
	assert_int_equal(fp_exact(FP_MADD, ONE, q2, q3, 0).value, q3);
	assert_int_equal(fp_exact(FP_MADD, ONE, q2, ONE, 0).value, q2);
	/* A signaling one anywhere is told, but need not be the result. */
	r = fp_exact(FP_ADD, q2, s1, 0, 0);
	assert_int_equal(r.value, q2);
	assert_int_equal(r.fpscr & FPSCR_VX_ALL, FPSCR_VXSNAN);
	r = fp_exact(FP_ADD, s1, q2, 0, 0);
	assert_int_equal(r.value, q1);
	/* Signs of NaNs do not change in the negating forms. */
	assert_int_equal(fp_exact(FP_MADD | FP_NEGATE_RESULT, q1, ONE, ONE, 0).value, q1);
	assert_int_equal(fp_exact(FP_MADD | FP_NEGATE_ADDEND, ONE, ONE, q1, 0).value, q1);
	/* An invalid product is told beside a NaN addend. */
	r = fp_exact(FP_MADD, INFINITE, 0, s1, 0);
	assert_int_equal(r.value, q1);
	assert_int_equal(r.fpscr & FPSCR_VX_ALL, FPSCR_VXIMZ | FPSCR_VXSNAN);
	/* The default one is positive. */
	assert_int_equal(fp_exact(FP_MUL, INFINITE, MINUS, 0, 0).value, FP_DEFAULT_NAN);
	/* Single precision drops payload bits. */
	assert_int_equal(fp_exact(FP_COPY | FP_SINGLE, 0x7ff8123456789abc, 0, 0, 0).value,
			 0x7ff8123440000000);
}

static void invalid_operations_are_told_apart(void **state)
{
	static const struct {
		u32 operation;
		u64 a, b, c;
		u32 exceptions;
	} cases[] = {
		{FP_ADD, INFINITE, MINUS | INFINITE, 0, FPSCR_VXISI},
		{FP_SUB, INFINITE, INFINITE, 0, FPSCR_VXISI},
		{FP_MUL, INFINITE, 0, 0, FPSCR_VXIMZ},
		{FP_DIV, INFINITE, INFINITE, 0, FPSCR_VXIDI},
		{FP_DIV, 0, MINUS, 0, FPSCR_VXZDZ},
		{FP_DIV, ONE, 0, 0, FPSCR_ZX},
		{FP_SQRT, MINUS | ONE, 0, 0, FPSCR_VXSQRT},
		{FP_SQRT, MINUS, 0, 0, 0},
		{FP_MADD, INFINITE, ONE, MINUS | INFINITE, FPSCR_VXISI},
		{FP_RE, 0, 0, 0, FPSCR_ZX},
		{FP_RSQRTE, MINUS, 0, 0, FPSCR_ZX},
		{FP_RSQRTE, MINUS | INFINITE, 0, 0, FPSCR_VXSQRT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fp_result r =
			fp_exact(cases[i].operation, cases[i].a, cases[i].b, cases[i].c, 0);

		assert_int_equal(r.fpscr & ~(FPSCR_FPRF | FPSCR_FR | FPSCR_FI),
				 cases[i].exceptions);
	}
}

/* fnmadd rounds, then negates: not the same as rounding the negated sum where RN is directed. */
static void negation_follows_rounding(void **state)
{
	struct fp_result r = fp_exact(FP_MADD | FP_NEGATE_RESULT, ONE, ONE, 1, ROUND_UP_INF);

	assert_int_equal(r.value, MINUS | 0x3ff0000000000001);
	assert_int_equal(r.fpscr & (FPSCR_FR | FPSCR_FI), FPSCR_FR | FPSCR_FI);
}

/* Not twice: the double nearest to 1 + 2^-24 + 2^-80 is a tie between two singles. */
static void single_precision_rounds_once(void **state)
{
	u64 tie = 0x3ff0000010000000, more = 0x3af0000000000000; /* 2^-80 */

	assert_int_equal(fp_exact(FP_ADD | FP_SINGLE, tie, 0, 0, 0).value, ONE);
	assert_int_equal(fp_exact(FP_ADD | FP_SINGLE, tie, more, 0, 0).value, 0x3ff0000020000000);
	assert_int_equal(fp_exact(FP_MADD | FP_SINGLE, more, ONE, tie, 0).value,
			 0x3ff0000020000000);
	/* Rounded to single denormals, and classified as such. */
	struct fp_result r = fp_exact(FP_COPY | FP_SINGLE, 0x36a8000000000000, 0, 0, 0);
	assert_int_equal(r.value, 0x36b0000000000000); /* 1.5 * 2^-149, to even */
	assert_int_equal(FPRF(r), FPSCR_C | FPSCR_FG);
}

static void formats_keep_all_bits(void **state)
{
	for (int i = 0; i < ROUNDS; i++) {
		u32 single = i % 2 ? random_single() : (u32)random_u64();

		assert_int_equal(fp_narrow(fp_widen(single)), single);
		assert_int_equal(fp_widen_inline(single), fp_widen(single));
		u64 value = random_double();
		assert_int_equal(fp_narrow_inline(value), fp_narrow(value));
	}
	/* A signaling NaN stays one, a denormal is normalized. */
	assert_int_equal(fp_widen(0x7f800001), 0x7ff0000020000000);
	assert_int_equal(fp_widen(0x00000001), 0x36a0000000000000);
	assert_int_equal(fp_narrow(0x3690000000000000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_host),
		cmocka_unit_test(special_operands_agree_with_the_host),
		cmocka_unit_test(conversions_to_integers_agree_with_the_host),
		cmocka_unit_test(integers_saturate),
		cmocka_unit_test(ties_round_away_in_frin),
		cmocka_unit_test(tininess_is_detected_before_rounding),
		cmocka_unit_test(enabled_overflow_wraps_the_exponent),
		cmocka_unit_test(nans_have_their_priority),
		cmocka_unit_test(invalid_operations_are_told_apart),
		cmocka_unit_test(negation_follows_rounding),
		cmocka_unit_test(single_precision_rounds_once),
		cmocka_unit_test(formats_keep_all_bits),
	};

	return cmocka_run_group_tests_name("fp_exact", tests, NULL, NULL);
}
