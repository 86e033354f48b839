/* SPDX-License-Identifier: MIT */
/*
 * Integer names and compiler attributes that every room uses.
 */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define likely(x)      __builtin_expect(!!(x), 1)
#define unlikely(x)    __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE  inline __attribute__((always_inline))
#define NOINLINE       __attribute__((noinline))
#define COLD	       __attribute__((cold, noinline))
#define PACKED	       __attribute__((packed))
#define ALIGNED(n)     __attribute__((aligned(n)))
#define PRINTF(f, a)   __attribute__((format(printf, f, a)))
#define UNUSED	       __attribute__((unused))
#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)      ((a) < (b) ? (a) : (b))
#define MAX(a, b)      ((a) > (b) ? (a) : (b))
/* Rounding to a power of two. */
#define ROUND_DOWN(x, n) ((x) & ~((u64)(n) - 1))
#define ROUND_UP(x, n)	 ROUND_DOWN((x) + (n) - 1, n)

#endif
