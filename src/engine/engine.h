/* SPDX-License-Identifier: MIT */
/*
 * The engine: runs a CPU until something happens that only its owner can handle.
 *
 * cpu_run() and cpu_step() are called by the one host thread that drives the CPU. At every return
 * the register file of the CPU is exact (docs/architecture.md, "precise state"): for a fault, pc
 * is the instruction that did not complete and no register of it has changed.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "arch/cpu.h"

/**
 * struct code_source - what the engine asks of whoever owns the guest's memory
 * @fetch: called before code in the 4 KiB page at @page is decoded for the first time since it
 *	was invalidated. Returns true if the page may be executed, and then arranges that
 *	code_invalidate() is called before any of its bytes can change; false makes the engine
 *	leave with CPU_EXIT_FAULT, ACCESS_FETCH. May leave the gate and enter it again meanwhile.
 * @changed: called when an icbi says that code has changed: to call code_invalidate() while no other
 *	CPU runs. NULL: the engine calls it by itself, there being no other CPU.
 */
struct code_source {
	bool (*fetch)(void *context, u64 page);
	void (*changed)(void *context, u64 address, u64 length);
};

/* Decoded code of one guest address space. NULL if memory is short. */
struct code_space *code_space_create(const struct code_source *source, void *context);
void code_space_destroy(struct code_space *code);

/**
 * code_invalidate - forget decoded instructions
 * @code: the address space
 * @address: first byte
 * @length: in bytes; may be huge
 *
 * No CPU that uses this code space may be inside cpu_run(), except the caller's own from a
 * handler that leaves right after.
 */
void code_invalidate(struct code_space *code, u64 address, u64 length);

/* In the child of a fork, before it runs: compiled code is still the parent's. */
void code_after_fork(struct code_space *code);

/* Set up a CPU in the state after reset: registers 0, 64-bit little-endian problem state. */
void cpu_init(struct cpu *cpu, struct code_space *code);

/* Run until something happens. Never returns CPU_EXIT_NONE or CPU_EXIT_CODE_CHANGE. */
enum cpu_exit cpu_run(struct cpu *cpu);

/* Execute one instruction: CPU_EXIT_STEP, or what prevented it. */
enum cpu_exit cpu_step(struct cpu *cpu);

/*
 * Ask a CPU to leave cpu_run() with CPU_EXIT_INTERRUPT soon. Any thread, also in a signal
 * handler. The owner clears the bits that it has dealt with.
 */
static inline void cpu_kick(struct cpu *cpu, u32 bits)
{
	__atomic_fetch_or(&cpu->poll, bits, __ATOMIC_SEQ_CST);
}

/* One-time set-up: instruction tables, host checks. */
void engine_init(void);

#endif
