/* SPDX-License-Identifier: MIT */
/*
 * The context switch: registers between a CPU and the task that runs on it.
 *
 * General registers move always; FP, VMX and VSX only while their MSR bits say that they are live
 * (task.h); the reservation of larx is lost.
 */
#ifndef LINUX_SWITCH_H
#define LINUX_SWITCH_H

#include "linux/task.h"

/* Put a task on a CPU: its saved registers become the CPU's. */
void switch_in(struct task *task, struct cpu *cpu);

/* Take the current task off its CPU: the registers are saved in the task. */
void switch_out(struct task *task);

/* Write the general registers of the CPU to where a switch keeps them, and back. */
void switch_save_regs(const struct cpu *cpu, struct task_regs *regs);
void switch_load_regs(struct cpu *cpu, const struct task_regs *regs);

#endif
