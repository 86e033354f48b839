// SPDX-License-Identifier: MIT
#include "isa/fp.h"

#include "arch/msr.h"

/* Bits that exist and that mtfsf may change. FEX and VX only summarize others. */
#define FPSCR_WRITABLE                                                                             \
	(FPSCR_DRN | FPSCR_FX | FPSCR_STICKY | FPSCR_RESULT | FPSCR_ENABLES | FPSCR_NI | FPSCR_RN)

/* Fold the host's flags into cpu->fpscr. */
static void fold(struct cpu *cpu)
{
	u32 flags;

	if (!cpu->fp_live)
		return;
	flags = host_fp_flags();
	if (flags) {
		fp_raise(cpu, fp_from_host_flags(flags));
		host_fp_clear();
	}
}

/* Compute FPRF, FR and FI of the last operation into cpu->fpscr. */
static void resolve(struct cpu *cpu)
{
	u32 operation = (u32)cpu->fp.operation;
	u32 mask = FPSCR_RESULT;
	struct fp_result r;

	cpu->fp.operation = FP_NONE;
	if (!(operation & FP_KIND))
		return;
	if (operation & FP_KEEP_FPCC)
		mask &= ~FPSCR_FPCC;
	if (operation & FP_KEEP_FRFI)
		mask &= ~(FPSCR_FR | FPSCR_FI);
	r = fp_exact(operation, cpu->fp.a, cpu->fp.b, cpu->fp.c, cpu->fpscr & FPSCR_RN);
	cpu->fpscr = (cpu->fpscr & ~(u64)mask) | (r.fpscr & mask);
}

u64 fpscr_stored(u64 value)
{
	return value & FPSCR_WRITABLE;
}

static u64 with_summary(u64 fpscr)
{
	if (fpscr & FPSCR_VX_ALL)
		fpscr |= FPSCR_VX;
	/* VX, OX, UX, ZX, XX stand in the order of their enables, 22 bits above. */
	if (fpscr >> 22 & fpscr & FPSCR_ENABLES)
		fpscr |= FPSCR_FEX;
	return fpscr;
}

u64 fpscr_shown(u64 stored)
{
	return with_summary(stored);
}

u64 fpscr_read(struct cpu *cpu)
{
	fold(cpu);
	resolve(cpu);
	return with_summary(cpu->fpscr);
}

void fpscr_write(struct cpu *cpu, u64 value, u64 mask)
{
	fold(cpu);
	resolve(cpu);
	mask &= FPSCR_WRITABLE;
	cpu->fpscr = (cpu->fpscr & ~mask) | (value & mask);
	if (cpu->fp_live && mask & FPSCR_RN)
		host_fp_start((enum rounding)(cpu->fpscr & FPSCR_RN));
}

u32 fp_cr1(struct cpu *cpu)
{
	fold(cpu);
	return with_summary(cpu->fpscr) >> 28 & 0xf;
}

bool fp_trap(const struct cpu *cpu)
{
	return cpu->msr & (MSR_FE0 | MSR_FE1) && with_summary(cpu->fpscr) & FPSCR_FEX;
}

struct fp_outcome fp_slow(struct cpu *cpu, u32 operation, u64 a, u64 b, u64 c)
{
	struct fp_result r = fp_exact(operation, a, b, c, cpu->fpscr);
	u32 exceptions = r.fpscr & FPSCR_STICKY;
	u32 mask = FPSCR_RESULT;
	struct fp_outcome o = {.value = r.value};

	o.suppressed = (exceptions & FPSCR_VX_ALL && cpu->fpscr & FPSCR_VE) ||
		       (exceptions & FPSCR_ZX && cpu->fpscr & FPSCR_ZE);
	if (o.suppressed) {
		/* FR and FI are cleared, FPRF stays. */
		r.fpscr = 0;
		mask = FPSCR_FR | FPSCR_FI;
	} else if ((operation & FP_KIND) >= FP_TO_S64 && (operation & FP_KIND) <= FP_TO_U32) {
		/* The ISA leaves FPRF of a conversion to integer undefined. */
		if (!(operation & FP_INVALID_IS_QNAN && exceptions & FPSCR_VX_ALL))
			mask = FPSCR_FR | FPSCR_FI;
	}
	if (mask == FPSCR_RESULT)
		cpu->fp.operation = FP_NONE;
	else
		resolve(cpu);
	cpu->fpscr = (cpu->fpscr & ~(u64)mask) | (r.fpscr & mask);
	fp_raise(cpu, exceptions);
	o.trap = fp_trap(cpu);
	return o;
}

