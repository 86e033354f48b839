// SPDX-License-Identifier: MIT
/*
 * The fast path of each floating-point instruction against its exact path.
 *
 * The semantic texts are compiled twice: as they are, and with FP_ENABLED always true, which
 * sends every operation to fp_exact(). Target register, CR and the whole FPSCR must be equal for
 * random operands in all rounding modes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "isa/fp_sem.h"
#include "isa/fp_vector.h"
#include "fp_operands.h"

#define ROUNDS 3000

/* The instructions: all rows of the table whose text is in the files below. */
#define ROWS                                                                                       \
	/* unary */                                                                                \
	X(fsqrt, 1) X(fsqrts, 1) X(fre, 1) X(fres, 1) X(frsqrte, 1) X(frsqrtes, 1) X(frsp, 1)      \
	X(fctid, 1) X(fctidz, 1) X(fctidu, 1) X(fctiduz, 1) X(fctiw, 1) X(fctiwz, 1) X(fctiwu, 1)  \
	X(fctiwuz, 1) X(fcfid, 1) X(fcfids, 1) X(fcfidu, 1) X(fcfidus, 1)                          \
	/* binary and fused */                                                                     \
	X(fadd, 1) X(fadds, 1) X(fsub, 1) X(fsubs, 1) X(fmul, 1) X(fmuls, 1) X(fdiv, 1)            \
	X(fdivs, 1) X(fmadd, 1) X(fmadds, 1) X(fmsub, 1) X(fmsubs, 1) X(fnmadd, 1) X(fnmadds, 1)   \
	X(fnmsub, 1) X(fnmsubs, 1) X(fadd_rc, 1) X(fmuls_rc, 1) X(fctiwz_rc, 1)                    \
	/* scalar VSX */                                                                           \
	X(xsadddp, 0) X(xssubdp, 0) X(xsmuldp, 0) X(xsdivdp, 0) X(xssqrtdp, 0) X(xsredp, 0)        \
	X(xsrsqrtedp, 0) X(xsmaddadp, 0) X(xsmaddmdp, 0) X(xsmsubadp, 0) X(xsmsubmdp, 0)           \
	X(xsnmaddadp, 0) X(xsnmaddmdp, 0) X(xsnmsubadp, 0) X(xsnmsubmdp, 0) X(xsaddsp, 0)          \
	X(xssubsp, 0) X(xsmulsp, 0) X(xsdivsp, 0) X(xssqrtsp, 0) X(xsresp, 0) X(xsrsqrtesp, 0)     \
	X(xsmaddasp, 0) X(xsmaddmsp, 0) X(xsmsubasp, 0) X(xsmsubmsp, 0) X(xsnmaddasp, 0)           \
	X(xsnmaddmsp, 0) X(xsnmsubasp, 0) X(xsnmsubmsp, 0) X(xsrsp, 0) X(xscvdpsp, 0)              \
	X(xscvdpsxds, 0) X(xscvdpuxds, 0) X(xscvdpsxws, 0) X(xscvdpuxws, 0) X(xscvsxddp, 0)        \
	X(xscvuxddp, 0) X(xscvsxdsp, 0) X(xscvuxdsp, 0) X(xsrdpic, 0)                              \
	/* vector VSX, double */                                                                   \
	X(xvadddp, 0) X(xvsubdp, 0) X(xvmuldp, 0) X(xvdivdp, 0) X(xvsqrtdp, 0) X(xvredp, 0)        \
	X(xvrsqrtedp, 0) X(xvmaddadp, 0) X(xvmaddmdp, 0) X(xvmsubadp, 0) X(xvmsubmdp, 0)           \
	X(xvnmaddadp, 0) X(xvnmaddmdp, 0) X(xvnmsubadp, 0) X(xvnmsubmdp, 0) X(xvcvdpsp, 0)         \
	X(xvcvdpsxds, 0) X(xvcvdpuxds, 0) X(xvcvdpsxws, 0) X(xvcvdpuxws, 0) X(xvcvsxddp, 0)        \
	X(xvcvuxddp, 0) X(xvcvsxdsp, 0) X(xvcvuxdsp, 0) X(xvcvsxwdp, 0) X(xvcvuxwdp, 0)            \
	X(xvrdpic, 0)                                                                              \
	/* vector VSX, single */                                                                   \
	X(xvaddsp, 2) X(xvsubsp, 2) X(xvmulsp, 2) X(xvdivsp, 2) X(xvsqrtsp, 2) X(xvresp, 2)        \
	X(xvrsqrtesp, 2) X(xvmaddasp, 2) X(xvmaddmsp, 2) X(xvmsubasp, 2) X(xvmsubmsp, 2)           \
	X(xvnmaddasp, 2) X(xvnmaddmsp, 2) X(xvnmsubasp, 2) X(xvnmsubmsp, 2) X(xvcvspdp, 2)         \
	X(xvcvspsxds, 2) X(xvcvspuxds, 2) X(xvcvspsxws, 2) X(xvcvspuxws, 2) X(xvcvsxwsp, 2)        \
	X(xvcvuxwsp, 2) X(xvrspic, 2)

