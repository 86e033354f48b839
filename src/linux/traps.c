// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/traps.h"

#include <signal.h>

#include "base/counters.h"
#include "base/extable.h"
#include "base/log.h"
#include "isa/insn.h"
#include "linux/emulate.h"
#include "linux/mm.h"
#include "linux/tm.h"
#include "linux/uaccess.h"
#include "tm/tm.h"

/* DSISR bits, ISA Book III-S 6.5.3. */
#define DSISR_NOHPTE  0x40000000
#define DSISR_PROTECT 0x08000000
#define DSISR_STORE   0x02000000

/* --- storage --------------------------------------------------------------------------------- */

static void describe_fault(struct task *task, u64 address, enum mm_fault fault,
			   enum cpu_access access)
{
	bool segment = fault == MM_FAULT_BNDERR;

	if (access == ACCESS_FETCH) {
		task->trap = segment ? INT_INSN_SEGMENT : INT_INSN_STORAGE;
	} else {
		task->trap = segment ? INT_DATA_SEGMENT : INT_DATA_STORAGE;
		task->dar = address;
	}
	task->dsisr = (fault == MM_FAULT_ACCERR ? DSISR_PROTECT : DSISR_NOHPTE) |
		      (access == ACCESS_WRITE ? DSISR_STORE : 0);
}

/*
 * A store into the page that it lies in: one step while the page is not protected. In T that does
 * not help, as the store would come with the commit, which lies in that page or another with code.
 */
static void step_unprotected(struct task *task)
{
	struct mm *mm = task->process->mm;
	struct cpu *cpu = task->cpu;
	u64 pc = cpu->pc;
	enum cpu_exit exit;

	if (tm_is_transactional(cpu)) {
		tm_fail(cpu, TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT | TEXASR_EXACT, pc,
			TEXASR_PR);
		return;
	}
	mm_step_begin(mm);
	exit = cpu_step(cpu);
	mm_step_end(mm, pc);
	/* What else happened will happen again. */
	if (exit != CPU_EXIT_STEP)
		log_line(LOG_MM, "store to its own page at 0x%llx stopped with exit %d",
			 (unsigned long long)pc, exit);
}

void trap_fault(struct task *task)
{
	struct cpu *cpu = task->cpu;
	struct mm *mm = task->process->mm;
	enum cpu_access access = cpu->exit.access;
	u64 address = cpu->exit.address, size = cpu->exit.size ? cpu->exit.size : 1;
	enum mm_fault fault;

	count(COUNTER_page_faults, 1);
	task->trap = access == ACCESS_FETCH ? INT_INSN_STORAGE : INT_DATA_STORAGE;
	if (access == ACCESS_WRITE && address < GUEST_ADDRESS_LIMIT) {
		u64 pc_page = ROUND_DOWN(cpu->pc, GUEST_PAGE_SIZE);

		if (mm_write_prepare(mm, address, size)) {
			if (pc_page < address + size && address < pc_page + GUEST_PAGE_SIZE)
				step_unprotected(task);
			return;
		}
	}
	fault = mm_check(mm, &address, size, access);
	describe_fault(task, address, fault, access);
	switch (fault) {
	case MM_FAULT_NONE:
		break;
	case MM_FAULT_MAPERR:
		signal_force_fault(task, SIGSEGV, SEGV_MAPERR, address);
		return;
	case MM_FAULT_ACCERR:
		signal_force_fault(task, SIGSEGV, SEGV_ACCERR, address);
		return;
	case MM_FAULT_BNDERR:
		signal_force_fault(task, SIGSEGV, SEGV_BNDERR, address);
		return;
	}
	/* The map allows it, so it is the host that could not: a file that is too short. */
	if (host_last_fault.signo == SIGBUS)
		signal_force_fault(task, SIGBUS, host_last_fault.code, host_last_fault.addr);
	else if (++task->fault_retries < 100)
		return; /* somebody else has just repaired it */
	else
		signal_force_fault(task, SIGSEGV, SEGV_ACCERR, address);
	task->fault_retries = 0;
}

/* --- alignment ------------------------------------------------------------------------------- */

