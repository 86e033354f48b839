/* SPDX-License-Identifier: MIT */
/*
 * Interrupts of the CPU other than system calls: what Linux makes of them.
 */
#ifndef LINUX_TRAPS_H
#define LINUX_TRAPS_H

#include "linux/task.h"

/* Interrupt vectors, for the trap word of a signal frame. */
#define INT_DATA_STORAGE 0x300
#define INT_DATA_SEGMENT 0x380
#define INT_INSN_STORAGE 0x400
#define INT_INSN_SEGMENT 0x480
#define INT_EXTERNAL	 0x500
#define INT_ALIGNMENT	 0x600
#define INT_PROGRAM	 0x700
#define INT_FP		 0x800
#define INT_DECREMENTER	 0x900
#define INT_SYSCALL	 0xc00
#define INT_TRACE	 0xd00
#define INT_VEC		 0xf20
#define INT_VSX		 0xf40
#define INT_FACILITY	 0xf60

/* In the trap word: registers were replaced, so a system call is not restarted. */
#define INT_NO_RESTART 1u

/* Each handles the exit that task->cpu->exit describes: repairs it or sends a signal. */
void trap_fault(struct task *task);
void trap_alignment(struct task *task);
void trap_program(struct task *task);
void trap_facility(struct task *task);

#endif
