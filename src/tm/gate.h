/* SPDX-License-Identifier: MIT */
/*
 * The gate: stopping every CPU of a guest address space at a safepoint, for a moment.
 *
 * A CPU is either OUT (in the kernel half, parked, without a task) or RUN. Only in RUN may its host
 * thread touch guest memory. Whoever wants to change memory or code as if by magic (a transaction
 * that commits, a piece of code that is dropped) takes the gate and waits until every other CPU is
 * OUT; a CPU that is OUT cannot enter while somebody holds the gate.
 *
 *	host thread of a CPU			stopper
 *	gate_enter	where = RUN, then	gate_stop	word = me, then
 *			is the gate free?			is every where OUT?
 *
 * Both sides write first and read afterwards, sequentially consistent, so they cannot miss each
 * other. A stop request (POLL_STOP in the poll word of a CPU) is only a hint to come to a safepoint
 * soon; what counts are the two words.
 *
 * Rules for those who are in RUN:
 *  - nothing in RUN may block, sleep or take long: system calls, locks that others hold while they
 *    wait for the gate, page-fault handling are done OUT;
 *  - a CPU in RUN comes to a safepoint (leaves, or calls gate_safepoint()) within microseconds;
 *  - a wait for the gate is always done OUT. Every wait is bounded, by a time limit or by the
 *    bounded work of the holder: there is no cycle;
 *  - who holds the gate takes no lock, so the gate comes last in every order of locks: locks may be
 *    held while one waits to enter, to lock or to freeze (those of a process before a fork, mm->lock
 *    while code is dropped).
 *
 * The protocol was model-checked before it was written; each comment "C1" and so on in gate.c names
 * a counterexample that a weaker version has (docs/tm.md).
 */
#ifndef TM_GATE_H
#define TM_GATE_H

#include "arch/cpu.h"

#define GATE_MAX_CPUS 1024

struct gate;

/* How gate_stop() ended; to be handed to gate_release(). */
enum gate_hold {
	GATE_FAILED, /* somebody did not come to a safepoint in time; nothing is held */
	GATE_SOLO,   /* held, and this is the only CPU: there was nobody to wait for */
	GATE_HELD,
	GATE_HELD_OUT, /* held, and the caller was moved OUT while it waited; release enters again
			*/
};

/* NULL if memory is short. */
struct gate *gate_create(void);
void gate_destroy(struct gate *gate);

/* Give a CPU a place in the gate, OUT. -EAGAIN if there are too many. Any thread. */
int gate_attach(struct gate *gate, struct cpu *cpu);
/* Take it away again; the CPU is OUT, or its host thread is dead. Waits for the gate. Any thread.
 */
void gate_detach(struct gate *gate, struct cpu *cpu);

/* OUT -> RUN, after waiting for whoever holds the gate. By the CPU's host thread. */
void gate_enter(struct gate *gate, struct cpu *cpu);
/* RUN -> OUT. */
void gate_leave(struct gate *gate, struct cpu *cpu);
/* In RUN, when POLL_STOP is set: let a stopper pass. */
void gate_safepoint(struct gate *gate, struct cpu *cpu);

/* Is there only one CPU in the gate? In RUN. */
bool gate_is_solo(const struct gate *gate);

/* Call a function for each CPU in the gate. With all others stopped. */
void gate_for_each_cpu(struct gate *gate, void (*function)(void *context, struct cpu *cpu),
		       void *context);

/**
 * gate_stop - stop all other CPUs
 * @gate: of the address space
 * @cpu: the caller's, in RUN
 *
 * Waits at most some 20 ms for another holder, in which the caller is OUT, and at most 5 ms for the
 * other CPUs. Until gate_release() no other CPU touches guest memory.
 */
enum gate_hold gate_stop(struct gate *gate, struct cpu *cpu);
void gate_release(struct gate *gate, struct cpu *cpu, enum gate_hold hold);

/**
 * gate_lock - keep stoppers away without stopping anybody
 * @gate: of the address space
 * @cpu: the caller's, OUT
 *
 * For host calls that take pages away (munmap, mprotect, fork): a CPU that would have to stop may
 * be waiting for exactly such a call, so these must not wait for anybody. Nobody can enter until
 * gate_unlock().
 */
void gate_lock(struct gate *gate, struct cpu *cpu);
void gate_unlock(struct gate *gate, struct cpu *cpu);

/*
 * gate_freeze - as gate_stop(), for a caller that is OUT and will not take no for an answer: waits
 * until all others are OUT, however long that takes. It lets go of the gate now and then: a CPU that
 * waits for a page (userfaultfd) may need another one to go on. For code invalidation and fork.
 */
enum gate_hold gate_freeze(struct gate *gate, struct cpu *cpu);
void gate_thaw(struct gate *gate, struct cpu *cpu, enum gate_hold hold);

/* After fork, in the child: every CPU but the caller's is gone, nobody holds the gate. */
void gate_after_fork(struct gate *gate, struct cpu *cpu);

#endif
