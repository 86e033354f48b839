/* SPDX-License-Identifier: MIT */
/*
 * Transactional memory as Linux manages it:
 * arch/powerpc/kernel/{process,tm,traps,syscall,signal_64}.c of 6.1, with the choices that it made
 * at other times.
 *
 * The machine's facility is src/tm/. Here is when a thread may use it (MSR[TM], lazily), what a
 * context switch moves, and what makes the kernel fail a transaction. struct task's tm is what
 * Linux keeps in thread_struct.
 *
 * All functions are for the host thread that drives the task, OUT of the gate.
 */
#ifndef LINUX_TM_H
#define LINUX_TM_H

#include "linux/task.h"

/*
 * Failure codes of the kernel: arch/powerpc/include/uapi/asm/tm.h. The lowest bit says that trying
 * again is of no use.
 */
#define TM_CAUSE_PERSISTENT 0x01
#define TM_CAUSE_EMULATE    0xd0
#define TM_CAUSE_ALIGNMENT  0xd2
#define TM_CAUSE_SIGNAL	    0xd4
#define TM_CAUSE_SYSCALL    0xd8
#define TM_CAUSE_FAC_UNAV   0xda
#define TM_CAUSE_TLBI	    0xdc
#define TM_CAUSE_RESCHED    0xde

/* Bits of AT_HWCAP2 under a policy. */
u64 tm_hwcap2(const struct tm_policy *policy);

/* Is the tabort. that the C library has before a system call to be removed? */
bool tm_removes_taborts(const struct tm_policy *policy);

/* A program starts: no transaction, SPRs 0, MSR[TM] as the policy has it. CVE-2016-5828. */
void tm_start_thread(struct task *task);

/*
 * Facility unavailable interrupt for TM: switches it on, and the instruction is executed again.
 * Return: false if there is no TM: SIGILL.
 */
bool tm_unavailable(struct task *task);

/* FP, VMX or VSX unavailable in T or S: the transaction fails (0xda), and they are on afterwards.
 */
void tm_fp_unavailable(struct task *task, enum cpu_facility facility);

/* The hooks of the context switch: after FP and VMX were given up; after registers were loaded. */
void tm_switch_out(struct task *task);
void tm_switch_in(struct task *task);

/*
 * What fork and clone do to the parent: its transaction, if any, fails (0xde). Afterwards
 * task->tm and task->fp hold what the child gets a copy of.
 */
void tm_flush(struct task *task);

/*
 * Take a transaction from the CPU: registers of FP and VMX are given up, the live general registers
 * stay, the checkpoint goes to task->tm, the state becomes N. Return: MSR[TS] before; 0 if there
 * was none, and then nothing has happened.
 */
u64 tm_reclaim_task(struct task *task, u8 code);
/* Give it back, doomed, in state MSR_TS_T or MSR_TS_S. */
void tm_recheckpoint_task(struct task *task, u64 state);

/*
 * A signal handler is about to be entered: a transaction is taken from the CPU as
 * tm_reclaim_task() does (0xd4). If in T an earlier conflict comes to light, then that is what has
 * happened: the task is in N at the abort handler, and 0 the answer. get_tm_stackpointer().
 */
u64 tm_reclaim_for_signal(struct task *task);

/*
 * What sigreturn starts and ends with, restore_tm_sigcontexts(). tm_discard() drops a transaction
 * that the handler has suspended. tm_resume_from_signal() resumes one, always doomed, in state
 * MSR_TS_T or MSR_TS_S, with what is in task->tm.checkpoint: its abort handler is at @tfhar, and TM
 * is on, whatever the program has made of the frame (044215d145a7).
 */
void tm_discard(struct task *task);
void tm_resume_from_signal(struct task *task, u64 state, u64 tfhar);

/* May a program put itself into a transaction by a signal frame? CVE-2019-13648. */
bool tm_is_available(const struct task *task);
bool tm_may_suspend(const struct task *task);

/* The checkpointed general registers, and back; there is no MSR among them. */
struct task_regs tm_checkpointed_regs(const struct task *task);
void tm_set_checkpointed_regs(struct task *task, const struct task_regs *regs);

/*
 * What a return to user mode does if FP or VMX were given up in a transaction: restore_tm_state().
 * task->tm.restore is set.
 */
void tm_restore_math(struct task *task);

/* Is a system call refused because a transaction is active? It has failed then (0xd9). */
bool tm_refuse_syscall(struct task *task);

/*
 * The kernel cannot do this for a thread in T: fails it with a code. False if not in T. (There is
 * no TM_CAUSE_EMULATE: POWER8 has the string instructions that Linux would emulate.)
 */
bool tm_abort_task(struct task *task, u8 code);

/*
 * A slice is over, or another task is to run: may this one go on because it is in T? For a bounded
 * time; it comes back as soon as it leaves T.
 */
bool tm_defer_switch(struct task *task);

#endif
