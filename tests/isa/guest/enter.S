/* SPDX-License-Identifier: MIT */
/*
 * Loads a whole register state, runs a case, stores the state again.
 *
 *	void enter_a(struct machine *machine, const void *code);
 *	void enter_b(struct machine *machine, const void *code);
 *
 * The case begins with a prologue that loads CTR and r3 through the holder, and ends with a
 * branch to leave_a or leave_b. Nothing in the machine but the holder is reserved.
 */
#include "isatest.h"

#define FROM_14 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define FROM_4  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, FROM_14
#define FROM_32 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, \
		48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63

	.abiversion 2
	.machine power8

	.globl _start
	.type _start, @function
_start:
	lis	2, .TOC.@ha
	addi	2, 2, .TOC.@l
	clrrdi	1, 1, 4
	li	0, 0
	stdu	0, -64(1)
	bl	isatest_main
	li	0, 1		/* exit */
	sc
	.size _start, . - _start

/* long system_call(long number, long a, long b, long c, long d, long e, long f) */
	.globl system_call
	.type system_call, @function
system_call:
	mr	0, 3
	mr	3, 4
	mr	4, 5
	mr	5, 6
	mr	6, 7
	mr	7, 8
	mr	8, 9
	sc
	bnslr
	neg	3, 3
	blr
	.size system_call, . - system_call

.macro ENTER name, holder
	.globl enter_\name
	.type enter_\name, @function
enter_\name:
	mflr	0
	std	0, MACHINE_SAVE + 0(3)
	mfcr	0
	std	0, MACHINE_SAVE + 8(3)
	std	1, MACHINE_SAVE + 16(3)
	std	2, MACHINE_SAVE + 24(3)
	std	13, MACHINE_SAVE + 32(3)
	.irp	n, FROM_14
	std	\n, MACHINE_SAVE + 40 + 8 * (\n - 14)(3)
	.endr
	mr	\holder, 3

	/* Drop whatever reservation an earlier case left. */
	addi	5, \holder, MACHINE_DUMP
	ldarx	6, 0, 5
	stdcx.	6, 0, 5

	lfd	0, MACHINE_IN + 8 * SLOT_FPSCR(\holder)
	mtfsf	255, 0, 1, 0
	addi	5, \holder, MACHINE_IN + 8 * SLOT_VSCR
	lvx	0, 0, 5
	mtvscr	0
	.irp	n, 0, 1, 2, 3, FROM_4, FROM_32
	addi	5, \holder, MACHINE_IN + 8 * SLOT_VSR + 16 * \n
	lxvd2x	\n, 0, 5
	.endr

	lwz	5, MACHINE_IN + 8 * SLOT_VRSAVE(\holder)
	mtspr	256, 5
	ld	5, MACHINE_IN + 8 * SLOT_TAR(\holder)
	mtspr	815, 5
	ld	5, MACHINE_IN + 8 * SLOT_XER(\holder)
	mtxer	5
	ld	5, MACHINE_IN + 8 * SLOT_CR(\holder)
	mtcr	5
	ld	5, MACHINE_IN + 8 * SLOT_LR(\holder)
	mtlr	5
	mtctr	4
	.irp	n, 0, 1, 2, FROM_4
	.if	\n != \holder
	ld	\n, MACHINE_IN + 8 * \n(\holder)
	.endif
	.endr
	bctr

	.globl leave_\name
leave_\name:
	.irp	n, 0, 1, 2, 3, FROM_4
	std	\n, MACHINE_OUT + 8 * \n(\holder)
	.endr
	mfctr	5
	std	5, MACHINE_OUT + 8 * SLOT_CTR(\holder)
	mflr	5
	std	5, MACHINE_OUT + 8 * SLOT_LR(\holder)
	mfcr	5
	std	5, MACHINE_OUT + 8 * SLOT_CR(\holder)
	mfxer	5
	std	5, MACHINE_OUT + 8 * SLOT_XER(\holder)
	mfspr	5, 256
	std	5, MACHINE_OUT + 8 * SLOT_VRSAVE(\holder)
	mfspr	5, 815
	std	5, MACHINE_OUT + 8 * SLOT_TAR(\holder)
	.irp	n, 0, 1, 2, 3, FROM_4, FROM_32
	addi	5, \holder, MACHINE_OUT + 8 * SLOT_VSR + 16 * \n
	stxvd2x	\n, 0, 5
	.endr
	mfvscr	0
	addi	5, \holder, MACHINE_OUT + 8 * SLOT_VSCR
	stvx	0, 0, 5
	mffs	0
	stfd	0, MACHINE_OUT + 8 * SLOT_FPSCR(\holder)

	mr	3, \holder
	ld	0, MACHINE_SAVE + 0(3)
	mtlr	0
	ld	0, MACHINE_SAVE + 8(3)
	mtcr	0
	ld	1, MACHINE_SAVE + 16(3)
	ld	2, MACHINE_SAVE + 24(3)
	.irp	n, FROM_14
	ld	\n, MACHINE_SAVE + 40 + 8 * (\n - 14)(3)
	.endr
	ld	13, MACHINE_SAVE + 32(3)
	blr
	.size enter_\name, . - enter_\name
.endm

	ENTER	a, HOLDER_A
	ENTER	b, HOLDER_B

	/* An enabled floating-point exception: step over the instruction. See isatest.c. */
	.globl skip_handler
	.type skip_handler, @function
skip_handler:
	ld	6, SIGNAL_NIP(5)
	addi	6, 6, 4
	std	6, SIGNAL_NIP(5)
	blr
	.size skip_handler, . - skip_handler

	.section .note.GNU-stack, "", @progbits
