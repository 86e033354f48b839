/* SPDX-License-Identifier: MIT */
/*
 * Turns blocks of src/isa/sem/ into functions from which stencils.py makes stencils. For the
 * stencil_*.c files only; they are compiled to assembly text.
 *
 * Operands are addresses of symbols that do not exist: the compiler folds them into addresses and
 * immediates, and stencils.py gives them the values HOLE_*.
 */
#ifndef ENGINE_JIT_STENCIL_SOURCE_H
#define ENGINE_JIT_STENCIL_SOURCE_H

/* Where a faulting access goes on is told to stencils.py. */
#define EX_TABLE(from, to) "\n# FAULT " to "\n"
/* Operands are as wide as addresses. */
#define SEM_OPERAND_TYPE u64
#define SEM_STENCIL

/* A rotate by a constant: stencils.py makes a hole of one byte of it. */
#define ROTATE_NUMBER(insn, x, n)                                                                  \
	({                                                                                         \
		__typeof__((x) + 0) rotated_ = (x);                                                \
		asm(insn " %1, %0" : "+r"(rotated_) : "i"(n) : "cc");                              \
		rotated_;                                                                          \
	})
#define ROTL64_NUMBER(x, n) ROTATE_NUMBER("rolq", x, n)
#define ROTL32_NUMBER(x, n) ROTATE_NUMBER("roll", x, n)

#include "engine/op.h"
#include "isa/sem.h"

#define STENCIL_PARAMETERS                                                                         \
	struct cpu *cpu, u64 p0, u64 p1, u64 p2, u64 p3, u64 p4, u64 scratch0, u64 scratch1,       \
		u64 p5, u64 p6, u64 p7
/* What is in the scratch registers does not matter. */
#define STENCIL_ARGUMENTS cpu, p0, p1, p2, p3, p4, any0, any1, p5, p6, p7

#define STENCIL(name) PRESERVE_NONE enum cpu_exit st_##name(STENCIL_PARAMETERS)

PRESERVE_NONE enum cpu_exit stencil_next(STENCIL_PARAMETERS);
PRESERVE_NONE enum cpu_exit stencil_taken(STENCIL_PARAMETERS);
PRESERVE_NONE enum cpu_exit stencil_jump(STENCIL_PARAMETERS);
PRESERVE_NONE enum cpu_exit stencil_leave(STENCIL_PARAMETERS);
PRESERVE_NONE enum cpu_exit stencil_leave2(STENCIL_PARAMETERS);

/* Weak, because the address of any other symbol is known not to be 0, and a number may be. */
#define HOLE_SYMBOL(name) extern const char name[] __attribute__((weak))
HOLE_SYMBOL(HOLE_T);
HOLE_SYMBOL(HOLE_A);
HOLE_SYMBOL(HOLE_B);
HOLE_SYMBOL(HOLE_C);
HOLE_SYMBOL(HOLE_I);
HOLE_SYMBOL(HOLE_T2);
HOLE_SYMBOL(HOLE_A2);
HOLE_SYMBOL(HOLE_B2);
HOLE_SYMBOL(HOLE_C2);
HOLE_SYMBOL(HOLE_I2);

#define HOLE(name) ((u64)(uintptr_t)(name))

#ifdef STENCIL_WIDE
/* An immediate that may need all of its 64 bits. */
#define STENCIL_IMMEDIATE(hole)                                                                    \
	({                                                                                         \
		u64 wide_;                                                                         \
		asm("movabsq $" #hole ", %0" : "=r"(wide_));                                       \
		(s64) wide_;                                                                       \
	})
#else
#define STENCIL_IMMEDIATE(hole) ((s64)HOLE(hole))
#endif

#define STENCIL_ADDRESS(hole)                                                                      \
	({                                                                                         \
		u64 address_;                                                                      \
		asm("movabsq $" #hole ", %0" : "=r"(address_));                                    \
		address_;                                                                          \
	})

#define STENCIL_FIRST                                                                              \
	cpu, cpu, HOLE(HOLE_T), HOLE(HOLE_A), HOLE(HOLE_B), HOLE(HOLE_C),                          \
		STENCIL_IMMEDIATE(HOLE_I), STENCIL_ADDRESS(HOLE_ADDRESS), &out
#define STENCIL_SECOND                                                                             \
	cpu, cpu, HOLE(HOLE_T2), HOLE(HOLE_A2), HOLE(HOLE_B2), HOLE(HOLE_C2),                      \
		STENCIL_IMMEDIATE(HOLE_I2), STENCIL_ADDRESS(HOLE_ADDRESS2), &out

#define SEM_TEXT(name) static ALWAYS_INLINE UNUSED void sem_##name(SEM_PARAMETERS)

#ifdef STENCIL_PAIRS
#define SEM(name)	   SEM_TEXT(name)
#define SEM_BRANCH(name)   SEM_TEXT(name)
#define SEM_INDIRECT(name) SEM_TEXT(name)
#else

/* finish: what a block that did not leave may do instead of going on. */
#define SEM_STENCIL_OF(name, finish)                                                               \
	SEM_TEXT(name);                                                                            \
	STENCIL(name)                                                                              \
	{                                                                                          \
		struct sem_out out = {0};                                                          \
		u64 any0, any1;                                                                    \
                                                                                                   \
		sem_##name(STENCIL_FIRST);                                                         \
		if (unlikely(out.exit))                                                            \
			MUSTTAIL return stencil_leave(STENCIL_ARGUMENTS);                          \
		finish                                                                             \
		MUSTTAIL return stencil_next(STENCIL_ARGUMENTS);                                   \
	}                                                                                          \
	SEM_TEXT(name)

#define SEM(name) SEM_STENCIL_OF(name, )
#define SEM_BRANCH(name)                                                                           \
	SEM_STENCIL_OF(name,                                                                       \
		       if (out.taken) MUSTTAIL return stencil_taken(STENCIL_ARGUMENTS);)
#define SEM_INDIRECT(name)                                                                         \
	SEM_STENCIL_OF(name, if (out.taken) {                                                      \
		cpu->pc = out.target;                                                              \
		MUSTTAIL return stencil_jump(STENCIL_ARGUMENTS);                                   \
	})

#endif /* STENCIL_PAIRS */

#endif