/* alignment_exception(): an instruction that can be emulated goes on, else SIGBUS. */
void trap_alignment(struct task *task)
{
	struct cpu *cpu = task->cpu;
	u64 address = cpu->exit.address;

	count(COUNTER_alignment_faults, 1);
	task->trap = INT_ALIGNMENT;
	task->dar = address;
	task->dsisr = 0;
	/* The kernel's accesses would not be the transaction's. */
	if (tm_abort_task(task, TM_CAUSE_ALIGNMENT | TM_CAUSE_PERSISTENT))
		return;
	switch (emulate_unaligned(task)) {
	case EMULATED:
		break;
	case EMULATION_FAULT:
		signal_force_fault(task, SIGSEGV, SEGV_ACCERR, address);
		break;
	case NOT_EMULATED:
		signal_force_fault(task, SIGBUS, BUS_ADRALN, address);
		break;
	}
}

/* --- program --------------------------------------------------------------------------------- */

/* __parse_fpscr(): the first enabled exception, in this order. */
static int fp_code(u64 fpscr)
{
	if (fpscr & FPSCR_VE && fpscr & FPSCR_VX_ALL)
		return FPE_FLTINV;
	if (fpscr & FPSCR_OE && fpscr & FPSCR_OX)
		return FPE_FLTOVF;
	if (fpscr & FPSCR_UE && fpscr & FPSCR_UX)
		return FPE_FLTUND;
	if (fpscr & FPSCR_ZE && fpscr & FPSCR_ZX)
		return FPE_FLTDIV;
	if (fpscr & FPSCR_XE && fpscr & FPSCR_XX)
		return FPE_FLTRES;
	return 14; /* FPE_FLTUNK */
}

static void report_unimplemented(struct task *task)
{
	char text[96] = "not readable";
	u64 pc = task->cpu->pc;
	u32 word = 0;

	if (!get_user(task, &word, pc))
		isa_disassemble(word, pc, text, sizeof(text));
	log_error("unimplemented instruction 0x%08x (%s) at 0x%llx", word, text,
		  (unsigned long long)pc);
}

void trap_program(struct task *task)
{
	struct cpu *cpu = task->cpu;

	count(COUNTER_program_checks, 1);
	task->trap = INT_PROGRAM;
	switch ((enum cpu_program)cpu->exit.program) {
	case PROGRAM_FP_ENABLED:
		task_flush_fp(task);
		signal_force_fault(task, SIGFPE, fp_code(task->fp.fpscr), cpu->pc);
		break;
	case PROGRAM_TRAP:
		signal_force_fault(task, SIGTRAP, TRAP_BRKPT, cpu->pc);
		break;
	case PROGRAM_TM_BAD_THING:
		signal_force_fault(task, SIGILL, ILL_ILLOPN, cpu->pc);
		break;
	case PROGRAM_PRIVILEGED:
		if (emulate_instruction(task) != EMULATED)
			signal_force_fault(task, SIGILL, ILL_PRVOPC, cpu->pc);
		break;
	case PROGRAM_ILLEGAL:
		if (emulate_instruction(task) != EMULATED)
			signal_force_fault(task, SIGILL, ILL_ILLOPC, cpu->pc);
		break;
	case PROGRAM_UNIMPLEMENTED:
		report_unimplemented(task);
		signal_force_fault(task, SIGILL, ILL_ILLOPC, cpu->pc);
		break;
	}
}

/* --- facilities ------------------------------------------------------------------------------ */

void trap_facility(struct task *task)
{
	struct cpu *cpu = task->cpu;
	enum cpu_facility facility = cpu->exit.facility;

	task->trap = facility == FACILITY_FP	? INT_FP
		     : facility == FACILITY_VEC ? INT_VEC
		     : facility == FACILITY_VSX ? INT_VSX
						: INT_FACILITY;
	switch (facility) {
	case FACILITY_FP:
	case FACILITY_VEC:
	case FACILITY_VSX:
		if (unlikely(cpu->msr & MSR_TS_MASK))
			tm_fp_unavailable(task, facility);
		task_enable_facility(task, facility);
		return;
	case FACILITY_TM:
		count(COUNTER_facility_faults, 1);
		if (tm_unavailable(task))
			return;
		break;
	default:
		count(COUNTER_facility_faults, 1);
		break;
	}
	/* A CPU without TM: facility_unavailable_exception(). */
	signal_force_fault(task, SIGILL, ILL_ILLOPC, cpu->pc);
}