bool fp_compare_nan(struct cpu *cpu, u64 a, u64 b, bool ordered)
{
	bool signaling = fp_is_snan(a) || fp_is_snan(b);
	u32 exceptions = signaling ? FPSCR_VXSNAN : 0;

	if (ordered && !(signaling && cpu->fpscr & FPSCR_VE))
		exceptions |= FPSCR_VXVC;
	cpu->fpscr = (cpu->fpscr & ~(u64)FPSCR_FPCC) | FPSCR_FU;
	cpu->fp.operation |= FP_KEEP_FPCC;
	fp_raise(cpu, exceptions);
	return fp_trap(cpu);
}

struct fp_outcome fp_max_min_nan(struct cpu *cpu, u64 a, u64 b)
{
	bool signaling = fp_is_snan(a) || fp_is_snan(b);
	struct fp_outcome o = {.value = fp_exact_max_min_nan(a, b)};

	if (signaling)
		fp_raise(cpu, FPSCR_VXSNAN);
	o.suppressed = signaling && cpu->fpscr & FPSCR_VE;
	o.trap = fp_trap(cpu);
	return o;
}

u32 fp_mcrfs(struct cpu *cpu, u32 field)
{
	u32 shift = 4 * (7 - field);
	u64 fpscr = fpscr_read(cpu);

	/* The exception bits that were copied are reset. */
	fpscr_write(cpu, 0, (FPSCR_FX | FPSCR_STICKY) & 0xfull << shift);
	return fpscr >> shift & 0xf;
}

void fp_mtfsf(struct cpu *cpu, u64 value, u32 fields, bool all, bool high)
{
	u64 mask = 0;

	for (u32 i = 0; i < 8; i++)
		if (fields >> i & 1)
			mask |= 0xfull << 4 * i;
	if (high)
		mask <<= 32;
	fpscr_write(cpu, value, all ? ~0ull : mask);
}

void fp_mtfsb(struct cpu *cpu, u32 bit, bool value)
{
	u32 mask = 0x80000000u >> bit;
	u64 fpscr = fpscr_read(cpu);

	/* Other than mtfsf, this sets FX with an exception bit that was 0. */
	if (value && mask & FPSCR_STICKY & ~fpscr)
		mask |= FPSCR_FX;
	fpscr_write(cpu, value ? ~0ull : 0, mask);
}

#define SIGN_BIT ~(~0ull >> 1)

/* Exponent field without bias, with the field width and bias of the precision. */
static s32 exponent_of(u64 x, bool single)
{
	return single ? (s32)(x >> 23 & 0xff) - 127 : (s32)(x >> 52 & 0x7ff) - 1023;
}

static bool is_special(u64 x, bool single)
{
	return exponent_of(x, single) == (single ? 128 : 1024);
}

static bool is_zero(u64 x, bool single)
{
	return !(single ? x & 0x7fffffff : x & ~SIGN_BIT);
}

static bool is_denormal(u64 x, bool single)
{
	return exponent_of(x, single) == (single ? -127 : -1023) && !is_zero(x, single);
}

/* fl is 1 on a machine whose reciprocal estimates are good to 2^-14, as POWER8's are. */
#define TEST_FL 8u
#define TEST_FG 4u
#define TEST_FE 2u

/* Where a software division by Newton's iteration may go wrong: Book I, ftdiv and xvtdivsp. */
u32 fp_test_divide(u64 a, u64 b, bool single)
{
	const s32 most = single ? 127 : 1023, least = single ? -126 : -1022;
	const s32 margin = single ? 23 : 52;
	s32 ea = exponent_of(a, single), eb = exponent_of(b, single);
	u32 result = TEST_FL;

	if (is_special(a, single) || is_special(b, single) || is_zero(b, single) || eb <= least ||
	    eb >= most - 2 ||
	    (!is_zero(a, single) &&
	     (ea - eb >= most || ea - eb <= least + 1 || ea <= least + margin)))
		result |= TEST_FE;
	if ((is_special(a, single) && !(single ? a & 0x7fffff : a << 12)) ||
	    (is_special(b, single) && !(single ? b & 0x7fffff : b << 12)) || is_zero(b, single) ||
	    is_denormal(b, single))
		result |= TEST_FG;
	return result;
}

u32 fp_test_root(u64 b, bool single)
{
	const s32 least = single ? -126 : -1022;
	const s32 margin = single ? 23 : 52;
	bool infinite = is_special(b, single) && !(single ? b & 0x7fffff : b << 12);
	bool negative = single ? b >> 31 & 1 : b >> 63;
	u32 result = TEST_FL;

	if (is_special(b, single) || is_zero(b, single) || negative ||
	    exponent_of(b, single) <= least + margin)
		result |= TEST_FE;
	if (infinite || is_zero(b, single) || is_denormal(b, single))
		result |= TEST_FG;
	return result;
}
