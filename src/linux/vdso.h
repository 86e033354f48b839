/* SPDX-License-Identifier: MIT */
/*
 * The vDSO: a small ELF image (vdso/) that the kernel half maps into every program, with a page of
 * data in front of it.
 */
#ifndef LINUX_VDSO_H
#define LINUX_VDSO_H

#include "base/types.h"

struct process;

/* The image, embedded at build time. */
extern const unsigned char vdso_image[];
extern const u64 vdso_image_size;

/* Offset of the code that calls a signal handler and then rt_sigreturn. */
#define VDSO_SIGNAL_TRAMPOLINE 0x1004

/* Map it and set process->vdso. Return: 0 or a negative errno. */
int vdso_map(struct process *process);

/* Tell the guest's clock the difference between the host's clocks, if it has changed. */
void vdso_update_clock(struct process *process);

#endif
