// SPDX-License-Identifier: MIT
#include "linux/tm.h"

#include <errno.h>
#include <string.h>

#include "base/counters.h"
#include "base/log.h"
#include "isa/fp.h"
#include "linux/auxv.h"
#include "linux/mm.h"
#include "linux/sched.h"
#include "linux/tm_cause.h"
#include "linux/traps.h"
#include "tm/gate.h"
#include "tm/tm.h"

/* How much longer than its slice a task in T keeps its CPU. */
#define DEFER_NS 50000000ull

#define CR0_MASK      0xf0000000u
#define CR0_SUSPENDED 0x20000000u

static const struct tm_policy *policy_of(const struct task *task)
{
	return &task->process->options->tm;
}

u64 tm_hwcap2(const struct tm_policy *policy)
{
	switch (policy->facility) {
	case TM_FACILITY_OFF:
		return 0;
	case TM_FACILITY_NO_SUSPEND:
		return HWCAP2_HTM_NOSC | HWCAP2_HTM_NO_SUSPEND;
	default:
		/* Kernels that perform the call do not promise the opposite. */
		return HWCAP2_HTM | (policy->syscall == TM_SYSCALL_ABORT ? HWCAP2_HTM_NOSC : 0);
	}
}

bool tm_removes_taborts(const struct tm_policy *policy)
{
	return policy->facility == TM_FACILITY_PATCH_LIBC &&
	       tm_hwcap2(policy) & HWCAP2_HTM_NOSC;
}

/* Failures that the kernel causes, by their code. */
static void count_cause(u8 code)
{
	u64 texasr = (u64)code << TEXASR_FC_SHIFT | TEXASR_ABORT;

	count(tm_cause_describe(tm_cause_of(texasr))->counter, 1);
}

/*
 * The transaction goes back to its checkpoint here and not in the CPU: what the kernel has given up
 * must be in the CPU again first, as FP and VMX are part of the checkpoint.
 */
static void roll_back(struct task *task)
{
	if (task->tm.restore)
		tm_restore_math(task);
	tm_handle_failure(task->cpu);
}

/*
 * In T, what the transaction has computed is about to be seen by somebody else. If a conflict made
 * that possible then only the conflict has happened, and this returns false: the task is in N at
 * its abort handler.
 */
static bool settle(struct task *task)
{
	struct cpu *cpu = task->cpu;
	struct gate *gate = task->process->mm->gate;
	enum tm_outcome outcome;

	if (!tm_is_transactional(cpu) || cpu->tm_doomed)
		return true;
	gate_enter(gate, cpu);
	outcome = tm_validate(cpu, cpu->pc);
	gate_leave(gate, cpu);
	if (likely(outcome == TM_OK))
		return true;
	roll_back(task);
	return false;
}

/* --- SPRs --------------------------------------------------------------------------------------
 */

static void copy_sprs(struct task *task)
{
	task->tm.tfhar = task->cpu->tfhar;
	task->tm.texasr = task->cpu->texasr;
	task->tm.tfiar = task->cpu->tfiar;
}

static void save_sprs(struct task *task)
{
	copy_sprs(task);
	count(COUNTER_tm_spr_saves, 1);
}

static void load_sprs(struct task *task)
{
	task->cpu->tfhar = task->tm.tfhar;
	task->cpu->texasr = task->tm.texasr;
	task->cpu->tfiar = task->tm.tfiar;
	count(COUNTER_tm_spr_loads, 1);
}

/* The counter of 2016 is an u8: it is 0 again after so many switches. */
static void count_load_tm(struct task *task)
{
	task->load_tm = (task->load_tm + 1) % policy_of(task)->load_tm;
}

void tm_start_thread(struct task *task)
{
	struct cpu *cpu = task->cpu;

	if (tm_in_transaction(cpu))
		tm_reclaim(cpu, 0);
	task->tm = (struct tm_thread_state){0};
	task->load_tm = 0;
	cpu->msr &= ~MSR_TM;
	if (policy_of(task)->facility == TM_FACILITY_EAGER) {
		cpu->msr |= MSR_TM;
		load_sprs(task);
	}
}

/* --- facility unavailable ----------------------------------------------------------------------
 */

#define PRIMARY_OPCODE(word)  ((word) >> 26)
#define EXTENDED_OPCODE(word) ((word) >> 1 & 0x3ff)

/* tabort. and its conditional forms, whatever bit 31. */
static bool is_tabort(u32 word)
{
	if (PRIMARY_OPCODE(word) != 31)
		return false;
	switch (EXTENDED_OPCODE(word)) {
	case 782:
	case 814:
	case 846:
	case 878:
	case 910:
		return true;
	}
	return false;
}

/*
 * While MSR[TM] is off no transaction is active, so a tabort. only sets CR0 to 0: that can be done
 * here, and TM stay off (RFC PATCH "powerpc/tm: emulate tabort", June 2016). Nothing else changes.
 */
