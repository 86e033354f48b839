// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "arch/cpu.h"

#include <time.h>

u32 cr_pack(const u8 bits[32])
{
	u32 cr = 0;

	for (int i = 0; i < 32; i++)
		cr = cr << 1 | bits[i];
	return cr;
}

void cr_unpack(u8 bits[32], u32 cr)
{
	for (int i = 0; i < 32; i++)
		bits[i] = cr >> (31 - i) & 1;
}

u32 cpu_get_cr(const struct cpu *cpu)
{
	return cr_pack(cpu->cr);
}

void cpu_set_cr(struct cpu *cpu, u32 cr)
{
	cr_unpack(cpu->cr, cr);
}

u64 cpu_get_xer(const struct cpu *cpu)
{
	return (cpu->so ? XER_SO : 0) | (cpu->ov ? XER_OV : 0) | (cpu->ca ? XER_CA : 0) |
	       cpu->string_count;
}

void cpu_set_xer(struct cpu *cpu, u64 xer)
{
	cpu->so = !!(xer & XER_SO);
	cpu->ov = !!(xer & XER_OV);
	cpu->ca = !!(xer & XER_CA);
	cpu->string_count = xer & XER_COUNT;
}

u32 cpu_get_vscr(const struct cpu *cpu)
{
	return (cpu->vscr_nj ? VSCR_NJ : 0) | (cpu->vscr_sat ? VSCR_SAT : 0);
}

void cpu_set_vscr(struct cpu *cpu, u32 vscr)
{
	cpu->vscr_nj = !!(vscr & VSCR_NJ);
	cpu->vscr_sat = vscr & VSCR_SAT;
}

u64 cpu_timebase(const struct cpu *cpu)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	/* 512 ticks per microsecond: 64/125 ticks per nanosecond. */
	return (u64)now.tv_sec * TIMEBASE_HZ + (u64)now.tv_nsec * 64 / 125 + cpu->timebase_offset;
}
