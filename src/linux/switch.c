// SPDX-License-Identifier: MIT
#include "linux/switch.h"

#include <string.h>

#include "linux/tm.h"

void switch_save_regs(const struct cpu *cpu, struct task_regs *regs)
{
	memcpy(regs->gpr, cpu->gpr, sizeof(regs->gpr));
	regs->pc = cpu->pc;
	regs->lr = cpu->lr;
	regs->ctr = cpu->ctr;
	regs->msr = cpu->msr;
	regs->xer = cpu_get_xer(cpu);
	regs->tar = cpu->tar;
	regs->dscr = cpu->dscr;
	regs->ppr = cpu->ppr;
	regs->amr = cpu->amr;
	regs->cr = cpu_get_cr(cpu);
	regs->vrsave = cpu->vrsave;
}

void switch_load_regs(struct cpu *cpu, const struct task_regs *regs)
{
	memcpy(cpu->gpr, regs->gpr, sizeof(regs->gpr));
	cpu->pc = regs->pc;
	cpu->lr = regs->lr;
	cpu->ctr = regs->ctr;
	cpu->msr = regs->msr;
	cpu_set_xer(cpu, regs->xer);
	cpu->tar = regs->tar;
	cpu->dscr = regs->dscr;
	cpu->ppr = regs->ppr;
	cpu->amr = regs->amr;
	cpu_set_cr(cpu, regs->cr);
	cpu->vrsave = regs->vrsave;
}

void switch_in(struct task *task, struct cpu *cpu)
{
	task->cpu = cpu;
	cpu->owner = task;
	switch_load_regs(cpu, &task->regs);
	cpu->reserve_address = ~0ull;
	tm_switch_in(task);
}

void switch_out(struct task *task)
{
	struct cpu *cpu = task->cpu;

	task_giveup_fp(task);
	tm_switch_out(task);
	switch_save_regs(cpu, &task->regs);
	cpu->reserve_address = ~0ull;
	cpu->msr &= ~MSR_TS_MASK;
	cpu->owner = NULL;
	task->cpu = NULL;
}
