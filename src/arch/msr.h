/* SPDX-License-Identifier: MIT */
/*
 * Bits of the machine state register and of the other architected status registers, as ordinary
 * 64-bit masks (bit 0 is the least significant, unlike in the ISA's own numbering).
 * Source: Power ISA 2.07B Book III-S 3.2.1 (MSR), Book I 3.2.2 (XER), 4.2.2 (FPSCR), 6.3.2 (VSCR).
 */
#ifndef ARCH_MSR_H
#define ARCH_MSR_H

#define MSR_SF	(1ull << 63)
#define MSR_HV	(1ull << 60)
#define MSR_TS_S (1ull << 33) /* suspended */
#define MSR_TS_T (1ull << 34) /* transactional */
#define MSR_TS_MASK (3ull << 33)
#define MSR_TM	(1ull << 32)
#define MSR_VEC (1ull << 25)
#define MSR_VSX (1ull << 23)
#define MSR_EE	(1ull << 15)
#define MSR_PR	(1ull << 14)
#define MSR_FP	(1ull << 13)
#define MSR_ME	(1ull << 12)
#define MSR_FE0 (1ull << 11)
#define MSR_SE	(1ull << 10)
#define MSR_BE	(1ull << 9)
#define MSR_FE1 (1ull << 8)
#define MSR_IR	(1ull << 5)
#define MSR_DR	(1ull << 4)
#define MSR_RI	(1ull << 1)
#define MSR_LE	(1ull << 0)

#define XER_SO	  0x80000000ull
#define XER_OV	  0x40000000ull
#define XER_CA	  0x20000000ull
#define XER_COUNT 0x0000007full /* byte count of lswx and stswx */

/* FPSCR, the 32 bits that POWER8 has outside decimal rounding. */
#define FPSCR_FX     0x80000000u
#define FPSCR_FEX    0x40000000u
#define FPSCR_VX     0x20000000u
#define FPSCR_OX     0x10000000u
#define FPSCR_UX     0x08000000u
#define FPSCR_ZX     0x04000000u
#define FPSCR_XX     0x02000000u
#define FPSCR_VXSNAN 0x01000000u
#define FPSCR_VXISI  0x00800000u
#define FPSCR_VXIDI  0x00400000u
#define FPSCR_VXZDZ  0x00200000u
#define FPSCR_VXIMZ  0x00100000u
#define FPSCR_VXVC   0x00080000u
#define FPSCR_FR     0x00040000u
#define FPSCR_FI     0x00020000u
#define FPSCR_FPRF   0x0001f000u
#define FPSCR_FPCC   0x0000f000u
#define FPSCR_C	     0x00010000u
#define FPSCR_FL     0x00008000u
#define FPSCR_FG     0x00004000u
#define FPSCR_FE     0x00002000u
#define FPSCR_FU     0x00001000u
#define FPSCR_VXSOFT 0x00000400u
#define FPSCR_VXSQRT 0x00000200u
#define FPSCR_VXCVI  0x00000100u
#define FPSCR_VE     0x00000080u
#define FPSCR_OE     0x00000040u
#define FPSCR_UE     0x00000020u
#define FPSCR_ZE     0x00000010u
#define FPSCR_XE     0x00000008u
#define FPSCR_NI     0x00000004u
#define FPSCR_RN     0x00000003u
#define FPSCR_DRN    (7ull << 32) /* decimal rounding mode */
#define FPSCR_VX_ALL                                                                               \
	(FPSCR_VXSNAN | FPSCR_VXISI | FPSCR_VXIDI | FPSCR_VXZDZ | FPSCR_VXIMZ | FPSCR_VXVC |       \
	 FPSCR_VXSOFT | FPSCR_VXSQRT | FPSCR_VXCVI)
#define FPSCR_ENABLES (FPSCR_VE | FPSCR_OE | FPSCR_UE | FPSCR_ZE | FPSCR_XE)

#define VSCR_NJ	 0x00010000u
#define VSCR_SAT 0x00000001u

/* TEXASR: see docs/tm.md for the meaning of each cause. */
#define TEXASR_FC_SHIFT	  56
#define TEXASR_PERSISTENT (1ull << 56)
#define TEXASR_DISALLOWED (1ull << 55)
#define TEXASR_NESTING_OVERFLOW (1ull << 54)
#define TEXASR_FOOTPRINT_OVERFLOW (1ull << 53)
#define TEXASR_SELF_CONFLICT (1ull << 52) /* by an own access in suspended state */
#define TEXASR_NON_TM_CONFLICT (1ull << 51)
#define TEXASR_TM_CONFLICT (1ull << 50)
#define TEXASR_TRANSLATION_CONFLICT (1ull << 49)
#define TEXASR_IMPLEMENTATION (1ull << 48)
#define TEXASR_FETCH_CONFLICT (1ull << 47)
#define TEXASR_ABORT	  (1ull << 32)
#define TEXASR_SUSPENDED  (1ull << 31)
#define TEXASR_HV	  (1ull << 29)
#define TEXASR_PR	  (1ull << 28)
#define TEXASR_FS	  (1ull << 27) /* failure summary */
#define TEXASR_EXACT	  (1ull << 26)
#define TEXASR_ROT	  (1ull << 25)
#define TEXASR_TL_MASK	  0xfffull

#endif
