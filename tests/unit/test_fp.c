// SPDX-License-Identifier: MIT
/*
 * The FPSCR: what is pending becomes visible at the right moments, what the instructions on it
 * may change, and how enabled exceptions are reported. Programs of a few instructions run on the
 * engine; f1 is the target, f2 to f4 are operands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

#include "engine/engine.h"
#include "isa/fp.h"

#define CODE 0x20000000ull
#define SIZE 0x10000

#define FADD	      0xfc22182au /* fadd f1,f2,f3 */
#define FADDS	      0xec22182au
#define FMUL	      0xfc2200f2u /* fmul f1,f2,f3 */
#define FDIV	      0xfc221824u
#define FDIV_RC	      (FDIV | 1)
#define FCMPU	      0xfc021800u /* fcmpu cr0,f2,f3 */
#define FCMPO	      0xfc021840u
#define FCTIWZ	      0xfc20101eu /* fctiwz f1,f2 */
#define FMR	      0xfc201090u /* fmr f1,f2 */
#define MFFS(frt)     (0xfc00048eu | (frt) << 21)
#define MTFSB0(bt)    (0xfc00008cu | (bt) << 21)
#define MTFSB1(bt)    (0xfc00004cu | (bt) << 21)
#define MTFSFI(bf, u) (0xfc00010cu | (bf) << 23 | (u) << 12)
#define MTFSF(flm, b) (0xfc00058eu | (flm) << 17 | (b) << 11)
#define MCRFS(bf, a)  (0xfc000080u | (bf) << 23 | (a) << 18)
#define XVDIVDP	      0xf02213c0u /* xvdivdp vs1,vs2,vs2 */
#define SC	      0x44000002u

#define ONE	 0x3ff0000000000000ull
#define THREE	 0x4008000000000000ull
#define QNAN	 0x7ff8000000000001ull
#define SNAN	 0x7ff0000000000001ull
#define OLD	 0x1122334455667788ull

/* FPRF of +normal and +infinity. */
#define NORMAL	       FPSCR_FG
#define INFINITY_CLASS (FPSCR_FG | FPSCR_FU)

static bool fetch(void *context, u64 page)
{
	return page == CODE;
}

static const struct code_source source = {.fetch = fetch};
static struct cpu cpu;

