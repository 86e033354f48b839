/* SPDX-License-Identifier: MIT */
/*
 * Special purpose registers by number, as mfspr and mtspr reach them in problem state, and the
 * fields of the CR. For the thread that drives the CPU.
 */
#ifndef ISA_SPR_H
#define ISA_SPR_H

#include "arch/cpu.h"

enum spr_number {
	SPR_XER = 1,
	SPR_DSCR_USER = 3,
	SPR_LR = 8,
	SPR_CTR = 9,
	SPR_AMR = 13,
	SPR_TFHAR = 128,
	SPR_TFIAR = 129,
	SPR_TEXASR = 130,
	SPR_TEXASRU = 131,
	SPR_VRSAVE = 256,
	SPR_SPRG3_USER = 259,
	SPR_TB = 268,
	SPR_TBU = 269,
	SPR_PVR = 287, /* privileged */
	SPR_PMU_USER_FIRST = 768,
	SPR_PMU_USER_LAST = 783,
	SPR_EBB_FIRST = 800,
	SPR_EBB_LAST = 806,
	SPR_NOP_FIRST = 808, /* reserved for software hints: no operation */
	SPR_NOP_LAST = 811,
	SPR_TAR = 815,
	SPR_PPR = 896,
	SPR_PPR32 = 898,
};

/* Result of an access. SPR_FACILITY + enum cpu_facility: that facility is unavailable. */
enum spr_result { SPR_OK, SPR_PRIVILEGED, SPR_ILLEGAL, SPR_TM_BAD_THING, SPR_FACILITY = 0x100 };

/* Read or write one; an enum spr_result or SPR_FACILITY + facility. Nothing changes unless SPR_OK. */
int spr_read(struct cpu *cpu, u32 number, u64 *value);
int spr_write(struct cpu *cpu, u32 number, u64 value);

/* The CR bits of the fields selected by the mask FXM. */
u32 cr_field_mask(u32 fxm);
/* Write those fields of the CR from a 32-bit image. */
void cr_write_fields(struct cpu *cpu, u32 fxm, u32 image);

#endif
