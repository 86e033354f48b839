/* SPDX-License-Identifier: MIT */
/*
 * Turns blocks of src/isa/sem/ into handlers of the interpreter. For the interp_*.c files only:
 *
 *	#define SEM_GATE_MSR MSR_FP		(optional: facility that all blocks of the file need)
 *	#define SEM_GATE_FACILITY FACILITY_FP
 *	#include "engine/interp.h"
 *	#include "isa/sem/fp.inc"
 *
 * Counting instructions: in straight-line code the address of the op counts by itself. acc is
 * kept such that (address of the op about to run + acc) / sizeof(struct op) is the number of
 * instructions completed; only a taken branch has to adjust it.
 */
#ifndef ENGINE_INTERP_H
#define ENGINE_INTERP_H

#include "engine/op.h"
#include "isa/sem.h"

/*
 * A file that defines SEM_TRANSACTIONAL makes the handlers for MSR[TS] other than 0 (op.h, enum
 * code_mode).
 */
#ifdef SEM_TRANSACTIONAL
#define HANDLER_NAME(name) tm_h_##name
#else
#define HANDLER_NAME(name) h_##name
#endif
#define HANDLER(name)                                                                              \
	PRESERVE_NONE enum cpu_exit HANDLER_NAME(name)(struct cpu *cpu, const struct op *op, s64 acc)

/* Slow ways out, interp.c. */
PRESERVE_NONE enum cpu_exit interp_leave(struct cpu *cpu, const struct op *op, s64 acc, u32 exit);
PRESERVE_NONE enum cpu_exit interp_leave_after(struct cpu *cpu, const struct op *op, s64 acc, u32 exit);
/* An op has become hot; cold: not inlined. */
void interp_hot(struct cpu *cpu, struct op *op);
/* Continue at cpu->pc, after the branch `op`. */
PRESERVE_NONE enum cpu_exit interp_jump(struct cpu *cpu, const struct op *op, s64 acc);
/* The same, but the mode of the code may have changed. */
PRESERVE_NONE enum cpu_exit interp_change_mode(struct cpu *cpu, const struct op *op, s64 acc);
PRESERVE_NONE enum cpu_exit interp_resolve(struct cpu *cpu, const struct op *op, s64 acc);

#define SEM_ARGUMENTS cpu, cpu, op->t, op->a, op->b, op->c, op->imm, op_pc(op), &out

#ifdef SEM_GATE_MSR
#define INTERP_GATE                                                                                \
	if (unlikely(!(cpu->msr & SEM_GATE_MSR))) {                                                \
		cpu->exit.facility = SEM_GATE_FACILITY;                                            \
		return interp_leave(cpu, op, acc, CPU_EXIT_FACILITY);                     \
	}
#else
#define INTERP_GATE
#endif

#define INTERP_EXITS                                                                               \
	if (unlikely(out.exit)) {                                                                  \
		if (out.after)                                                                     \
			return interp_leave_after(cpu, op, acc, out.exit);                \
		return interp_leave(cpu, op, acc, out.exit);                              \
	}

#define INTERP_NEXT                                                                                \
	op++;                                                                                      \
	MUSTTAIL return op->fn(cpu, op, acc)

/* At a safepoint: must somebody look? In a transaction the footprint is compared now and then. */
#ifdef SEM_TRANSACTIONAL
#define INTERP_JUMP_CACHE tm_jump_cache
#define INTERP_JUMP_CACHE_SIZE TM_JUMP_CACHE_SIZE
#define INTERP_COMPARE                                                                             \
	if (unlikely(!cpu->tm_countdown--) && tm_poll(cpu, op_pc(op)) != TM_OK)                    \
		return interp_leave(cpu, op, acc, CPU_EXIT_TM_FAILURE);
#else
#define INTERP_JUMP_CACHE jump_cache
#define INTERP_JUMP_CACHE_SIZE JUMP_CACHE_SIZE
#define INTERP_COMPARE
#endif

/* Count branches that may lead into a loop or a function. */
#ifdef SEM_TRANSACTIONAL
#define INTERP_HEAT(target, counts)
#else
#define INTERP_HEAT(target, counts)                                                                \
	if (counts) {                                                                              \
		u8 *heat_ = op_heat(target);                                                       \
                                                                                                   \
		if (unlikely(heat_up(heat_)))                                                      \
			interp_hot(cpu, (struct op *)(target));                                    \
	}
#endif

