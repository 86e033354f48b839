/* SPDX-License-Identifier: MIT */
/*
 * Vectors of 16 bytes: element types, and the few operations for which the host has one
 * instruction that a compiler does not find by itself. Each of those has a portable twin.
 *
 * Everything else is done with the compiler's vector extensions (operators on vector types,
 * __builtin_shufflevector, __builtin_convertvector, __builtin_elementwise_*), which work on any
 * host. Element 0 of a vector is the one at the lowest address, that is, on a little-endian host
 * the least significant one of a 128-bit number.
 */
#ifndef BASE_HOST_VECTOR_H
#define BASE_HOST_VECTOR_H

#include "base/types.h"
#include "base/host_access.h" /* v2u64 */

#define VECTOR(bytes) __attribute__((vector_size(bytes)))

typedef u8 v16u8 VECTOR(16);
typedef s8 v16s8 VECTOR(16);
typedef char v16c8 VECTOR(16);
typedef u16 v8u16 VECTOR(16);
typedef s16 v8s16 VECTOR(16);
typedef u32 v4u32 VECTOR(16);
typedef s32 v4s32 VECTOR(16);
typedef s64 v2s64 VECTOR(16);
typedef long long v2i64_host VECTOR(16); /* as the host's builtins spell it */
typedef float v4f32 VECTOR(16);
typedef double v2f64 VECTOR(16);

/**
 * host_shuffle_bytes - look bytes up in a register
 * @table: sixteen bytes
 * @index: which of them (low four bits of each byte; bits 4 to 6 are ignored), bit 7 gives 0
 */
static ALWAYS_INLINE v16u8 host_shuffle_bytes(v16u8 table, v16u8 index)
{
#if defined(__SSSE3__)
	return (v16u8)__builtin_ia32_pshufb128((v16c8)table, (v16c8)index);
#else
	v16u8 result;

	for (int i = 0; i < 16; i++)
		result[i] = index[i] & 0x80 ? 0 : table[index[i] & 15];
	return result;
#endif
}

/* Bit i of the result is bit 7 of byte i. */
static ALWAYS_INLINE u16 host_movemask_bytes(v16u8 x)
{
#if defined(__SSE2__)
	return (u16)__builtin_ia32_pmovmskb128((v16c8)x);
#else
	u16 result = 0;

	for (int i = 0; i < 16; i++)
		result |= (u16)(x[i] >> 7) << i;
	return result;
#endif
}

/* x, in a vector register: it will be stored in one piece. */
static ALWAYS_INLINE v2u64 host_vector_keep(v2u64 x)
{
#if defined(__SSE2__)
	asm("" : "+x"(x));
#endif
	return x;
}

/* Is any bit set? */
static ALWAYS_INLINE bool host_vector_any(v2u64 x)
{
	return (u128)x != 0;
}

#endif
