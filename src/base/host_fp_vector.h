/* SPDX-License-Identifier: MIT */
/*
 * Floating-point operations on vectors that have no operator. Apart from host_vector.h because
 * they, too, have to stay where the host's rounding mode and flags are what they should be: see
 * host_fp.h.
 */
#ifndef BASE_HOST_FP_VECTOR_H
#define BASE_HOST_FP_VECTOR_H

#include "base/host_fp.h"
#include "base/host_vector.h"

/* x * y + z, rounded once. */
static ALWAYS_INLINE v4f32 host_fma_f32(v4f32 x, v4f32 y, v4f32 z)
{
#if defined(__FMA__)
	return __builtin_ia32_vfmaddps(x, y, z);
#else
	v4f32 r;

	for (int i = 0; i < 4; i++)
		r[i] = __builtin_fmaf(x[i], y[i], z[i]);
	return r;
#endif
}

#endif
