/* SPDX-License-Identifier: MIT */
/*
 * The host's instructions for AES and carry-less multiplication. The build may run on hosts
 * without them, so whoever calls these asks first, and has a portable way for when they are
 * missing (src/isa/crypto.c).
 *
 * Bytes are in the order of memory: byte 0 of a vector is the first byte of an AES state. Any
 * thread.
 */
#ifndef BASE_HOST_CRYPTO_H
#define BASE_HOST_CRYPTO_H

#include "base/host_vector.h"

#if defined(__x86_64__)

#define HOST_TARGET(features) __attribute__((target(features)))

static inline bool host_has_aes(void)
{
	return __builtin_cpu_supports("aes");
}

static inline bool host_has_carryless_multiply(void)
{
	return __builtin_cpu_supports("pclmul");
}

/* A round of encryption: ShiftRows, SubBytes, MixColumns, then the key is added. */
HOST_TARGET("aes") static inline v16u8 host_aes_round(v16u8 state, v16u8 key)
{
	return (v16u8)__builtin_ia32_aesenc128((v2i64_host)state, (v2i64_host)key);
}

/* The last round: without MixColumns. */
HOST_TARGET("aes") static inline v16u8 host_aes_last_round(v16u8 state, v16u8 key)
{
	return (v16u8)__builtin_ia32_aesenclast128((v2i64_host)state, (v2i64_host)key);
}

/* The last round of decryption: InvShiftRows, InvSubBytes, then the key is added. */
HOST_TARGET("aes") static inline v16u8 host_aes_inverse_last_round(v16u8 state, v16u8 key)
{
	return (v16u8)__builtin_ia32_aesdeclast128((v2i64_host)state, (v2i64_host)key);
}

HOST_TARGET("aes") static inline v16u8 host_aes_inverse_mix_columns(v16u8 state)
{
	return (v16u8)__builtin_ia32_aesimc128((v2i64_host)state);
}

/* Product of the doublewords 0, and of the doublewords 1, of x and y. */
HOST_TARGET("pclmul") static inline v2u64 host_carryless_multiply_0(v2u64 x, v2u64 y)
{
	return (v2u64)__builtin_ia32_pclmulqdq128((v2i64_host)x, (v2i64_host)y, 0x00);
}

HOST_TARGET("pclmul") static inline v2u64 host_carryless_multiply_1(v2u64 x, v2u64 y)
{
	return (v2u64)__builtin_ia32_pclmulqdq128((v2i64_host)x, (v2i64_host)y, 0x11);
}

#else

#define HOST_TARGET(features)

static inline bool host_has_aes(void)
{
	return false;
}

static inline bool host_has_carryless_multiply(void)
{
	return false;
}

/* Never called. */
static inline v16u8 host_aes_round(v16u8 state, v16u8 key)
{
	__builtin_unreachable();
}

static inline v16u8 host_aes_last_round(v16u8 state, v16u8 key)
{
	__builtin_unreachable();
}

static inline v16u8 host_aes_inverse_last_round(v16u8 state, v16u8 key)
{
	__builtin_unreachable();
}

static inline v16u8 host_aes_inverse_mix_columns(v16u8 state)
{
	__builtin_unreachable();
}

static inline v2u64 host_carryless_multiply_0(v2u64 x, v2u64 y)
{
	__builtin_unreachable();
}

static inline v2u64 host_carryless_multiply_1(v2u64 x, v2u64 y)
{
	__builtin_unreachable();
}

#endif

#endif
