/* SPDX-License-Identifier: MIT */
/*
 * TEXASR: Power ISA 2.07B Book II 5.3.1. Its first byte is the failure code.
 */
#ifndef TEXASR_H
#define TEXASR_H

#define TEXASR_PERSISTENT     (1ull << 56)
#define TEXASR_DISALLOWED     (1ull << 55)
#define TEXASR_NESTING	      (1ull << 54)
#define TEXASR_FOOTPRINT      (1ull << 53)
#define TEXASR_SELF_CONFLICT  (1ull << 52)
#define TEXASR_NON_TM	      (1ull << 51)
#define TEXASR_TM	      (1ull << 50)
#define TEXASR_TRANSLATION    (1ull << 49)
#define TEXASR_IMPLEMENTATION (1ull << 48)
#define TEXASR_FETCH	      (1ull << 47)
#define TEXASR_ABORT	      (1ull << 32)
#define TEXASR_SUSPENDED      (1ull << 31)
#define TEXASR_PR	      (1ull << 28)
#define TEXASR_FS	      (1ull << 27)
#define TEXASR_EXACT	      (1ull << 26)
#define TEXASR_ROT	      (1ull << 25)

#endif
