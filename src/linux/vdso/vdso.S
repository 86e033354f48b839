/* SPDX-License-Identifier: MIT */
/*
 * The vDSO of ppc64le guests. Functions and versions are those of Linux (Documentation: vdso(7));
 * their convention is that of a system call: r3 is a value or a positive errno, told apart by
 * CR0[SO]. Time is computed from the timebase (512 ticks a microsecond, which is how powertm
 * derives it from the monotonic clock) and one word of the data page, which lies in front of this
 * image; so reading the clock works in a transaction, as on hardware.
 */
	.machine power8
	.abiversion 2

#define CLOCK_REALTIME		0
#define CLOCK_MONOTONIC		1
#define NR_gettimeofday		78
#define NR_rt_sigreturn		172
#define NR_clock_gettime	246
#define NR_clock_getres		247
#define NR_time			13
#define NR_getcpu		302

#define DATA_FROM_TEXT		-0x2000	/* from the page of the code to the data page */
#define DATA_REALTIME		0	/* u64: nanoseconds from monotonic to real time */
#define TIMEBASE_HZ		512000000
#define NS_PER_S		1000000000

/* --- signal trampoline ----------------------------------------------------------------------- */

/*
 * Delivery starts here with the handler in CTR and r1 at the dummy frame. Unwinders find the
 * interrupted registers in the frame above it: gp_regs at r1 + 360, fp_regs at r1 + 744
 * (signal_frame.h). Vector registers are not described.
 */
	.section .text.sigtramp, "ax", @progbits

	/* reg: DWARF number, 0 <= offset < 8192: register saved at r1 + offset */
	.macro	saved reg, offset
	.cfi_escape 0x10, \reg, 3, 0x71, ((\offset) & 0x7f) | 0x80, (\offset) >> 7
	.endm

	.cfi_startproc
	.cfi_signal_frame
	.cfi_return_column 67
	/* CFA: the interrupted r1 */
	.cfi_escape 0x0f, 4, 0x71, (368 & 0x7f) | 0x80, 368 >> 7, 0x06
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	saved	\n, 360 + 8 * \n
	saved	32 + \n, 744 + 8 * \n
	.endr
	saved	67, 360 + 8 * 32	/* return column: NIP */
	saved	66, 360 + 8 * 35	/* CTR */
	saved	65, 360 + 8 * 36	/* LR */
	saved	70, 360 + 8 * 38	/* CR */
	nop
	.globl	__kernel_start_sigtramp_rt64
	.type	__kernel_start_sigtramp_rt64, @function
__kernel_start_sigtramp_rt64:
	bctrl
	.globl	__kernel_sigtramp_rt64
	.type	__kernel_sigtramp_rt64, @function
__kernel_sigtramp_rt64:
	addi	%r1, %r1, 128
	li	%r0, NR_rt_sigreturn
	sc
	.cfi_endproc
	.size	__kernel_start_sigtramp_rt64, . - __kernel_start_sigtramp_rt64
	.size	__kernel_sigtramp_rt64, . - __kernel_sigtramp_rt64

/* --- time ------------------------------------------------------------------------------------ */

	.text

	.macro	function name
	.globl	\name
	.type	\name, @function
	.balign	16
\name:
	.cfi_startproc
	.endm

	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* Return 0, and no error. */
	.macro	success
	li	%r3, 0
	crclr	3
	blr
	.endm

	/*
	 * r5 := seconds, r6 := nanoseconds of the monotonic clock, or with the word of the data
	 * page of the real one. Uses r7 to r10, CR1, and LR, which goes through r12.
	 */
	.macro	read_clock
	mfspr	%r5, 268
	lis	%r7, TIMEBASE_HZ@h
	ori	%r7, %r7, TIMEBASE_HZ@l
	divdu	%r6, %r5, %r7
	mulld	%r8, %r6, %r7
	subf	%r8, %r8, %r5
	mulli	%r8, %r8, 125
	srdi	%r8, %r8, 6
	mr	%r5, %r6
	mr	%r6, %r8
	.endm

	/* Add the offset of the real clock, 0 <= offset. */
	.macro	to_realtime
	mflr	%r12
	.cfi_register 65, 12
	bcl	20, 31, 1f
1:	mflr	%r9
	mtlr	%r12
	.cfi_restore 65
	clrrdi	%r9, %r9, 12
	ld	%r9, DATA_FROM_TEXT + DATA_REALTIME(%r9)
	lis	%r7, NS_PER_S@h
	ori	%r7, %r7, NS_PER_S@l
	add	%r6, %r6, %r9
	divdu	%r9, %r6, %r7
	mulld	%r10, %r9, %r7
	subf	%r6, %r10, %r6
	add	%r5, %r5, %r9
	.endm

function __kernel_clock_gettime
	cmpwi	%cr1, %r3, CLOCK_MONOTONIC
	cmplwi	%cr0, %r3, CLOCK_REALTIME
	bne	%cr1, 2f
	read_clock
	b	4f
2:	bne	%cr0, 3f
	read_clock
	to_realtime
4:	std	%r5, 0(%r4)
	std	%r6, 8(%r4)
	success
3:	li	%r0, NR_clock_gettime
	sc
	blr
end __kernel_clock_gettime

function __kernel_gettimeofday
	cmpldi	%cr0, %r4, 0
	cmpldi	%cr1, %r3, 0
	bne	%cr0, 3f
	beq	%cr1, 2f
	read_clock
	to_realtime
	li	%r7, 1000
	divdu	%r6, %r6, %r7
	std	%r5, 0(%r3)
	std	%r6, 8(%r3)
2:	success
3:	li	%r0, NR_gettimeofday	/* with a time zone */
	sc
	blr
end __kernel_gettimeofday

function __kernel_time
	mr	%r4, %r3
	read_clock
	to_realtime
	cmpldi	%cr0, %r4, 0
	beq	1f
	std	%r5, 0(%r4)
1:	mr	%r3, %r5
	crclr	3
	blr
end __kernel_time

function __kernel_clock_getres
	li	%r0, NR_clock_getres
	sc
	blr
end __kernel_clock_getres

/* --- others ---------------------------------------------------------------------------------- */

function __kernel_getcpu
	li	%r0, NR_getcpu
	sc
	blr
end __kernel_getcpu

function __kernel_get_tbfreq
	lis	%r3, TIMEBASE_HZ@h
	ori	%r3, %r3, TIMEBASE_HZ@l
	crclr	3
	blr
end __kernel_get_tbfreq

/* (start, end): the instruction cache snoops, as HWCAP says. */
function __kernel_sync_dicache
	sync
	icbi	0, %r3
	isync
	success
end __kernel_sync_dicache

	.section .note.GNU-stack, "", @progbits
