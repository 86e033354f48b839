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

/* Map it and set process->vdso and process->vdso_data. Return: 0 or a negative errno. */
int vdso_map(struct process *process);

/* Tell the guest's clock the difference between the host's clocks, if it has changed. */
void vdso_update_clock(struct process *process);

/*
 * The guest has moved or unmapped memory, which may have been the vDSO: signals are delivered where
 * it is now, or by code on the stack (Linux: vdso_mremap(), arch_unmap()).
 */
void vdso_moved(struct process *process, u64 from, u64 to, u64 length);
void vdso_unmapped(struct process *process, u64 start, u64 length);

#endif
