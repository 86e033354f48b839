/* SPDX-License-Identifier: MIT */
/*
 * For programs that test how Linux treats transactions: names for what they look at.
 */
#ifndef TRANSACTION_H
#define TRANSACTION_H

#include "../ppc/tap.h"

#define MSR_LE	 1ull
#define MSR_FP	 (1ull << 13)
#define MSR_VSX	 (1ull << 23)
#define MSR_VEC	 (1ull << 25)
#define MSR_TM	 (1ull << 32)
#define MSR_TS_S (1ull << 33)
#define MSR_TS_T (1ull << 34)
#define MSR_TS	 (3ull << 33)

/* gp_regs of a context. */
enum { NIP = 32, MSR, ORIG_R3, CTR, LNK, XER, CCR };

/* Codes of the kernel, as recorded: uapi/asm/tm.h. */
enum {
	CODE_ALIGNMENT = 0xd3,
	CODE_SIGNAL = 0xd4,
	CODE_SYSCALL = 0xd9,
	CODE_FACILITY = 0xda,
	CODE_RESCHEDULE = 0xde,
};

/* 0 on the failure path, which the function takes with the registers of this moment. */
#define tbegin()   __builtin_tbegin(0)
#define tend()	   __builtin_tend(0)
#define tsuspend() __builtin_tsuspend()
#define tresume()  __builtin_tresume()

/* Failure code of the last transaction. */
static inline unsigned code(void)
{
	return __builtin_get_texasr() >> 56;
}

/* MSR[TS] as tcheck tells: MSR_TS_T, MSR_TS_S or 0. */
static inline u64 state(void)
{
	u64 cr;

	asm volatile("tcheck 7\n\tmfcr %0" : "=r"(cr)::"cr7");
	return (cr & 4 ? MSR_TS_T : 0) | (cr & 2 ? MSR_TS_S : 0);
}

static inline int doomed(void)
{
	u64 cr;

	asm volatile("tcheck 7\n\tmfcr %0" : "=r"(cr)::"cr7");
	return cr >> 3 & 1;
}

/* A system call that uses no memory. Negative errno if it fails. */
static inline long call(long number, long a, long b, long c, long d)
{
	register long r0 asm("r0") = number;
	register long r3 asm("r3") = a;
	register long r4 asm("r4") = b;
	register long r5 asm("r5") = c;
	register long r6 asm("r6") = d;

	asm volatile("sc\n\tbns+ 1f\n\tneg 3,3\n1:"
		     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6)
		     :
		     : "cr0", "ctr", "xer", "r7", "r8", "r9", "r10", "r11", "r12", "memory");
	return r3;
}

#endif
