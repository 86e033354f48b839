/* SPDX-License-Identifier: MIT */
/*
 * The registers that a transaction rolls back: cpu->checkpoint. Inside src/tm/ only.
 *
 * The FPSCR must be whole (fpscr_read()) when the checkpoint is taken, and is whole when it has
 * been restored.
 */
#ifndef TM_CHECKPOINT_H
#define TM_CHECKPOINT_H

#include "arch/cpu.h"

void checkpoint_take(struct cpu *cpu);
void checkpoint_restore(struct cpu *cpu);

#endif