/* Go where a direct branch goes if it is taken; op->imm: see SEM_BRANCH. */
#define INTERP_BRANCH                                                                              \
	if (out.taken) {                                                                           \
		const struct op *target = (const struct op *)(uintptr_t)op->imm;                   \
                                                                                                   \
		INTERP_COMPARE                                                                     \
		if (unlikely(!target || cpu->poll))                                                \
			MUSTTAIL return interp_resolve(cpu, op, acc);                              \
		INTERP_HEAT(target, target <= op || op->word & 1)                                  \
		acc += (const char *)(op + 1) - (const char *)target;                              \
		op = target;                                                                       \
		MUSTTAIL return op->fn(cpu, op, acc);                                              \
	}

/* Go where an indirect branch goes if it is taken. */
#define INTERP_JUMP                                                                                \
	if (out.taken) {                                                                           \
		const struct jump_cache_entry *e =                                                 \
			&cpu->INTERP_JUMP_CACHE[out.target / 4 % INTERP_JUMP_CACHE_SIZE];          \
                                                                                                   \
		INTERP_COMPARE                                                                     \
		if (unlikely(e->pc != out.target || cpu->poll)) {                                  \
			cpu->pc = out.target;                                                      \
			MUSTTAIL return interp_jump(cpu, op, acc);                                 \
		}                                                                                  \
		INTERP_HEAT(e->op, true)                                                           \
		acc += (const char *)(op + 1) - (const char *)e->op;                               \
		op = e->op;                                                                        \
		MUSTTAIL return op->fn(cpu, op, acc);                                              \
	}

/* For a file that wants the blocks as functions only, and makes its own handlers of them. */
#ifdef INTERP_NO_HANDLERS
#define SEM(name)	   static ALWAYS_INLINE UNUSED void sem_##name(SEM_PARAMETERS)
#define SEM_BRANCH(name)   SEM(name)
#define SEM_INDIRECT(name) SEM(name)
#else

/* Falls through to the next instruction. */
#define SEM(name)                                                                                  \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS);                                      \
	HANDLER(name);                                                                             \
	HANDLER(name)                                                                              \
	{                                                                                          \
		struct sem_out out = {0};                                                          \
                                                                                                   \
		INTERP_GATE                                                                        \
		sem_##name(SEM_ARGUMENTS);                                                         \
		INTERP_EXITS                                                                       \
		INTERP_NEXT;                                                                       \
	}                                                                                          \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS)

/*
 * Direct branch. op->imm is 0 until the branch is taken for the first time, then the target op.
 * A taken branch is a safepoint.
 */
#define SEM_BRANCH(name)                                                                           \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS);                                      \
	HANDLER(name);                                                                             \
	HANDLER(name)                                                                              \
	{                                                                                          \
		struct sem_out out = {0};                                                          \
                                                                                                   \
		sem_##name(SEM_ARGUMENTS);                                                         \
		INTERP_EXITS                                                                       \
		INTERP_BRANCH                                                                      \
		INTERP_NEXT;                                                                       \
	}                                                                                          \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS)

/* Branch to an address in a register. Also a safepoint. */
#define SEM_INDIRECT(name)                                                                         \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS);                                      \
	HANDLER(name);                                                                             \
	HANDLER(name)                                                                              \
	{                                                                                          \
		struct sem_out out = {0};                                                          \
                                                                                                   \
		sem_##name(SEM_ARGUMENTS);                                                         \
		INTERP_EXITS                                                                       \
		INTERP_JUMP                                                                        \
		INTERP_NEXT;                                                                       \
	}                                                                                          \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS)

/*
 * May change MSR[TS]: TAKE() says that it went from 0 to something else or back. What follows is
 * then executed from code of the other mode.
 */
#define SEM_MODE(name)                                                                             \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS);                                      \
	HANDLER(name);                                                                             \
	HANDLER(name)                                                                              \
	{                                                                                          \
		struct sem_out out = {0};                                                          \
                                                                                                   \
		INTERP_GATE                                                                        \
		sem_##name(SEM_ARGUMENTS);                                                         \
		INTERP_EXITS                                                                       \
		if (out.taken) {                                                                   \
			cpu->pc = op_pc(op + 1);                                                   \
			MUSTTAIL return interp_change_mode(cpu, op, acc);                          \
		}                                                                                  \
		INTERP_NEXT;                                                                       \
	}                                                                                          \
	static ALWAYS_INLINE void sem_##name(SEM_PARAMETERS)

#endif /* INTERP_NO_HANDLERS */

#endif