/* What the second argument of X tells about the operands. */
#define IN_FPRS	   1
#define OF_SINGLES 2

#define SEM(name) static UNUSED void fast_##name(SEM_PARAMETERS)
#include "isa/sem/fp.inc"
#include "isa/sem/vsx_fp.inc"
#include "isa/sem/vsx_fp_vector.inc"
#undef SEM
#undef FP_OPERAND
#undef FP_ENABLED
#define FP_ENABLED true
#define SEM(name) static UNUSED void exact_##name(SEM_PARAMETERS)
#include "isa/sem/fp.inc"
#include "isa/sem/vsx_fp.inc"
#include "isa/sem/vsx_fp_vector.inc"

typedef void block(SEM_PARAMETERS);

static const struct {
	const char *name;
	block *fast, *exact;
	u32 flags;
} rows[] = {
#define X(name, flags) {#name, fast_##name, exact_##name, flags},
	ROWS
#undef X
};

static void execute(block *run, struct cpu *cpu, u32 flags)
{
	struct sem_out out = {0};
	const u16 base = flags & IN_FPRS ? FPR_OFFSET(0) : VSR_OFFSET(0);

	fp_enter(cpu);
	run(cpu, cpu, base + 16 * 1, base + 16 * 2, base + 16 * 3, base + 16 * 4, 0, 0, &out);
	fp_leave(cpu);
	assert_int_equal(out.exit, 0);
}

static void compare(size_t row, int round)
{
	static struct cpu start, fast, exact;
	u64 fpscr_fast, fpscr_exact;

	for (int i = 1; i <= 4; i++)
		for (int k = 0; k < 2; k++)
			start.vsr[i].dw[k] =
				rows[row].flags & OF_SINGLES
					? (u64)random_single() << 32 | random_single()
					: random_double();
	if (round % 3 == 0) /* operands that singles have */
		for (int i = 1; i <= 4; i++)
			start.vsr[i].dw[VSR_DW0] =
				fp_widen(fp_narrow(start.vsr[i].dw[VSR_DW0]));
	fpscr_write(&start, random_u64(), FPSCR_RN | (round % 2 ? FPSCR_FPRF : 0));
	fast = exact = start;
	execute(rows[row].fast, &fast, rows[row].flags);
	execute(rows[row].exact, &exact, rows[row].flags);
	fpscr_fast = fpscr_read(&fast);
	fpscr_exact = fpscr_read(&exact);
	if (memcmp(fast.vsr, exact.vsr, sizeof(fast.vsr)) || fpscr_fast != fpscr_exact ||
	    memcmp(fast.cr, exact.cr, sizeof(fast.cr)))
		fail_msg("%s, FPSCR %08lx\n  t %016lx %016lx\n  a %016lx %016lx\n"
			 "  b %016lx %016lx\n  c %016lx %016lx\n  fast  %016lx %016lx FPSCR %08lx\n"
			 "  exact %016lx %016lx FPSCR %08lx",
			 rows[row].name, start.fpscr, start.vsr[1].dw[VSR_DW0],
			 start.vsr[1].dw[VSR_DW1], start.vsr[2].dw[VSR_DW0],
			 start.vsr[2].dw[VSR_DW1], start.vsr[3].dw[VSR_DW0],
			 start.vsr[3].dw[VSR_DW1], start.vsr[4].dw[VSR_DW0],
			 start.vsr[4].dw[VSR_DW1], fast.vsr[1].dw[VSR_DW0],
			 fast.vsr[1].dw[VSR_DW1], fpscr_fast, exact.vsr[1].dw[VSR_DW0],
			 exact.vsr[1].dw[VSR_DW1], fpscr_exact);
}

static void fast_equals_exact(void **state)
{
	for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
		for (int round = 0; round < ROUNDS; round++)
			compare(row, round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fast_equals_exact)};

	return cmocka_run_group_tests_name("fp_paths", tests, NULL, NULL);
}
