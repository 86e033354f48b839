/* SPDX-License-Identifier: MIT */
/*
 * A region while it is being compiled: which instructions belong to it, and which registers are
 * pinned. Inside src/engine/jit/ only.
 */
#ifndef ENGINE_JIT_REGION_H
#define ENGINE_JIT_REGION_H

#include "engine/code.h"
#include "engine/jit/stencil.h"
#include "isa/insn.h"

#define REGION_MAX_ITEMS 400
#define REGION_REACH	 4096u /* bytes before and behind the head */
#define REGION_WORDS	 (2 * REGION_REACH / 4)
#define PINS		 8
#define NOT_PINNED	 0xff
#define NO_ITEM		 0xffff

/* An instruction of the region. */
struct region_item {
	u64 pc;
	struct op *op;
	u32 word;
	struct decoded d;
	const struct stencil *stencil; /* NULL: the interpreter executes it */
	bool pair;		       /* its stencil does the following item as well */
	bool second;		       /* of a pair: has no code of its own */
	bool leader;		       /* something jumps here */
	bool entry;		       /* the region can be entered here */
	bool falls;		       /* may go on at the following address */
	bool branches;		       /* a direct branch, to target */
	bool safepoint;		       /* asks for interrupts before it branches */
	u64 target;
	u32 weight;		      /* guess of how often it is executed */
	u32 block_count, block_index; /* instructions of its block, and before it in the block */
};

struct region_plan {
	u64 base; /* lowest address that can be in the region */
	u32 n;
	struct region_item items[REGION_MAX_ITEMS]; /* by address */
	u16 map[REGION_WORDS];			    /* address -> item, NO_ITEM */
	u8 pin_of[32];				    /* general register -> pin, NOT_PINNED */
	u8 pinned[PINS];			    /* pin -> general register; 32 = none */
	u8 dirty;				    /* pins that the region changes, a bit each */
	u64 facilities;				    /* MSR bits that it needs */
};

/* Collect what belongs to the region. False if it is not worth while. */
bool region_plan(struct region_plan *plan, struct code_space *code, struct op *head);

/* The item of an address; NULL. */
static inline struct region_item *region_item(struct region_plan *plan, u64 pc)
{
	u64 index = (pc - plan->base) / 4;

	if (pc < plan->base || index >= REGION_WORDS || plan->map[index] == NO_ITEM)
		return NULL;
	return &plan->items[plan->map[index]];
}

/* The general register that an operand is, by its offset; -1. */
static inline int region_register(u64 operand)
{
	return operand < 32 * 8 && operand % 8 == 0 ? (int)(operand / 8) : -1;
}

/* Value of an operand of an item, or of a pair: index as in stencil_mark. */
static inline u16 region_operand(const struct region_item *item, u32 index)
{
	const struct decoded *d = index < 4 ? &item->d : &item[1].d;

	switch (index & 3) {
	case 0:
		return d->t;
	case 1:
		return d->a;
	case 2:
		return d->b;
	default:
		return d->c;
	}
}

/* Is there compiled code behind an op? */
bool jit_owns(const struct op *op);

#endif
