/* SPDX-License-Identifier: MIT */
/*
 * Host system calls for x86-64; see host_syscall.h.
 *
 * Between host_syscall_window_start and host_syscall_window_end the interrupt word has been looked
 * at, or is about to be, and the call has not been made. A signal handler that finds the thread
 * there moves it to host_syscall_interrupted.
 */
	.text

	/* s64 host_syscall(number, a, b, c, d, e, f) */
	.globl	host_syscall
	.hidden	host_syscall
	.type	host_syscall, @function
host_syscall:
	.cfi_startproc
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	ret
	.cfi_endproc
	.size	host_syscall, . - host_syscall

	/* s64 host_syscall_interruptible(interrupt, number, a, b, c, d, e, f) */
	.globl	host_syscall_interruptible
	.hidden	host_syscall_interruptible
	.type	host_syscall_interruptible, @function
host_syscall_interruptible:
	.cfi_startproc
	movq	%rdi, %r11
	movq	%rsi, %rax
	movq	%rdx, %rdi
	movq	%rcx, %rsi
	movq	%r8, %rdx
	movq	%r9, %r10
	movq	8(%rsp), %r8
	movq	16(%rsp), %r9
	.globl	host_syscall_window_start
	.hidden	host_syscall_window_start
host_syscall_window_start:
	cmpl	$0, (%r11)
	jne	host_syscall_interrupted
	syscall
	.globl	host_syscall_window_end
	.hidden	host_syscall_window_end
host_syscall_window_end:
	ret
	.globl	host_syscall_interrupted
	.hidden	host_syscall_interrupted
host_syscall_interrupted:
	movq	$-4, %rax /* EINTR */
	ret
	.cfi_endproc
	.size	host_syscall_interruptible, . - host_syscall_interruptible

	/* Where handlers installed without the C library return to. */
	.globl	host_signal_restorer
	.hidden	host_signal_restorer
	.type	host_signal_restorer, @function
host_signal_restorer:
	movl	$15, %eax /* rt_sigreturn */
	syscall
	.size	host_signal_restorer, . - host_signal_restorer

	.section .note.GNU-stack, "", @progbits
