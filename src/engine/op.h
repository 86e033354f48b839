/* SPDX-License-Identifier: MIT */
/*
 * Predecoded instructions: what the interpreter executes.
 *
 * Guest code is decoded in chunks of CHUNK_WORDS instructions, one struct op per instruction
 * word, so the op of an address is found by arithmetic. An op starts as "decode me" and becomes
 * what its word says when it is first executed. Chunks live as long as their code_space: branches
 * keep pointers to ops for good, and invalidating code only turns its ops back to "decode me".
 */
#ifndef ENGINE_OP_H
#define ENGINE_OP_H

#include "arch/cpu.h"

#define CHUNK_SHIFT 10 /* 1 KiB of guest code */
#define CHUNK_BYTES (1u << CHUNK_SHIFT)
#define CHUNK_WORDS (CHUNK_BYTES / 4)

#if defined(__clang__)
#define PRESERVE_NONE __attribute__((preserve_none))
#define MUSTTAIL      __attribute__((musttail))
#else
#error "powertm is compiled with clang 19 or newer (musttail and preserve_none)"
#endif

/*
 * A handler executes its op and tail-calls the handler of the next one; it returns only to leave
 * the interpreter. acc counts instructions: see interp.h.
 */
typedef enum cpu_exit PRESERVE_NONE op_fn(struct cpu *cpu, const struct op *op, s64 acc);

struct op {
	op_fn *fn;
	u16 t, a, b, c;
	s64 imm;   /* for branches, once taken: pointer to the target op */
	u32 word;  /* the instruction */
	u16 index; /* position in its chunk; CHUNK_WORDS for the one behind the last */
	u16 form;  /* enum form; 0 while not decoded */
};

_Static_assert(sizeof(struct op) == 32, "an op is half a cache line");

/* Guest code exists twice: as it runs outside of transactions, and inside (MSR[TS] not 0). */
enum code_mode { CODE_PLAIN, CODE_TRANSACTIONAL };

struct chunk {
	u64 base; /* guest address */
	enum code_mode mode;
	struct chunk *next_in_bucket;
	bool may_fetch; /* code_source.fetch() said yes since the last invalidation */
	u8 heat[CHUNK_WORDS]; /* how often an op was branched to, HEAT_* */
	struct op ops[CHUNK_WORDS + 1]; /* the last one continues in the following chunk */
};

static ALWAYS_INLINE struct chunk *op_chunk(const struct op *op)
{
	const struct op *first = op - op->index;

	return (struct chunk *)((char *)(uintptr_t)first - offsetof(struct chunk, ops));
}

static ALWAYS_INLINE enum code_mode cpu_code_mode(const struct cpu *cpu)
{
	return cpu->msr & MSR_TS_MASK ? CODE_TRANSACTIONAL : CODE_PLAIN;
}

/*
 * How hot an op is: branches to it, backward, by a call or from compiled code, until it is compiled.
 * Racy: it is only a guess.
 */
static ALWAYS_INLINE u8 *op_heat(const struct op *op)
{
	return &op_chunk(op)->heat[op->index];
}

/* Return: true if it has just become hot. */
static ALWAYS_INLINE bool heat_up(u8 *heat)
{
	u8 now = (u8)(__atomic_load_n(heat, __ATOMIC_RELAXED) + 1);

	__atomic_store_n(heat, now, __ATOMIC_RELAXED);
	return !now;
}

/* Guest address of an op. */
static ALWAYS_INLINE u64 op_pc(const struct op *op)
{
	return op_chunk(op)->base + 4ull * op->index;
}

#endif
