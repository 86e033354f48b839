/* SPDX-License-Identifier: MIT */
/*
 * The host's floating-point environment: rounding mode and sticky exception flags.
 *
 * It belongs to the calling host thread. While a guest runs, the host FPU rounds as the guest
 * asked for and collects the guest's exceptions (src/isa/fp.h); code of powertm itself that
 * computes with double or float must not run inside that stretch.
 *
 * On x86-64 everything is the MXCSR register, which costs a few cycles to read or write; other
 * hosts go through <fenv.h>.
 *
 * To include this header makes the floating-point code behind it strict: the compiler then knows
 * that the rounding mode is unknown and that exception flags matter, and moves no operation. This
 * is not for the whole program, because there clang puts an fwait behind each inline assembly.
 */
#ifndef BASE_HOST_FP_H
#define BASE_HOST_FP_H

#include "base/types.h"

#pragma STDC FENV_ACCESS ON

/* Rounding modes, numbered as FPSCR[RN] numbers them. */
enum rounding {
	ROUND_NEAREST, /* ties to even */
	ROUND_ZERO,
	ROUND_UP_INF,	/* toward +infinity */
	ROUND_DOWN_INF, /* toward -infinity */
};

#if defined(__x86_64__)

#include <immintrin.h>

#define HOST_FP_ZERO_DIVIDE 0x04u
#define HOST_FP_OVERFLOW    0x08u
#define HOST_FP_UNDERFLOW   0x10u /* tiny after rounding, and inexact */
#define HOST_FP_INEXACT	    0x20u
#define HOST_FP_FLAGS	    0x3cu

#define MXCSR_ALL_FLAGS	    0x003fu
#define MXCSR_DENORMAL_ZERO 0x0040u /* denormal operands count as 0 */
#define MXCSR_MASKS	    0x1f80u /* all exceptions masked */
#define MXCSR_FLUSH_ZERO    0x8000u /* tiny results become 0 */

/* An image of the environment: what host_fp_save() returns. */
typedef u32 host_fp_env;

/* The flags raised since they were last cleared. */
static ALWAYS_INLINE u32 host_fp_flags(void)
{
	return _mm_getcsr() & HOST_FP_FLAGS;
}

/* Start with a rounding mode and no flag raised; every exception masked. */
static ALWAYS_INLINE void host_fp_start(enum rounding mode)
{
	/* MXCSR[RC]: 0 nearest, 1 toward -infinity, 2 toward +infinity, 3 toward zero. */
	_mm_setcsr(MXCSR_MASKS | (0x6cu >> (2 * mode) & 3) << 13);
}

/* Lower all flags. */
static ALWAYS_INLINE void host_fp_clear(void)
{
	_mm_setcsr(_mm_getcsr() & ~MXCSR_ALL_FLAGS);
}

/* The state that the host's C library expects; flags do not matter to it. */
static ALWAYS_INLINE void host_fp_default(void)
{
	_mm_setcsr(MXCSR_MASKS);
}

static ALWAYS_INLINE host_fp_env host_fp_save(void)
{
	return _mm_getcsr();
}

static ALWAYS_INLINE void host_fp_restore(host_fp_env env)
{
	_mm_setcsr(env);
}

/* Nearest; with flush, denormal operands and results are zeros of the same sign. */
static ALWAYS_INLINE void host_fp_start_nearest(bool flush)
{
	_mm_setcsr(MXCSR_MASKS | (flush ? MXCSR_FLUSH_ZERO | MXCSR_DENORMAL_ZERO : 0));
}

/*
 * Conversions to integer in the current rounding mode (or toward zero: _z). Out of range and NaN
 * give HOST_FP_BAD_S64 or HOST_FP_BAD_S32 and raise none of HOST_FP_FLAGS.
 */
#define HOST_FP_BAD_S64 INT64_MIN
#define HOST_FP_BAD_S32 INT32_MIN

static ALWAYS_INLINE s64 host_fp_to_s64(double x)
{
	return _mm_cvtsd_si64(_mm_set_sd(x));
}

