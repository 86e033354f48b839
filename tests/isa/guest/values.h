/* SPDX-License-Identifier: MIT */
/*
 * Operand values from a random seed, weighted towards the ones where instructions go wrong.
 * Integer code only: the values of a case must not depend on the floating point under test.
 */
#ifndef VALUES_H
#define VALUES_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef signed int s32;
typedef signed long s64;

/* What the vector-scalar registers of a case mostly hold. */
enum profile {
	PROFILE_MIXED,
	PROFILE_INTEGER, /* elements of 1, 2, 4, 8 or 16 bytes */
	PROFILE_DOUBLE,
	PROFILE_SINGLE,	       /* four single-precision numbers */
	PROFILE_SCALAR_SINGLE, /* doubles that are single-precision numbers, mostly */
	PROFILE_DECIMAL,       /* 31 packed decimal digits and a sign */
	PROFILE_COUNT,
};

struct random {
	u64 state;
};

u64 random_next(struct random *r);

/* General-purpose register; may be related to the value before. */
u64 random_integer(struct random *r, u64 previous);
/* Bits of a double, or of a float in the lower half. */
u64 random_double(struct random *r, u64 previous);
u32 random_single(struct random *r, u32 previous);
/* Both doublewords of a vector-scalar register. */
void random_vector(struct random *r, enum profile profile, const u64 previous[2], u64 out[2]);

#endif