static bool skip_tabort(struct task *task)
{
	struct cpu *cpu = task->cpu;

	if (policy_of(task)->facility != TM_FACILITY_SKIP_TABORT || !is_tabort(cpu->exit.insn))
		return false;
	memset(cpu->cr, 0, 4);
	cpu->pc += 4;
	count(COUNTER_tm_taborts_skipped, 1);
	return true;
}

bool tm_unavailable(struct task *task)
{
	if (policy_of(task)->facility == TM_FACILITY_OFF)
		return false;
	if (skip_tabort(task))
		return true;
	/* One step for the scheduler: nobody may switch between the counter, MSR and the SPRs. */
	count_load_tm(task);
	task->cpu->msr |= MSR_TM;
	load_sprs(task);
	count(COUNTER_tm_faults, 1);
	log_line(LOG_TM, "thread %d: TM on", task->tid);
	tm_tell(task->cpu, TM_EVENT_ENABLE);
	return true;
}

/* --- reclaim and recheckpoint ------------------------------------------------------------------
 */

/*
 * The checkpoint that the machine took has junk where a facility was off: what was live then is
 * what rests in task->fp, unchanged since. CVE-2019-15030, CVE-2019-15031.
 */
static void repair_checkpoint(struct task *task)
{
	struct cpu_checkpoint *c = &task->tm.checkpoint;

	if (!(task->tm.ckpt_msr & MSR_FP)) {
		memcpy(c->vsr, task->fp.vsr, 32 * sizeof(c->vsr[0]));
		c->fpscr = task->fp.fpscr;
	}
	if (!(task->tm.ckpt_msr & MSR_VEC)) {
		memcpy(c->vsr + 32, task->fp.vsr + 32, 32 * sizeof(c->vsr[0]));
		c->vscr = task->fp.vscr;
	}
}

u64 tm_reclaim_task(struct task *task, u8 code)
{
	struct cpu *cpu = task->cpu;
	u64 state = cpu->msr & MSR_TS_MASK;
	struct cpu_checkpoint *c = &task->tm.checkpoint;

	if (!state)
		return 0;
	task_giveup_fp(task);
	count(COUNTER_tm_reclaims, 1);
	if (tm_reclaim(cpu, code))
		count_cause(code);
	copy_sprs(task);
	*c = cpu->checkpoint;
	c->fpscr = fpscr_shown(c->fpscr);
	repair_checkpoint(task);
	/* CR0 is no part of it: the kernel, in S, sees what treclaim. has set. */
	cr_unpack(c->cr, (cr_pack(c->cr) & ~CR0_MASK) | CR0_SUSPENDED);
	return state;
}

void tm_recheckpoint_task(struct task *task, u64 state)
{
	struct cpu *cpu = task->cpu;

	cpu->checkpoint = task->tm.checkpoint;
	cpu->checkpoint.fpscr = fpscr_stored(cpu->checkpoint.fpscr);
	count(COUNTER_tm_recheckpoints, 1);
	tm_recheckpoint(cpu, state);
}

u64 tm_reclaim_for_signal(struct task *task)
{
	u64 state;

	/*
	 * Other interrupts than those that come from outside are caused by the program, and what
	 * they show was compared when they were taken.
	 */
	if (task->trap == INT_DECREMENTER && !settle(task))
		return 0;
	state = tm_reclaim_task(task, TM_CAUSE_SIGNAL);
	task->tm.restore = false;
	return state;
}

void tm_discard(struct task *task)
{
	tm_reclaim_task(task, 0);
	task->tm.restore = false;
}

void tm_resume_from_signal(struct task *task, u64 state, u64 tfhar)
{
	task->tm.tfhar = tfhar;
	task->tm.texasr |= TEXASR_FS;
	task->cpu->msr |= MSR_TM;
	load_sprs(task);
	tm_recheckpoint_task(task, state);
}

bool tm_is_available(const struct task *task)
{
	return policy_of(task)->facility != TM_FACILITY_OFF;
}

bool tm_may_suspend(const struct task *task)
{
	return policy_of(task)->facility != TM_FACILITY_NO_SUSPEND;
}

struct task_regs tm_checkpointed_regs(const struct task *task)
{
	const struct cpu_checkpoint *c = &task->tm.checkpoint;
	struct task_regs regs = {
		.pc = task->tm.tfhar,
		.lr = c->lr,
		.ctr = c->ctr,
		.xer = (c->so ? XER_SO : 0) | (c->ov ? XER_OV : 0) | (c->ca ? XER_CA : 0) |
		       c->string_count,
		.tar = c->tar,
		.dscr = c->dscr,
		.ppr = c->ppr,
		.amr = c->amr,
		.cr = cr_pack(c->cr),
		.vrsave = c->vrsave,
	};

	memcpy(regs.gpr, c->gpr, sizeof(regs.gpr));
	return regs;
}

