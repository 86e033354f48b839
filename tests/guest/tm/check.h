/* SPDX-License-Identifier: MIT */
/*
 * For guest programs that test transactions: what they have in common.
 *
 * atomically(code) runs code in a transaction until it commits; it says how many times it had to
 * try. failed_with is TEXASR of the last failure.
 */
#ifndef TM_CHECK_H
#define TM_CHECK_H

#define _GNU_SOURCE
#include <htmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 128

/* Bits of TEXASR by the numbers of the ISA: bit 0 is the highest. */
#define TEXASR_BIT(n)	    (1ull << (63 - (n)))
#define TEXASR_PERSISTENT_  TEXASR_BIT(7)
#define TEXASR_TRANSLATION_ TEXASR_BIT(14)
#define TEXASR_IMPL_	    TEXASR_BIT(15)

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			printf("%s:%d: %s: not so\n", __func__, __LINE__, #condition);             \
			fflush(stdout);                                                            \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

/* Begin, or note why not: if (TRY()) { ...; COMMIT(); } else { failed; } */
#define TRY()	 __builtin_expect(__builtin_tbegin(0), 1)
#define COMMIT() __builtin_tend(0)

static inline uint64_t why(void)
{
	return __builtin_get_texasr();
}

static inline bool is_persistent(void)
{
	return why() & TEXASR_PERSISTENT_;
}

/* Between two attempts: let others run, also on a machine with one CPU. */
static inline void failed_attempt(unsigned attempt)
{
	if (attempt % 16 == 15)
		sched_yield();
}

#endif
