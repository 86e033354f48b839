/* SPDX-License-Identifier: MIT */
/*
 * Steps of AES and products of binary polynomials, ISA 2.07B Book I chapter 6, "Vector
 * Exclusive-OR-based Instructions". Vectors are vector registers (the ISA's byte 0 is the most
 * significant one).
 *
 * Each function takes the host's own instructions where there are any; the *_portable twins do
 * not, for hosts without and for tests. Pure functions: any thread.
 */
#ifndef ISA_CRYPTO_H
#define ISA_CRYPTO_H

#include "base/host_vector.h"

/* vcipher, vcipherlast, vncipher, vncipherlast: one round with its key. */
v16u8 aes_cipher(v16u8 state, v16u8 key);
v16u8 aes_cipher_last(v16u8 state, v16u8 key);
v16u8 aes_inverse_cipher(v16u8 state, v16u8 key);
v16u8 aes_inverse_cipher_last(v16u8 state, v16u8 key);
/* vsbox: SubBytes alone, for key schedules. */
v16u8 aes_sub_bytes(v16u8 state);

/*
 * vpmsumb, h, w, d: for each pair of an even and an odd element the products of polynomials over
 * GF(2), added without carry into an element of twice the width.
 */
v2u64 polynomial_sum_b(v2u64 x, v2u64 y);
v2u64 polynomial_sum_h(v2u64 x, v2u64 y);
v2u64 polynomial_sum_w(v2u64 x, v2u64 y);
v2u64 polynomial_sum_d(v2u64 x, v2u64 y);

v16u8 aes_cipher_portable(v16u8 state, v16u8 key);
v16u8 aes_cipher_last_portable(v16u8 state, v16u8 key);
v16u8 aes_inverse_cipher_portable(v16u8 state, v16u8 key);
v16u8 aes_inverse_cipher_last_portable(v16u8 state, v16u8 key);
v16u8 aes_sub_bytes_portable(v16u8 state);
v2u64 polynomial_sum_w_portable(v2u64 x, v2u64 y);
v2u64 polynomial_sum_d_portable(v2u64 x, v2u64 y);

#endif
