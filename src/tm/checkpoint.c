// SPDX-License-Identifier: MIT
#include "tm/checkpoint.h"

#include <string.h>

/*
 * Everything that problem state can write, but for CR0 (which always gets the result) and the TM
 * SPRs: Book II 5.2. FP and vector registers are in it whether or not MSR says that they are in
 * use.
 */
void checkpoint_take(struct cpu *cpu)
{
	struct cpu_checkpoint *c = &cpu->checkpoint;

	memcpy(c->gpr, cpu->gpr, sizeof(c->gpr));
	c->lr = cpu->lr;
	c->ctr = cpu->ctr;
	c->tar = cpu->tar;
	c->dscr = cpu->dscr;
	c->ppr = cpu->ppr;
	c->amr = cpu->amr;
	c->fpscr = cpu->fpscr;
	c->vrsave = cpu->vrsave;
	c->vscr = cpu_get_vscr(cpu);
	memcpy(c->cr, cpu->cr, sizeof(c->cr));
	c->so = cpu->so;
	c->ov = cpu->ov;
	c->ca = cpu->ca;
	c->string_count = cpu->string_count;
	memcpy(c->vsr, cpu->vsr, sizeof(c->vsr));
}

void checkpoint_restore(struct cpu *cpu)
{
	const struct cpu_checkpoint *c = &cpu->checkpoint;

	memcpy(cpu->gpr, c->gpr, sizeof(c->gpr));
	cpu->lr = c->lr;
	cpu->ctr = c->ctr;
	cpu->tar = c->tar;
	cpu->dscr = c->dscr;
	cpu->ppr = c->ppr;
	cpu->amr = c->amr;
	cpu->fpscr = c->fpscr;
	cpu->fp.operation = 0;
	cpu->vrsave = c->vrsave;
	cpu_set_vscr(cpu, c->vscr);
	memcpy(cpu->cr, c->cr, sizeof(c->cr));
	cpu->so = c->so;
	cpu->ov = c->ov;
	cpu->ca = c->ca;
	cpu->string_count = c->string_count;
	memcpy(cpu->vsr, c->vsr, sizeof(c->vsr));
}