static int setup(void **state)
{
	engine_init();
	return mmap((void *)CODE, SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (void *)CODE
		       ? 0
		       : -1;
}

static int each(void **state)
{
	memset((void *)CODE, 0, SIZE);
	code_space_destroy(cpu.code);
	cpu_init(&cpu, code_space_create(&source, NULL));
	cpu.msr |= MSR_FP | MSR_VSX | MSR_FE0 | MSR_FE1;
	return 0;
}

static void set_fpr(int n, u64 value)
{
	cpu.vsr[n].dw[VSR_DW0] = value;
}

static u64 fpr(int n)
{
	return cpu.vsr[n].dw[VSR_DW0];
}

static void operands(u64 f2, u64 f3)
{
	set_fpr(1, OLD);
	set_fpr(2, f2);
	set_fpr(3, f3);
}

static enum cpu_exit run_words(const u32 *words, size_t bytes)
{
	memcpy((void *)CODE, words, bytes);
	code_invalidate(cpu.code, CODE, bytes);
	cpu.pc = CODE;
	return cpu_run(&cpu);
}
#define RUN(...)                                                                                   \
	run_words((const u32[]){__VA_ARGS__, SC}, sizeof((const u32[]){__VA_ARGS__, SC}))

#define assert_fpscr(expected) assert_int_equal(fpscr_read(&cpu), expected)

static void pending_bits_are_seen(void **state)
{
	operands(ONE, THREE);
	assert_int_equal(RUN(FDIV, MFFS(4)), CPU_EXIT_SYSCALL);
	/* 1/3 rounded down: FI without FR. */
	assert_int_equal(fpr(4), FPSCR_FX | FPSCR_XX | FPSCR_FI | NORMAL);
	assert_fpscr(FPSCR_FX | FPSCR_XX | FPSCR_FI | NORMAL);
	/* Exact: XX stays, FI goes. */
	operands(ONE, ONE);
	RUN(FADD);
	assert_fpscr(FPSCR_FX | FPSCR_XX | NORMAL);
}

static void the_last_operation_decides(void **state)
{
	operands(ONE, THREE);
	RUN(FDIV, FADD);
	assert_fpscr(FPSCR_FX | FPSCR_XX | NORMAL);
	RUN(FADD, FDIV, FMR);
	assert_fpscr(FPSCR_FX | FPSCR_XX | FPSCR_FI | NORMAL);
}

static void vectors_set_sticky_bits_only(void **state)
{
	operands(ONE, ONE);
	cpu.vsr[2].dw[VSR_DW1] = ONE;
	RUN(FADD, XVDIVDP);
	assert_fpscr(NORMAL);
	cpu.vsr[2].dw[VSR_DW1] = 0;
	RUN(FADD, XVDIVDP);
	assert_fpscr(FPSCR_FX | FPSCR_VX | FPSCR_VXZDZ | NORMAL);
	assert_int_equal(cpu.vsr[1].dw[VSR_DW1], FP_DEFAULT_NAN);
}

static void compares_replace_fpcc_alone(void **state)
{
	/* A denormal result sets C; the comparison changes the four bits behind it. */
	operands(0x0008000000000000, 0);
	RUN(FADD, FCMPU);
	assert_fpscr(FPSCR_C | FPSCR_FG);
	operands(0, 0x0008000000000000);
	RUN(FADD, FCMPU);
	assert_fpscr(FPSCR_C | FPSCR_FL);
	/* FI of the division before stays, too. */
	operands(ONE, THREE);
	RUN(FDIV, FCMPU);
	assert_fpscr(FPSCR_FX | FPSCR_XX | FPSCR_FI | FPSCR_FL);
	assert_int_equal(cpu_get_cr(&cpu) >> 28, 8);
}

static void compares_with_nans(void **state)
{
	operands(ONE, QNAN);
	RUN(FCMPU);
	assert_fpscr(FPSCR_FU);
	assert_int_equal(cpu_get_cr(&cpu) >> 28, 1);
	RUN(FCMPO);
	assert_fpscr(FPSCR_FX | FPSCR_VX | FPSCR_VXVC | FPSCR_FU);
	fpscr_write(&cpu, 0, ~0ull);
	operands(ONE, SNAN);
	RUN(FCMPU);
	assert_fpscr(FPSCR_FX | FPSCR_VX | FPSCR_VXSNAN | FPSCR_FU);
	/* With VE, a signaling NaN is not VXVC as well. */
	fpscr_write(&cpu, FPSCR_VE, ~0ull);
	assert_int_equal(RUN(FCMPO), CPU_EXIT_PROGRAM);
	assert_fpscr(FPSCR_FX | FPSCR_FEX | FPSCR_VX | FPSCR_VXSNAN | FPSCR_FU | FPSCR_VE);
}

static void fx_tells_of_new_exceptions(void **state)
{
	operands(ONE, THREE);
	RUN(FDIV, MTFSB0(0));
	assert_fpscr(FPSCR_XX | FPSCR_FI | NORMAL);
	/* XX is set already: nothing new. */
	RUN(FDIV);
	assert_fpscr(FPSCR_XX | FPSCR_FI | NORMAL);
	operands(ONE, 0);
	RUN(FDIV);
	assert_fpscr(FPSCR_FX | FPSCR_ZX | FPSCR_XX | INFINITY_CLASS);
}

static void conversions_leave_the_class(void **state)
{
	operands(0x4004000000000000, ONE); /* 2.5 */
	RUN(FADD, FCTIWZ);
	assert_int_equal(fpr(1), 2);
	assert_fpscr(FPSCR_FX | FPSCR_XX | FPSCR_FI | NORMAL);
}

static void rounding_mode_follows_rn(void **state)
{
	operands(ONE, 0x3c00000000000000); /* 2^-63 */
	RUN(MTFSFI(7, ROUND_UP_INF), FADD);
	assert_int_equal(fpr(1), ONE + 1);
	assert_fpscr(FPSCR_FX | FPSCR_XX | FPSCR_FR | FPSCR_FI | NORMAL | ROUND_UP_INF);
	/* What is pending belongs to the mode it was done in. */
	RUN(MTFSFI(7, ROUND_UP_INF), FADD, MTFSFI(7, ROUND_ZERO));
	assert_fpscr(FPSCR_FX | FPSCR_XX | FPSCR_FR | FPSCR_FI | NORMAL | ROUND_ZERO);
	RUN(FADD);
	assert_int_equal(fpr(1), ONE);
	/* Written between two runs. */
	fpscr_write(&cpu, ROUND_UP_INF, FPSCR_RN);
	RUN(FADD);
	assert_int_equal(fpr(1), ONE + 1);
	assert_int_equal(host_fp_save(), 0x1f80); /* and the host's is as it was */
}

static void single_results_round_once(void **state)
{
	/* The sum is a tie as a double, but above it in truth. */
	operands(0x3ff0000010000000, 0x3af0000000000000);
	RUN(FADDS);
	assert_int_equal(fpr(1), 0x3ff0000020000000);
}

static void underflow_on_the_edge_is_seen(void **state)
{
	operands(0x3fefffffffffffff, 0x0010000000000000);
	RUN(FMUL);
	assert_int_equal(fpr(1), 0x0010000000000000);
	assert_fpscr(FPSCR_FX | FPSCR_UX | FPSCR_XX | FPSCR_FR | FPSCR_FI | NORMAL);
}

static void summary_bits_cannot_be_set(void **state)
{
	set_fpr(2, ~0ull);
	cpu.msr &= ~(MSR_FE0 | MSR_FE1);
	RUN(MTFSB1(1), MTFSB1(2));
	assert_fpscr(0);
	RUN(MTFSF(0xff, 2), MFFS(1));
	assert_int_equal(fpr(1), 0xfffff7ff); /* bit 52 does not exist */
	/* VX goes with its causes, and FEX with it. */
	RUN(MTFSFI(1, 0), MTFSFI(2, 0), MTFSFI(3, 0), MTFSFI(5, 0), MTFSFI(0, 8), MFFS(1));
	assert_int_equal(fpr(1), 0x8000f0ff);
}

static void mtfsb1_sets_fx(void **state)
{
	RUN(MTFSB1(6)); /* XX */
	assert_fpscr(FPSCR_FX | FPSCR_XX);
	RUN(MTFSB0(0), MTFSB1(6));
	assert_fpscr(FPSCR_XX);
	/* mtfsfi does not. */
	fpscr_write(&cpu, 0, ~0ull);
	RUN(MTFSFI(1, 2));
	assert_fpscr(FPSCR_XX);
}

static void mcrfs_clears_what_it_copies(void **state)
{
	operands(ONE, 0);
	RUN(FDIV, MCRFS(2, 1));
	/* ZX alone is in field 1; FX, in field 0, stays. */
	assert_int_equal(cpu_get_cr(&cpu) >> 20 & 0xf, 4);
	assert_fpscr(FPSCR_FX | INFINITY_CLASS);
	RUN(MCRFS(2, 4)); /* the class is copied only */
	assert_int_equal(cpu_get_cr(&cpu) >> 20 & 0xf, 5);
	assert_fpscr(FPSCR_FX | INFINITY_CLASS);
}

static void record_form_copies_the_summary(void **state)
{
	operands(ONE, 0);
	RUN(FDIV_RC);
	assert_int_equal(cpu_get_cr(&cpu) >> 24 & 0xf, 8);
	operands(0, 0);
	RUN(FDIV_RC);
	assert_int_equal(cpu_get_cr(&cpu) >> 24 & 0xf, 0xa);
}

static void enabled_zero_divide_keeps_the_target(void **state)
{
	operands(ONE, 0);
	fpscr_write(&cpu, FPSCR_ZE | FPSCR_FPRF | FPSCR_FI, ~0ull);
	assert_int_equal(RUN(FDIV_RC), CPU_EXIT_PROGRAM);
	assert_int_equal(cpu.exit.program, PROGRAM_FP_ENABLED);
	assert_int_equal(cpu.pc, CODE);
	assert_int_equal(fpr(1), OLD);
	/* FPRF as before, FR and FI off; the record form is complete. */
	assert_fpscr(FPSCR_FX | FPSCR_FEX | FPSCR_ZX | FPSCR_FPRF | FPSCR_ZE);
	assert_int_equal(cpu_get_cr(&cpu) >> 24 & 0xf, 0xc);
}

static void enabled_inexact_writes_the_target(void **state)
{
	operands(ONE, THREE);
	fpscr_write(&cpu, FPSCR_XE, ~0ull);
	assert_int_equal(RUN(FDIV), CPU_EXIT_PROGRAM);
	assert_int_equal(cpu.exit.program, PROGRAM_FP_ENABLED);
	assert_int_equal(fpr(1), 0x3fd5555555555555);
	/* Nobody is told if the MSR does not ask for it. */
	cpu.msr &= ~(MSR_FE0 | MSR_FE1);
	operands(ONE, THREE);
	assert_int_equal(RUN(FDIV), CPU_EXIT_SYSCALL);
	assert_fpscr(FPSCR_FX | FPSCR_FEX | FPSCR_XX | FPSCR_FI | NORMAL | FPSCR_XE);
}

static void enabling_a_past_exception_traps(void **state)
{
	operands(ONE, 0);
	assert_int_equal(RUN(FDIV, MTFSB1(27)), CPU_EXIT_PROGRAM); /* ZE */
	assert_int_equal(cpu.exit.program, PROGRAM_FP_ENABLED);
	assert_int_equal(cpu.pc, CODE + 4);
}

static void a_vector_is_written_whole_or_not(void **state)
{
	operands(ONE, 0);
	cpu.vsr[2].dw[VSR_DW1] = 0;
	cpu.vsr[1].dw[VSR_DW1] = OLD;
	fpscr_write(&cpu, FPSCR_VE, ~0ull);
	assert_int_equal(RUN(XVDIVDP), CPU_EXIT_PROGRAM);
	assert_int_equal(cpu.vsr[1].dw[VSR_DW0], OLD);
	assert_int_equal(cpu.vsr[1].dw[VSR_DW1], OLD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(pending_bits_are_seen, each),
		cmocka_unit_test_setup(the_last_operation_decides, each),
		cmocka_unit_test_setup(vectors_set_sticky_bits_only, each),
		cmocka_unit_test_setup(compares_replace_fpcc_alone, each),
		cmocka_unit_test_setup(compares_with_nans, each),
		cmocka_unit_test_setup(fx_tells_of_new_exceptions, each),
		cmocka_unit_test_setup(conversions_leave_the_class, each),
		cmocka_unit_test_setup(rounding_mode_follows_rn, each),
		cmocka_unit_test_setup(single_results_round_once, each),
		cmocka_unit_test_setup(underflow_on_the_edge_is_seen, each),
		cmocka_unit_test_setup(summary_bits_cannot_be_set, each),
		cmocka_unit_test_setup(mtfsb1_sets_fx, each),
		cmocka_unit_test_setup(mcrfs_clears_what_it_copies, each),
		cmocka_unit_test_setup(record_form_copies_the_summary, each),
		cmocka_unit_test_setup(enabled_zero_divide_keeps_the_target, each),
		cmocka_unit_test_setup(enabled_inexact_writes_the_target, each),
		cmocka_unit_test_setup(enabling_a_past_exception_traps, each),
		cmocka_unit_test_setup(a_vector_is_written_whole_or_not, each),
	};

	return cmocka_run_group_tests_name("fp", tests, setup, NULL);
}
