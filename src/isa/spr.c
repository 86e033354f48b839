// SPDX-License-Identifier: MIT
#include "isa/spr.h"

#include "tm/tm.h"

/*
 * Numbers with bit 4 set (the ISA's spr[0]) are privileged: an undefined one raises a privileged
 * instruction interrupt in problem state, any other undefined one an illegal instruction.
 */
static int undefined_spr(u32 number)
{
	if (number >= SPR_NOP_FIRST && number <= SPR_NOP_LAST)
		return SPR_OK;
	return number & 0x10 ? SPR_PRIVILEGED : SPR_ILLEGAL;
}

/* Facility that must be available for this SPR and is not; 0 if none. */
static int missing_facility(const struct cpu *cpu, u32 number)
{
	if (number >= SPR_TFHAR && number <= SPR_TEXASRU && !(cpu->msr & MSR_TM))
		return SPR_FACILITY + FACILITY_TM;
	if (number >= SPR_PMU_USER_FIRST && number <= SPR_PMU_USER_LAST)
		return SPR_FACILITY + FACILITY_PMU;
	if (number >= SPR_EBB_FIRST && number <= SPR_EBB_LAST)
		return SPR_FACILITY + FACILITY_EBB;
	return 0;
}

int spr_read(struct cpu *cpu, u32 number, u64 *value)
{
	int missing = missing_facility(cpu, number);

	if (missing)
		return missing;
	switch (number) {
	case SPR_XER:
		*value = cpu_get_xer(cpu);
		break;
	case SPR_DSCR_USER:
		*value = cpu->dscr;
		break;
	case SPR_LR:
		*value = cpu->lr;
		break;
	case SPR_CTR:
		*value = cpu->ctr;
		break;
	case SPR_AMR:
		*value = cpu->amr;
		break;
	case SPR_TFHAR:
		*value = cpu->tfhar;
		break;
	case SPR_TFIAR:
		/* Hidden if the failure was recorded in a more privileged state (bits 62:63: HV, PR). */
		*value = cpu->tfiar & 1 ? cpu->tfiar : 0;
		break;
	case SPR_TEXASR:
		*value = cpu->texasr;
		break;
	case SPR_TEXASRU:
		*value = cpu->texasr >> 32;
		break;
	case SPR_VRSAVE:
		*value = cpu->vrsave;
		break;
	case SPR_SPRG3_USER:
		*value = cpu->id;
		break;
	case SPR_TB:
		*value = cpu_timebase(cpu);
		break;
	case SPR_TBU:
		*value = cpu_timebase(cpu) >> 32;
		break;
	case SPR_TAR:
		*value = cpu->tar;
		break;
	case SPR_PPR:
		*value = cpu->ppr;
		break;
	case SPR_PPR32:
		*value = cpu->ppr >> 32;
		break;
	default:
		return undefined_spr(number);
	}
	return SPR_OK;
}

int spr_write(struct cpu *cpu, u32 number, u64 value)
{
	int missing = missing_facility(cpu, number);

	if (missing)
		return missing;
	if (number >= SPR_TFHAR && number <= SPR_TEXASRU &&
	    tm_spr_writable(cpu, number == SPR_TFHAR) != TM_OK)
		return SPR_TM_BAD_THING;
	switch (number) {
	case SPR_XER:
		cpu_set_xer(cpu, value);
		break;
	case SPR_DSCR_USER:
		cpu->dscr = value & 0x1ffffff;
		break;
	case SPR_LR:
		cpu->lr = value;
		break;
	case SPR_CTR:
		cpu->ctr = value;
		break;
	case SPR_AMR:
		cpu->amr = value;
		break;
	case SPR_TFHAR:
		cpu->tfhar = value & ~3ull;
		break;
	case SPR_TFIAR:
		cpu->tfiar = value;
		break;
	case SPR_TEXASR:
		cpu->texasr = value;
		break;
	case SPR_TEXASRU:
		cpu->texasr = (cpu->texasr & 0xffffffff) | value << 32;
		break;
	case SPR_VRSAVE:
		cpu->vrsave = (u32)value;
		break;
	case SPR_TAR:
		cpu->tar = value;
		break;
	case SPR_PPR:
		cpu->ppr = value;
		break;
	case SPR_PPR32:
		cpu->ppr = value << 32 | (cpu->ppr & 0xffffffff);
		break;
	case SPR_SPRG3_USER:
	case SPR_TB:
	case SPR_TBU:
		return SPR_ILLEGAL; /* readable only */
	default:
		return undefined_spr(number);
	}
	return SPR_OK;
}

u32 cr_field_mask(u32 fxm)
{
	u32 mask = 0;

	for (int field = 0; field < 8; field++)
		if (fxm & (0x80u >> field))
			mask |= 0xf0000000u >> 4 * field;
	return mask;
}

void cr_write_fields(struct cpu *cpu, u32 fxm, u32 image)
{
	u32 mask = cr_field_mask(fxm);

	cpu_set_cr(cpu, (cpu_get_cr(cpu) & ~mask) | (image & mask));
}