static ALWAYS_INLINE s64 host_fp_to_s64_z(double x)
{
	return _mm_cvttsd_si64(_mm_set_sd(x));
}

static ALWAYS_INLINE s32 host_fp_to_s32(double x)
{
	return _mm_cvtsd_si32(_mm_set_sd(x));
}

static ALWAYS_INLINE s32 host_fp_to_s32_z(double x)
{
	return _mm_cvttsd_si32(_mm_set_sd(x));
}

#else

#include <fenv.h>
#include <math.h>

#define HOST_FP_ZERO_DIVIDE ((u32)FE_DIVBYZERO)
#define HOST_FP_OVERFLOW    ((u32)FE_OVERFLOW)
#define HOST_FP_UNDERFLOW   ((u32)FE_UNDERFLOW)
#define HOST_FP_INEXACT	    ((u32)FE_INEXACT)
#define HOST_FP_FLAGS	    (HOST_FP_ZERO_DIVIDE | HOST_FP_OVERFLOW | HOST_FP_UNDERFLOW | HOST_FP_INEXACT)

typedef fenv_t host_fp_env;

static inline u32 host_fp_flags(void)
{
	return (u32)fetestexcept((int)HOST_FP_FLAGS);
}

static inline void host_fp_start(enum rounding mode)
{
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

	feclearexcept(FE_ALL_EXCEPT);
	fesetround(modes[mode]);
}

static inline void host_fp_clear(void)
{
	feclearexcept(FE_ALL_EXCEPT);
}

static inline void host_fp_default(void)
{
	fesetenv(FE_DFL_ENV);
}

static inline host_fp_env host_fp_save(void)
{
	fenv_t env;

	fegetenv(&env);
	return env;
}

static inline void host_fp_restore(host_fp_env env)
{
	fesetenv(&env);
}

/* The flushing of denormals is not portable: the caller does it by hand where this is false. */
#define HOST_FP_CAN_FLUSH   false

static inline void host_fp_start_nearest(bool flush)
{
	host_fp_start(ROUND_NEAREST);
}

#define HOST_FP_BAD_S64 INT64_MIN
#define HOST_FP_BAD_S32 INT32_MIN

static inline s64 host_fp_to_s64(double x)
{
	return x >= -0x1p63 && x < 0x1p63 ? llrint(x) : HOST_FP_BAD_S64;
}

static inline s64 host_fp_to_s64_z(double x)
{
	return x >= -0x1p63 && x < 0x1p63 ? (s64)x : HOST_FP_BAD_S64;
}

static inline s32 host_fp_to_s32(double x)
{
	double r = nearbyint(x);

	return r >= -0x1p31 && r < 0x1p31 ? (s32)lrint(x) : HOST_FP_BAD_S32;
}

static inline s32 host_fp_to_s32_z(double x)
{
	return x > -0x1p31 - 1 && x < 0x1p31 ? (s32)x : HOST_FP_BAD_S32;
}

#endif

#if defined(__x86_64__)
#define HOST_FP_CAN_FLUSH true
#endif

/*
 * x * y + z of each element. What the compiler makes of __builtin_elementwise_fma is not strict,
 * so it could be moved across a change of the rounding mode.
 */
typedef double host_fp_v2f64 __attribute__((vector_size(16)));
typedef float host_fp_v4f32 __attribute__((vector_size(16)));

static ALWAYS_INLINE host_fp_v2f64 host_fp_fma_v2(host_fp_v2f64 x, host_fp_v2f64 y, host_fp_v2f64 z)
{
#if defined(__FMA__)
	return _mm_fmadd_pd(x, y, z);
#else
	for (int i = 0; i < 2; i++)
		z[i] = __builtin_fma(x[i], y[i], z[i]);
	return z;
#endif
}

static ALWAYS_INLINE host_fp_v4f32 host_fp_fma_v4(host_fp_v4f32 x, host_fp_v4f32 y, host_fp_v4f32 z)
{
#if defined(__FMA__)
	return _mm_fmadd_ps(x, y, z);
#else
	for (int i = 0; i < 4; i++)
		z[i] = __builtin_fmaf(x[i], y[i], z[i]);
	return z;
#endif
}

#endif