void tm_set_checkpointed_regs(struct task *task, const struct task_regs *regs)
{
	struct cpu_checkpoint *c = &task->tm.checkpoint;

	memcpy(c->gpr, regs->gpr, sizeof(c->gpr));
	c->lr = regs->lr;
	c->ctr = regs->ctr;
	c->so = !!(regs->xer & XER_SO);
	c->ov = !!(regs->xer & XER_OV);
	c->ca = !!(regs->xer & XER_CA);
	c->string_count = regs->xer & XER_COUNT;
	c->tar = regs->tar;
	c->dscr = regs->dscr;
	c->ppr = regs->ppr;
	c->amr = regs->amr;
	cr_unpack(c->cr, regs->cr);
	c->vrsave = regs->vrsave;
}

void tm_fp_unavailable(struct task *task, enum cpu_facility facility)
{
	u64 state = tm_reclaim_task(task, TM_CAUSE_FAC_UNAV);

	if (facility != FACILITY_VEC)
		task->tm.ckpt_msr |= MSR_FP;
	if (facility != FACILITY_FP)
		task->tm.ckpt_msr |= MSR_VEC;
	tm_recheckpoint_task(task, state);
}

void tm_restore_math(struct task *task)
{
	u64 missing;

	task->tm.restore = false;
	if (!tm_in_transaction(task->cpu))
		return;
	missing = task->tm.ckpt_msr & ~task->cpu->msr;
	task_load_facilities(task, missing & (MSR_FP | MSR_VEC));
}

/* --- the context switch ------------------------------------------------------------------------
 */

/* The part for the task that leaves, if MSR[TM] is on: __switch_to_tm(). Return: MSR[TS] before. */
static u64 take_off(struct task *task)
{
	struct cpu *cpu = task->cpu;
	u64 state;

	count_load_tm(task);
	if (!settle(task))
		task_giveup_fp(task); /* it has got them back */
	state = tm_reclaim_task(task, TM_CAUSE_RESCHED);
	save_sprs(task);
	if (!state && !task->load_tm && policy_of(task)->facility != TM_FACILITY_EAGER) {
		cpu->msr &= ~MSR_TM;
		count(COUNTER_tm_off, 1);
		log_line(LOG_TM, "thread %d: TM off", task->tid);
		tm_tell(cpu, TM_EVENT_DISABLE);
	}
	return state;
}

void tm_switch_out(struct task *task)
{
	struct cpu *cpu = task->cpu;

	task->tm.deferred_since = 0;
	if (!(cpu->msr & MSR_TM)) {
		count(COUNTER_tm_switches_avoided, 1);
		return;
	}
	count(COUNTER_tm_switches, 1);
	cpu->msr |= take_off(task);
}

void tm_switch_in(struct task *task)
{
	struct cpu *cpu = task->cpu;
	u64 state = cpu->msr & MSR_TS_MASK;

	if (!(cpu->msr & MSR_TM))
		return;
	load_sprs(task);
	if (state) {
		cpu->msr &= ~MSR_TS_MASK;
		tm_recheckpoint_task(task, state);
	}
}

void tm_flush(struct task *task)
{
	u64 state;

	if (!(task->cpu->msr & MSR_TM))
		return;
	state = take_off(task);
	if (state)
		tm_recheckpoint_task(task, state);
}

/* --- system calls, and what the kernel does not do for a thread in T -----------------------------
 */

bool tm_abort_task(struct task *task, u8 code)
{
	struct cpu *cpu = task->cpu;

	if (!tm_is_transactional(cpu))
		return false;
	/* The kernel's tabort. runs in S: the interrupt has suspended the transaction. */
	cpu->msr ^= MSR_TS_T | MSR_TS_S;
	if (tm_fail(cpu, (u64)code << TEXASR_FC_SHIFT | TEXASR_ABORT | TEXASR_EXACT, cpu->pc, 0))
		count_cause(code);
	cpu->msr ^= MSR_TS_T | MSR_TS_S;
	return true;
}

bool tm_refuse_syscall(struct task *task)
{
	/* There is no call if the transaction was wrong to come here. */
	if (!settle(task))
		return true;
	if (policy_of(task)->syscall == TM_SYSCALL_SUSPEND)
		return false;
	/* What a signal frame would show: the arguments still, and no call to be restarted. */
	task->orig_r3 = task->cpu->gpr[3];
	task->trap = INT_SYSCALL;
	task->result = -ENOSYS;
	return tm_abort_task(task, TM_CAUSE_SYSCALL | TM_CAUSE_PERSISTENT);
}

bool tm_defer_switch(struct task *task)
{
	struct cpu *cpu = task->cpu;
	u64 now;

	if (!tm_is_transactional(cpu) || cpu->tm_doomed)
		return false;
	now = sched_now();
	if (!task->tm.deferred_since)
		task->tm.deferred_since = now;
	if (now - task->tm.deferred_since >= DEFER_NS)
		return false;
	cpu->tm_kick = POLL_INTERRUPT;
	return true;
}
