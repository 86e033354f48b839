/* SPDX-License-Identifier: MIT */
/*
 * The FPSCR, and floating point on the host's FPU.
 *
 * While a guest runs, the host FPU rounds as FPSCR[RN] says and collects overflow, underflow,
 * zero-divide and inexact in its own sticky flags; struct cpu's fpscr lacks these until somebody
 * reads the register. It also lacks FPRF, FR and FI of the last operation, which are computed from
 * its operands when they are asked for: cpu->fp remembers them. What the host cannot do as Power
 * does goes to fp_exact(), at once:
 *
 *  - a NaN result: sign and payload, and which of the VX bits it raises;
 *  - an underflow that the host might not see, because it looks at the rounded result: any result
 *    that is the least normal number in magnitude;
 *  - every operation while an exception is enabled in the FPSCR.
 *
 * Single precision is computed in double and rounded again, which is the same as rounding once
 * but where the double is halfway between two singles, or may be tiny: there, too, fp_exact().
 *
 * All functions are for the thread that drives the CPU. A tier that keeps cpu->fp or cpu->fpscr in
 * host registers has to store them before it calls one.
 */
#ifndef ISA_FP_H
#define ISA_FP_H

#include "arch/cpu.h"
#include "base/host_fp.h"
#include "isa/fp_exact.h"

/* Beside the operation in cpu->fp: what of its result later instructions have replaced. */
#define FP_KEEP_FPCC 0x1000u
#define FP_KEEP_FRFI 0x2000u

/* The exception bits that stick. */
#define FPSCR_STICKY (FPSCR_OX | FPSCR_UX | FPSCR_ZX | FPSCR_XX | FPSCR_VX_ALL)
/* What describes the last result. */
#define FPSCR_RESULT (FPSCR_FPRF | FPSCR_FR | FPSCR_FI)

/* Sticky bits of the FPSCR for flags of the host. */
static ALWAYS_INLINE u32 fp_from_host_flags(u32 flags)
{
	return (flags & HOST_FP_OVERFLOW ? FPSCR_OX : 0) |
	       (flags & HOST_FP_UNDERFLOW ? FPSCR_UX : 0) |
	       (flags & HOST_FP_ZERO_DIVIDE ? FPSCR_ZX : 0) |
	       (flags & HOST_FP_INEXACT ? FPSCR_XX : 0);
}

/* Raise exceptions; FX tells that one of them was not set before. */
static ALWAYS_INLINE void fp_raise(struct cpu *cpu, u32 exceptions)
{
	if (exceptions & ~cpu->fpscr)
		cpu->fpscr |= exceptions | FPSCR_FX;
}

/**
 * fp_enter - make the host FPU the guest's
 * @cpu: about to run
 *
 * Until fp_leave() the calling thread must not compute with floating-point numbers of its own.
 */
static ALWAYS_INLINE void fp_enter(struct cpu *cpu)
{
	host_fp_start((enum rounding)(cpu->fpscr & FPSCR_RN));
	cpu->fp_live = 1;
}

/* Give the host FPU back. cpu->fpscr is then complete but for cpu->fp. */
static ALWAYS_INLINE void fp_leave(struct cpu *cpu)
{
	u32 flags = host_fp_flags();

	host_fp_default();
	cpu->fp_live = 0;
	if (unlikely(flags))
		fp_raise(cpu, fp_from_host_flags(flags));
}

/**
 * fpscr_read - value of the FPSCR
 * @cpu: any time, inside cpu_run() or outside
 *
 * Includes whatever was still pending, and the summary bits FEX and VX.
 */
u64 fpscr_read(struct cpu *cpu);

/*
 * A FPSCR that no CPU holds: its image in struct cpu and in a checkpoint lacks the summary bits and
 * those that do not exist; a program sees and gives it with them.
 */
u64 fpscr_shown(u64 stored);
u64 fpscr_stored(u64 value);

/**
 * fpscr_write - set bits of the FPSCR
 * @cpu: any time, inside cpu_run() or outside
 * @value: new bits
 * @mask: which bits to take from @value; FEX, VX and bits that do not exist are not changed
 *
 * Setting an exception bit does not set FX: that is part of @value.
 */
void fpscr_write(struct cpu *cpu, u64 value, u64 mask);

/*
 * VMX arithmetic has nothing to do with the FPSCR: it rounds to nearest and raises nothing. In
 * between these two it can use the host FPU; with VSCR[NJ] the host takes denormal operands as
 * zeros and turns tiny results into zeros, if HOST_FP_CAN_FLUSH.
 */
static ALWAYS_INLINE host_fp_env vmx_fp_begin(bool non_java)
{
	host_fp_env env = host_fp_save();

	host_fp_start_nearest(non_java);
	return env;
}

static ALWAYS_INLINE void vmx_fp_end(host_fp_env env)
{
	host_fp_restore(env);
}

/* --- for the semantics ------------------------------------------------------------------------ */

/**
 * struct fp_outcome - what fp_slow() decided
 * @value: result
 * @suppressed: an enabled exception keeps the target register as it is
 * @trap: leave with PROGRAM_FP_ENABLED
 */
struct fp_outcome {
	u64 value;
	bool suppressed;
	bool trap;
};

/* Perform an operation exactly, with everything it does to the FPSCR. */
struct fp_outcome fp_slow(struct cpu *cpu, u32 operation, u64 a, u64 b, u64 c) COLD;

/*
 * A comparison with a NaN: FPCC becomes "unordered". An ordered one is invalid for a quiet NaN
 * too. Returns whether to leave with PROGRAM_FP_ENABLED.
 */
bool fp_compare_nan(struct cpu *cpu, u64 a, u64 b, bool ordered) COLD;

/* xsmaxdp or xsmindp of which one operand at least is a NaN. */
struct fp_outcome fp_max_min_nan(struct cpu *cpu, u64 a, u64 b) COLD;

/* FX, FEX, VX and OX as a number of four bits: CR1 of a record form. */
u32 fp_cr1(struct cpu *cpu);

/* Whether a floating-point enabled exception is to be reported. */
bool fp_trap(const struct cpu *cpu);

/* mcrfs, mtfsfi, mtfsf, mtfsb0, mtfsb1. Fields and bits are numbered as in the ISA's low word. */
u32 fp_mcrfs(struct cpu *cpu, u32 field);
void fp_mtfsf(struct cpu *cpu, u64 value, u32 fields, bool all, bool high);
void fp_mtfsb(struct cpu *cpu, u32 bit, bool value);

/* CR field of ftdiv and ftsqrt (and, with single, of their vector forms): fg and fe. */
u32 fp_test_divide(u64 a, u64 b, bool single);
u32 fp_test_root(u64 b, bool single);

static ALWAYS_INLINE double fp_double(u64 bits)
{
	return __builtin_bit_cast(double, bits);
}

static ALWAYS_INLINE u64 fp_bits(double value)
{
	return __builtin_bit_cast(u64, value);
}

#endif
