/* SPDX-License-Identifier: MIT */
/*
 * Layout shared by isatest's C and assembly and by the driver, tests/isa/difftest/guest.py.
 *
 * A register state is an array of 64-bit slots:
 *
 *	0..31	GPR			36	FPSCR
 *	32	CR			37	VRSAVE
 *	33	XER			38	VSCR (39 pads it to a quadword)
 *	34	LR			40	TAR
 *	35	CTR
 *	48 + 2n	doubleword 0 of VSR n	49 + 2n	doubleword 1
 */
#ifndef ISATEST_H
#define ISATEST_H

#define SLOT_CR	    32
#define SLOT_XER    33
#define SLOT_LR	    34
#define SLOT_CTR    35
#define SLOT_FPSCR  36
#define SLOT_VRSAVE 37
#define SLOT_VSCR   38
#define SLOT_TAR    40
#define SLOT_VSR    48
#define SLOTS	    176

/*
 * The register that holds the address of the machine (below) while a case runs. A case must not
 * write it; there are two so that every register can be an operand.
 */
#define HOLDER_A 13
#define HOLDER_B 30

/* Offsets into the one object that a holder points to: struct machine in isatest.c. */
#define MACHINE_IN   0
#define MACHINE_OUT  (8 * SLOTS)
#define MACHINE_SAVE (16 * SLOTS)
#define MACHINE_DUMP (MACHINE_SAVE + 256) /* scratch for stdcx. that drops the reservation */

#define MEMORY_BYTES 512

/* What precedes the words of a case in memory; see prologue in isatest.c. */
#define PROLOGUE_WORDS 3

/* ucontext_t.uc_mcontext.gp_regs[PT_NIP] of ppc64 Linux. */
#define SIGNAL_NIP 488

#endif
