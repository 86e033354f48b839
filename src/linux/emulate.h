/* SPDX-License-Identifier: MIT */
/*
 * Instructions that the hardware leaves to the kernel: arch/powerpc/kernel/traps.c
 * (emulate_instruction) and align.c (fix_alignment) of Linux.
 */
#ifndef LINUX_EMULATE_H
#define LINUX_EMULATE_H

struct task;

enum emulation {
	EMULATED, /* pc is at the following instruction */
	NOT_EMULATED,
	EMULATION_FAULT, /* an access failed */
};

/* After a program interrupt for an illegal or privileged instruction. */
enum emulation emulate_instruction(struct task *task);

/* After an alignment interrupt. */
enum emulation emulate_unaligned(struct task *task);

#endif
