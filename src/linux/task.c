// SPDX-License-Identifier: MIT
#include "linux/task.h"

#include <string.h>

#include "base/counters.h"
#include "isa/fp.h"
#include "linux/tm.h"

_Thread_local struct task *current;

struct task *task_find(struct process *process, int tid)
{
	for (struct task *task = process->tasks; task; task = task->next)
		if (task->tid == tid && !task->exited)
			return task;
	return NULL;
}

int task_process_number(struct process *process, int number)
{
	bool own;

	pthread_mutex_lock(&process->task_lock);
	own = number > 0 && task_find(process, number);
	pthread_mutex_unlock(&process->task_lock);
	return own ? process->pid : number;
}

static void save_fp(struct task *task)
{
	struct cpu *cpu = task->cpu;

	memcpy(task->fp.vsr, cpu->vsr, 32 * sizeof(cpu->vsr[0]));
	task->fp.fpscr = fpscr_read(cpu);
}

static void save_vec(struct task *task)
{
	struct cpu *cpu = task->cpu;

	memcpy(task->fp.vsr + 32, cpu->vsr + 32, 32 * sizeof(cpu->vsr[0]));
	task->fp.vscr = cpu_get_vscr(cpu);
}

void task_flush_fp(struct task *task)
{
	if (task->cpu->msr & MSR_FP)
		save_fp(task);
	if (task->cpu->msr & MSR_VEC)
		save_vec(task);
}

void task_giveup_fp(struct task *task)
{
	u64 msr = task->cpu->msr;

	task_flush_fp(task);
	/* Which of them the transaction had live: they come back on return to it. */
	if (unlikely(msr & MSR_TS_MASK) && !task->tm.restore) {
		task->tm.ckpt_msr = msr;
		task->tm.restore = true;
	}
	task->cpu->msr &= ~(MSR_FP | MSR_FE0 | MSR_FE1 | MSR_VEC | MSR_VSX);
}

static void load_fp(struct task *task)
{
	struct cpu *cpu = task->cpu;

	memcpy(cpu->vsr, task->fp.vsr, 32 * sizeof(cpu->vsr[0]));
	fpscr_write(cpu, task->fp.fpscr, ~0ull);
	cpu->msr |= MSR_FP | task->fpexc_mode;
}

static void load_vec(struct task *task)
{
	struct cpu *cpu = task->cpu;

	memcpy(cpu->vsr + 32, task->fp.vsr + 32, 32 * sizeof(cpu->vsr[0]));
	cpu_set_vscr(cpu, task->fp.vscr);
	cpu->msr |= MSR_VEC;
	task->used_vr = true;
}

/*
 * load_up_fpu(), load_up_altivec() and load_up_vsx() of Linux: a demand sets the counter to 1, from
 * where each return to user mode that finds the bit off counts on.
 */
void task_enable_facility(struct task *task, enum cpu_facility facility)
{
	struct cpu *cpu = task->cpu;

	count(COUNTER_facility_faults, 1);
	count(facility == FACILITY_FP	 ? COUNTER_fp_faults
	      : facility == FACILITY_VEC ? COUNTER_vec_faults
					 : COUNTER_vsx_faults,
	      1);
	if (facility != FACILITY_VEC && !(cpu->msr & MSR_FP)) {
		task->load_fp = 1;
		load_fp(task);
	}
	if (facility != FACILITY_FP && !(cpu->msr & MSR_VEC)) {
		task->load_vec = 1;
		/* A program that does not maintain it, Linux says. */
		if (!cpu->vrsave)
			cpu->vrsave = ~0u;
		load_vec(task);
	}
	if (facility == FACILITY_VSX) {
		cpu->msr |= MSR_VSX;
		task->used_vsr = true;
	}
}

void task_load_facilities(struct task *task, u64 msr)
{
	struct cpu *cpu = task->cpu;

	if (msr & MSR_FP) {
		task->load_fp = 1;
		load_fp(task);
	}
	if (msr & MSR_VEC) {
		task->load_vec = 1;
		load_vec(task);
	}
	if ((cpu->msr & (MSR_FP | MSR_VEC)) == (MSR_FP | MSR_VEC)) {
		cpu->msr |= MSR_VSX;
		task->used_vsr = true;
	}
}

#define MATH_BITS (MSR_FP | MSR_VEC | MSR_VSX)

void task_restore_math(struct task *task)
{
	struct cpu *cpu = task->cpu;

	/* Each time: a later transaction would take ckpt_msr for its own. CVE-2019-15030 */
	if (unlikely(task->tm.restore))
		tm_restore_math(task);
	if (likely((cpu->msr & MATH_BITS) == MATH_BITS))
		return;
	/* In a transaction only what it had live before: the checkpoint lacks the rest. CVE-2019-15031 */
	if (unlikely(cpu->msr & MSR_TS_MASK))
		return;
	if (!(cpu->msr & MSR_FP) && task->load_fp) {
		task->load_fp++;
		load_fp(task);
	}
	if (!(cpu->msr & MSR_VEC) && task->load_vec) {
		task->load_vec++;
		load_vec(task);
	}
	if ((cpu->msr & (MSR_FP | MSR_VEC)) == (MSR_FP | MSR_VEC) && !(cpu->msr & MSR_VSX)) {
		cpu->msr |= MSR_VSX;
		task->used_vsr = true;
	}
}
