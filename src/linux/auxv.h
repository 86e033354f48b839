/* SPDX-License-Identifier: MIT */
/*
 * The auxiliary vector of a POWER8: what the kernel tells a program about the machine.
 * Sources: uapi/asm/cputable.h, uapi/asm/auxvec.h, arch/powerpc/include/asm/elf.h of Linux.
 */
#ifndef LINUX_AUXV_H
#define LINUX_AUXV_H

#include "base/types.h"

/* AT_HWCAP: powerpc's PPC_FEATURE_*. */
#define HWCAP_32	   0x80000000ull
#define HWCAP_64	   0x40000000ull
#define HWCAP_ALTIVEC	   0x10000000ull
#define HWCAP_FPU	   0x08000000ull
#define HWCAP_MMU	   0x04000000ull
#define HWCAP_SMT	   0x00004000ull
#define HWCAP_ICACHE_SNOOP 0x00002000ull
#define HWCAP_DFP	   0x00000400ull
#define HWCAP_ARCH_2_06	   0x00000100ull
#define HWCAP_VSX	   0x00000080ull
#define HWCAP_PERFMON	   0x00000040ull
#define HWCAP_TRUE_LE	   0x00000002ull

/* AT_HWCAP2 */
#define HWCAP2_ARCH_2_07  0x80000000ull
#define HWCAP2_HTM	  0x40000000ull
#define HWCAP2_DSCR	  0x20000000ull
#define HWCAP2_EBB	  0x10000000ull
#define HWCAP2_ISEL	  0x08000000ull
#define HWCAP2_TAR	  0x04000000ull
#define HWCAP2_VEC_CRYPTO 0x02000000ull
#define HWCAP2_HTM_NOSC	  0x01000000ull
#define HWCAP2_HTM_NO_SUSPEND 0x00080000ull

/* A POWER8 without decimal floating point and event-based branches; TM: tm_hwcap2(). */
#define POWER8_HWCAP                                                                               \
	(HWCAP_32 | HWCAP_64 | HWCAP_ALTIVEC | HWCAP_FPU | HWCAP_MMU | HWCAP_SMT |                 \
	 HWCAP_ICACHE_SNOOP | HWCAP_ARCH_2_06 | HWCAP_VSX | HWCAP_PERFMON | HWCAP_TRUE_LE)
#define POWER8_HWCAP2                                                                              \
	(HWCAP2_ARCH_2_07 | HWCAP2_DSCR | HWCAP2_ISEL | HWCAP2_TAR | HWCAP2_VEC_CRYPTO)

/* Entries that only powerpc has, or that <elf.h> may lack. */
#define AUX_DCACHEBSIZE	      19
#define AUX_ICACHEBSIZE	      20
#define AUX_UCACHEBSIZE	      21
#define AUX_IGNOREPPC	      22
#define AUX_SYSINFO_EHDR      33
#define AUX_L1I_CACHESIZE     40
#define AUX_L1I_CACHEGEOMETRY 41
#define AUX_L1D_CACHESIZE     42
#define AUX_L1D_CACHEGEOMETRY 43
#define AUX_L2_CACHESIZE      44
#define AUX_L2_CACHEGEOMETRY  45
#define AUX_L3_CACHESIZE      46
#define AUX_L3_CACHEGEOMETRY  47
#define AUX_MINSIGSTKSZ	      51

#define CACHE_LINE	     128u
#define CACHE_GEOMETRY(ways) ((u64)(ways) << 16 | CACHE_LINE)

#endif
