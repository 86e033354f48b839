// SPDX-License-Identifier: MIT
/*
 * The flags of the instruction table agree with what the interpreter does: an instruction that
 * needs a facility leaves with a facility interrupt while that is off and with no other, and is
 * not held up while it is on; privileged instructions do not execute.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/extable.h"
#include "engine/engine.h"
#include "isa/insn.h"
#include "tm/gate.h"
#include "tm/tm.h"

#include <signal.h>

#define CODE 0x20000000ull
#define DATA 0x20010000ull
#define SIZE 0x10000

#define FACILITIES (MSR_FP | MSR_VEC | MSR_VSX | MSR_TM)

static struct cpu cpu;
static struct code_space *code;
static struct gate *gate;
static struct tm_domain *domain;

static bool fetch(void *context, u64 page)
{
	return page >= CODE && page < CODE + SIZE;
}

static void on_fault(int signo, siginfo_t *si, void *uc)
{
	if (!extable_fixup(si, uc)) {
		signal(signo, SIG_DFL);
		raise(signo);
	}
}

/* cmocka takes SIGSEGV for itself before each test. */
static void catch_faults(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
}

/* Execute one word with these facilities on. Every register is 0 or points to data. */
static enum cpu_exit execute(u32 word, u64 facilities)
{
	*(u32 *)CODE = word;
	code_invalidate(code, CODE, 4);
	tm_cpu_destroy(&cpu);
	cpu_init(&cpu, code);
	tm_cpu_init(&cpu, domain);
	for (u32 i = 0; i < 32; i++)
		cpu.gpr[i] = i % 2 ? DATA + SIZE / 2 : 0;
	cpu.msr = (cpu.msr & ~FACILITIES) | facilities;
	cpu.pc = CODE;
	cpu.lr = cpu.ctr = cpu.tar = CODE;
	catch_faults();
	return cpu_step(&cpu);
}

/* The facility whose absence stops an instruction first, by its flags; 0 if none. */
static u8 needed_facility(const struct insn *insn, u32 word)
{
	if (insn->flags & INSN_FP_OR_VEC) /* bit 31 is the high bit of the VSR number */
		return word & 1 ? FACILITY_VEC : FACILITY_FP;
	if (insn->flags & INSN_FP)
		return FACILITY_FP;
	if (insn->flags & INSN_VEC)
		return FACILITY_VEC;
	if (insn->flags & INSN_VSX)
		return FACILITY_VSX;
	if (insn->flags & INSN_TM)
		return FACILITY_TM;
	return 0;
}

static u64 msr_bit(u8 facility)
{
	switch (facility) {
	case FACILITY_FP:
		return MSR_FP;
	case FACILITY_VEC:
		return MSR_VEC;
	case FACILITY_VSX:
		return MSR_VSX;
	case FACILITY_TM:
		return MSR_TM;
	default:
		return 0;
	}
}

static bool left_for_facility(enum cpu_exit exit, u8 facility)
{
	return exit == CPU_EXIT_FACILITY && cpu.exit.facility == facility;
}

static void check(const struct insn *insn, u32 word)
{
	u8 facility = needed_facility(insn, word);
	u64 bit = msr_bit(facility);

	if (facility && !left_for_facility(execute(word, FACILITIES & ~bit), facility))
		fail_msg("%s (0x%08x) executes without its facility %u", insn->name, word,
			 facility);
	for (u64 others = FACILITIES; others; others &= others - 1) {
		u64 other = others & -others;

		if (other == bit)
			continue;
		if (execute(word, FACILITIES & ~other) == CPU_EXIT_FACILITY &&
		    msr_bit(cpu.exit.facility))
			fail_msg("%s (0x%08x) asks for facility %u", insn->name, word,
				 cpu.exit.facility);
	}
}

static bool is_executed(const struct insn *insn)
{
	return !(insn->flags & (INSN_DFP | INSN_PRIVILEGED));
}

static void test_facilities(void **state)
{
	for (u32 form = FORM_invalid + 1; form < FORM_ROWS_END; form++) {
		const struct insn *insn = isa_form_insn(form);

		if (!is_executed(insn))
			continue;
		/* Operands 0, and where bit 31 is an operand, both values. */
		check(insn, insn->value);
		if (!((insn->mask | insn->reserved) & 1))
			check(insn, insn->value | 1);
	}
}

static void test_privileged(void **state)
{
	for (u32 form = FORM_invalid + 1; form < FORM_ROWS_END; form++) {
		const struct insn *insn = isa_form_insn(form);

		if (!(insn->flags & INSN_PRIVILEGED) || (insn->flags & INSN_TM))
			continue;
		if (execute(insn->value, FACILITIES) != CPU_EXIT_PROGRAM ||
		    cpu.exit.program != PROGRAM_PRIVILEGED)
			fail_msg("%s is not privileged", insn->name);
	}
}

static void test_decimal_is_unimplemented(void **state)
{
	for (u32 form = FORM_invalid + 1; form < FORM_ROWS_END; form++) {
		const struct insn *insn = isa_form_insn(form);

		if (!(insn->flags & INSN_DFP))
			continue;
		assert_int_equal(execute(insn->value, FACILITIES), CPU_EXIT_PROGRAM);
		assert_int_equal(cpu.exit.program, PROGRAM_UNIMPLEMENTED);
	}
}

static int set_up(void **state)
{
	static const struct code_source source = {.fetch = fetch};

	engine_init();
	if (mmap((void *)CODE, 2 * SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)CODE)
		return -1;
	code = code_space_create(&source, NULL);
	gate = gate_create();
	domain = gate ? tm_domain_create(gate, &TM_CONFIG_POWER8) : NULL;
	return code && domain && !gate_attach(gate, &cpu) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facilities),
		cmocka_unit_test(test_privileged),
		cmocka_unit_test(test_decimal_is_unimplemented),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
