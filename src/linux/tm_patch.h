/* SPDX-License-Identifier: MIT */
/*
 * Removing the tabort. that the GNU C library executed before each system call.
 *
 * Kernels before 4.2 performed a system call in a transaction although the transaction might fail
 * later. So glibc 2.21 to 2.28 aborted by itself first (56cf2763819d, until f0458cf4f9ff), if the
 * thread control block says that the machine has transactions:
 *
 *	lwz    r0,TM_CAPABLE(r13)
 *	cmpwi  r0,0
 *	beq    1f
 *	li     r11,0x31
 *	tabort. r11
 *	1: li  r0,NUMBER
 *	sc
 *
 * with other registers where a compiler has made it. With lazy TM that makes each thread one that
 * uses transactions. Since the kernel itself aborts (PPC_FEATURE2_HTM_NOSC) it is of no use. The
 * 2016 discussion of lazy TM thought of patching the library at run time; here that can be tried.
 */
#ifndef LINUX_TM_PATCH_H
#define LINUX_TM_PATCH_H

#include "base/types.h"

/**
 * tm_patch_taborts - make the tabort. of all such sequences a no-op
 * @start: of code that was mapped privately, multiple of 4
 * @end: of it
 * @prot: the host's protection of these pages
 *
 * Nobody may execute it yet. Counts them: tm_taborts_patched.
 */
void tm_patch_taborts(u64 start, u64 end, int prot);

/* Whether code[i] is such a tabort.; @count: instructions there are. */
bool tm_is_tabort_before_syscall(const u32 *code, u64 count, u64 i);

#endif
