/* SPDX-License-Identifier: MIT */
/*
 * From a plan to code. Inside src/engine/jit/ only.
 */
#ifndef ENGINE_JIT_EMIT_H
#define ENGINE_JIT_EMIT_H

#include "engine/jit/code_cache.h"
#include "engine/jit/region.h"

/* Code that all regions share; addresses where it is executed. */
struct jit_common {
	struct code_space *space;
	const u8 *dispatch; /* pins stored: go on at cpu->pc */
	const u8 *enter;    /* pins stored, op in %r13: go on there */
	const u8 *leave;    /* op in %r13, its handler in %rcx: the interpreter executes it */
};

/* Where an access that faults goes on; offsets in the code cache. */
struct jit_fault {
	u32 from, to;
};

struct jit_entry {
	struct op *op;
	u32 at; /* offset in the code cache */
};

/* What is left of a region when it has been compiled. */
struct region {
	struct region *next; /* of the same code space; the newest first */
	u64 start, end;	     /* guest addresses: from the lowest to behind the highest */
	u32 code, code_size; /* in the code cache */
	u32 n_faults, n_entries;
	bool dead;
	struct jit_fault *faults; /* by address */
	struct jit_entry *entries;
};

/* The shared code, at the beginning of an empty cache. */
void emit_common(struct code_cache *cache, struct jit_common *common);

/* Compile. NULL if there is no room or no memory. */
struct region *emit_region(struct code_cache *cache, const struct jit_common *common,
			   struct region_plan *plan);

/*
 * An op without compiled code was reached from compiled code: counts, compiles, goes on there. A
 * handler; in jit.c.
 */
op_fn jit_edge;

void region_free(struct region *region);

#endif
