/* SPDX-License-Identifier: MIT */
/*
 * Assembly tests: what an instruction does, with the expected registers beside it.
 *
 *	TEST(name)
 *		li	4, 5
 *		li	5, 0
 *		divwo.	3, 4, 5
 *		/*= r3 = 0, cr0 = 0b0011, xer = 0xc0000000 * /	(without the blank)
 *	END
 *
 * A test starts with all registers 0 but r1 (a stack), r13 (reserved: must not be written) and
 * r31, the address of 1024 bytes of memory aligned to 4096, which hold 0, 1, 2, ... 255, 0, ....
 * Checked are those registers that a comment of the form above names: r0, f0 (doubleword 0 of
 * vs0), vs0 and v0 (128 bits), cr, cr0 to cr7, xer, lr, ctr, tar, fpscr, vscr, vrsave; "mem+8"
 * is the doubleword there. "signal = SIGBUS" says that the test does not survive.
 *
 * tests/isa/asm.py assembles and runs them.
 */
#ifndef ASMTEST_H
#define ASMTEST_H

	.abiversion 2
	.machine power8
	.text

#define TEST(name)                                                                                 \
	.pushsection tests, "a";                                                                  \
	.quad test_##name;                                                                         \
	.popsection;                                                                               \
	test_##name : ld 3, 8 * 35(13);                                                            \
	mtctr 3;                                                                                   \
	ld 3, 8 * 3(13);

#define END b leave_a

/* A 64-bit constant. */
.macro LOAD64 register, value
	lis	\register, (\value)@highest
	ori	\register, \register, (\value)@higher
	sldi	\register, \register, 32
	oris	\register, \register, (\value)@high
	ori	\register, \register, (\value)@l
.endm

/* The same for a floating-point register; r12 is lost. */
.macro LOADF register, value
	LOAD64	12, \value
	mtvsrd	\register, 12
.endm

/* A vector-scalar register from its two doublewords; r12 and vs63 are lost. */
.macro LOADV register, high, low
	LOAD64	12, \high
	mtvsrd	\register, 12
	LOAD64	12, \low
	mtvsrd	63, 12
	xxmrghd	\register, \register, 63
.endm

/* FPSCR := value; f31 and r12 are lost. */
.macro LOADFPSCR value
	LOADF	31, \value
	mtfsf	255, 31, 1, 0
.endm

#endif
