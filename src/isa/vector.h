/* SPDX-License-Identifier: MIT */
/*
 * Words of the semantics language (sem.h) for vector registers.
 *
 * A vector register is a 128-bit number, so the element order of a host vector depends on the
 * host: the ISA's element 0 is the most significant one. Operations on each element by itself do
 * not care. "Even" and "odd" elements are the more and the less significant half of an element
 * of twice the width, which needs no element numbers either. The rest names elements through
 * SHUFFLE*, whose numbers are the ISA's.
 */
#ifndef ISA_VECTOR_H
#define ISA_VECTOR_H

#include "isa/sem.h"
#include "base/host_vector.h"

/* Vector register r as a vector of the given type, or as one number. */
#define RDVEC(type, r)	 ((type)RDV(r).v)
#define WRVEC(r, value)	 (RDV(r).v = (v2u64)(value))
#define RDQUAD(r)	 ((u128)RDV(r).v)
#define WRQUAD(r, value) WRVEC(r, vec_of(value))

/* A vector of which one doubleword is x, the other 0. */
static ALWAYS_INLINE v2u64 vec_dw0(u64 x)
{
	v2u64 v = {0};

	v[VSR_DW0] = x;
	return v;
}

static ALWAYS_INLINE v2u64 vec_dw1(u64 x)
{
	v2u64 v = {0};

	v[VSR_DW1] = x;
	return v;
}

/*
 * A number as a vector, built in a vector register: a quadword that is stored in two halves and
 * loaded as one right after, which is what the next instruction does, stalls the host.
 */
static ALWAYS_INLINE v2u64 vec_of(u128 x)
{
	return host_vector_keep((v2u64)x);
}

/* All elements of a type equal to a scalar. */
#define SPLAT(type, x) ((type){0} + (x))

/* VSCR[SAT] |= any bit of x. */
#define SET_SAT_IF(x) (s->vscr_sat |= host_vector_any((v2u64)(x)))

/* CR6 of a record-form compare: all elements true, none true. */
#define SET_CR6(result)                                                                            \
	do {                                                                                       \
		const u128 cr6_ = (u128)(result);                                                  \
		WR_CRF(CRF_OFFSET(6), cr6_ == ~(u128)0, 0, cr6_ == 0, 0);                          \
	} while (0)

/*
 * SHUFFLEn(x, y, ...): n elements chosen from x (0 to n-1) and y (n to 2n-1), ISA numbering in
 * arguments and result.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SHUFFLE_INDEX(i, n) (((i) & (n)) + (n) - 1 - ((i) & ((n) - 1)))
#define SHUFFLE2(x, y, e0, e1)                                                                     \
	__builtin_shufflevector((x), (y), SHUFFLE_INDEX(e1, 2), SHUFFLE_INDEX(e0, 2))
#define SHUFFLE4(x, y, e0, e1, e2, e3)                                                             \
	__builtin_shufflevector((x), (y), SHUFFLE_INDEX(e3, 4), SHUFFLE_INDEX(e2, 4),              \
				SHUFFLE_INDEX(e1, 4), SHUFFLE_INDEX(e0, 4))
#define SHUFFLE8(x, y, e0, e1, e2, e3, e4, e5, e6, e7)                                             \
	__builtin_shufflevector((x), (y), SHUFFLE_INDEX(e7, 8), SHUFFLE_INDEX(e6, 8),              \
				SHUFFLE_INDEX(e5, 8), SHUFFLE_INDEX(e4, 8), SHUFFLE_INDEX(e3, 8),  \
				SHUFFLE_INDEX(e2, 8), SHUFFLE_INDEX(e1, 8), SHUFFLE_INDEX(e0, 8))
#define SHUFFLE16(x, y, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15)      \
	__builtin_shufflevector(                                                                   \
		(x), (y), SHUFFLE_INDEX(e15, 16), SHUFFLE_INDEX(e14, 16), SHUFFLE_INDEX(e13, 16),  \
		SHUFFLE_INDEX(e12, 16), SHUFFLE_INDEX(e11, 16), SHUFFLE_INDEX(e10, 16),            \
		SHUFFLE_INDEX(e9, 16), SHUFFLE_INDEX(e8, 16), SHUFFLE_INDEX(e7, 16),               \
		SHUFFLE_INDEX(e6, 16), SHUFFLE_INDEX(e5, 16), SHUFFLE_INDEX(e4, 16),               \
		SHUFFLE_INDEX(e3, 16), SHUFFLE_INDEX(e2, 16), SHUFFLE_INDEX(e1, 16),               \
		SHUFFLE_INDEX(e0, 16))
#define HIGH_HALF_4(x) __builtin_shufflevector((x), (x), 2, 3)
#define HIGH_HALF_8(x) __builtin_shufflevector((x), (x), 4, 5, 6, 7)
#define HIGH_HALF_16(x) __builtin_shufflevector((x), (x), 8, 9, 10, 11, 12, 13, 14, 15)
#define LOW_HALF_4(x) __builtin_shufflevector((x), (x), 0, 1)
#define LOW_HALF_8(x) __builtin_shufflevector((x), (x), 0, 1, 2, 3)
#define LOW_HALF_16(x) __builtin_shufflevector((x), (x), 0, 1, 2, 3, 4, 5, 6, 7)
#else
#error "isa/vector.h: element order of a big-endian host is not written yet"
#endif

/* 0x0001020304...0f: each byte its own ISA number; SPLAT(v16u8, n) added, what lvsl gives. */
#define VEC_IOTA ((u128)0x0001020304050607ull << 64 | 0x08090a0b0c0d0e0full)
#define VEC_ONES ((u128)0x0101010101010101ull << 64 | 0x0101010101010101ull) /* 1 per byte */

/* Bytes of x in the order of ISA indices (low 4 bits of each byte). */
static ALWAYS_INLINE v16u8 vec_lookup(v16u8 x, v16u8 index)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	index = ~index;
#endif
	return host_shuffle_bytes(x, index & 15);
}

/* vperm: bytes of the concatenation x, y chosen by ISA indices (low 5 bits of each byte). */
static ALWAYS_INLINE v16u8 vec_permute(v16u8 x, v16u8 y, v16u8 index)
{
	const v16u8 from_y = (v16u8)((v16s8)(index << 3) >> 7);

	return (vec_lookup(y, index) & from_y) | (vec_lookup(x, index) & ~from_y);
}

/* x, y shifted left by n bytes (0 to 15), the high 16 bytes of it. */
static ALWAYS_INLINE v16u8 vec_shift_left_double(v16u8 x, v16u8 y, u8 n)
{
	return vec_permute(x, y, (v16u8)(v2u64)VEC_IOTA + n);
}

/* Where mask is all ones, y, else x. */
#define VEC_SELECT(mask, x, y) (((x) & ~(mask)) | ((y) & (mask)))

#endif
