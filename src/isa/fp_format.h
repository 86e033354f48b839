/* SPDX-License-Identifier: MIT */
/*
 * The single and the double format of the same value: what lfs, stfs and their like do. Bits are
 * moved, no NaN is quieted and no exception is raised.
 *
 * Power ISA 2.07B Book I, 4.6.2 ("DOUBLE") and 4.6.3 ("SINGLE").
 */
#ifndef ISA_FP_FORMAT_H
#define ISA_FP_FORMAT_H

#include "base/types.h"

/*
 * Any thread. A double that no single equals loses bits in fp_narrow(), where the ISA leaves the
 * result undefined: its low significand bits are dropped, and below the denormals it becomes 0.
 */
u64 fp_widen(u32 single) COLD;
u32 fp_narrow(u64 value) COLD;

/* The same for hot paths. The host widens exactly, but quiets NaNs. */
static ALWAYS_INLINE u64 fp_widen_inline(u32 single)
{
	float value = __builtin_bit_cast(float, single);

	if (unlikely(__builtin_isunordered(value, value)))
		return fp_widen(single);
	return __builtin_bit_cast(u64, (double)value);
}

/*
 * The host would raise inexact; so three exponent bits and 29 fraction bits are dropped, which is
 * right for zeros and for everything that is not tiny.
 */
static ALWAYS_INLINE u32 fp_narrow_inline(u64 value)
{
	if (unlikely((value << 1) - 1 < 0x7020000000000000ull - 1))
		return fp_narrow(value);
	return (u32)(value >> 32 & 0xc0000000u) | (u32)(value >> 29 & 0x3fffffffu);
}

#endif
