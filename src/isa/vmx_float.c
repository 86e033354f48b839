// SPDX-License-Identifier: MIT
#include "isa/vmx_float.h"

static u32 quieted_or(u32 x, u32 otherwise)
{
	return (x & F32_MAGNITUDE) > F32_INFINITY ? x | F32_QUIET : otherwise;
}

v4u32 f32_fix_nans(v4u32 r, v4u32 x, v4u32 y, v4u32 z)
{
	for (int i = 0; i < 4; i++) {
		const u32 result = (r[i] & F32_MAGNITUDE) > F32_INFINITY ? F32_DEFAULT_NAN : r[i];

		r[i] = quieted_or(x[i], quieted_or(y[i], quieted_or(z[i], result)));
	}
	return r;
}

/*
 * |x * z + y| < 2^-126, given that it rounds to that. The product is exact in double precision;
 * the sum need not be, but then its error (Knuth's two-sum) tells on which side the truth lies.
 */
static bool is_tiny(float x, float z, float y)
{
	const double product = (double)x * z, sum = product + y;
	const double y_part = sum - product;
	const double error = (product - (sum - y_part)) + (y - y_part);
	const double magnitude = sum < 0 ? -sum : sum;

	if (magnitude != 0x1p-126)
		return magnitude < 0x1p-126;
	return sum < 0 ? error > 0 : error < 0;
}

static float f32(u32 bits)
{
	return __builtin_bit_cast(float, bits);
}

v4u32 f32_fix_tiny(v4u32 r, v4u32 x, v4u32 z, v4u32 y)
{
	const host_fp_env env = vmx_fp_begin(false);

	x = f32_flush(x, true);
	y = f32_flush(y, true);
	z = f32_flush(z, true);
	for (int i = 0; i < 4; i++)
		if ((r[i] & F32_MAGNITUDE) == F32_LEAST && is_tiny(f32(x[i]), f32(z[i]), f32(y[i])))
			r[i] &= F32_SIGN;
	vmx_fp_end(env);
	return r;
}

/*
 * Estimates that are rounded from results much better than the ISA asks for (1 in 16 for the
 * power, 1 in 32, absolute, for the logarithm). Powers of integers and logarithms of powers of two
 * are exact, as the ISA wants them.
 */

/* 2^x = 2^n * e^(f ln 2) with an integer n and |f| <= 1/2, by Taylor's series. */
static float exp2_of(float x)
{
	const double ln2 = 0.69314718055994530942;
	double sum = 1;
	int n;

	if (x != x)
		return x;
	if (x > 200)
		return (float)__builtin_inf();
	if (x < -200)
		return 0;
	n = (int)(x + (x < 0 ? -0.5 : 0.5));
	const double f = (x - n) * ln2;

	for (int i = 14; i > 0; i--)
		sum = 1 + sum * f / i;
	return (float)(sum * __builtin_bit_cast(double, (u64)(1023 + n) << 52));
}

/*
 * log2(2^n * m) = n + ln(m) / ln 2 with m around 1, and ln(m) = 2 artanh(r) for
 * r = (m - 1) / (m + 1), by its series.
 */
static float log2_of(float x)
{
	const double two_over_ln2 = 2.88539008177792681472;
	const u64 bits = __builtin_bit_cast(u64, (double)x);
	double sum = 0;

	if (x == 0)
		return -(float)__builtin_inf();
	if (!(x > 0) || x > 0x1.fffffep127f)
		return x > 0 ? x : (x - x) / 0.0f;

	int n = (int)(bits >> 52) - 1023;
	double m = __builtin_bit_cast(double, (bits & 0x000fffffffffffffull) | 1023ull << 52);

	if (m > 1.41421356) {
		m /= 2;
		n++;
	}
	const double r = (m - 1) / (m + 1);

	for (int i = 25; i > 0; i -= 2)
		sum = sum * r * r + 1.0 / i;
	return (float)(n + sum * r * two_over_ln2);
}

static v4u32 each_lane(v4u32 x, bool nj, float (*function)(float))
{
	const v4u32 operand = f32_flush(x, nj);
	const host_fp_env env = vmx_fp_begin(false);
	v4u32 r;

	for (int i = 0; i < 4; i++)
		r[i] = __builtin_bit_cast(u32, function(f32(operand[i])));
	vmx_fp_end(env);
	return f32_fix_nans(f32_flush(r, nj), x, x, x);
}

v4u32 f32_exp2(v4u32 x, bool nj)
{
	return each_lane(x, nj, exp2_of);
}

v4u32 f32_log2(v4u32 x, bool nj)
{
	return each_lane(x, nj, log2_of);
}
