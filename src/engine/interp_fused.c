// SPDX-License-Identifier: MIT
/*
 * Handlers that execute two neighbouring instructions with one dispatch: fused.def.
 *
 * Each op of the pair keeps its place and its operands, so a branch to the second one, a fault in
 * it, and single-stepping work as ever.
 */
#define INTERP_NO_HANDLERS
#include "engine/handlers.h"
#include "engine/interp.h"
#include "isa/fixed.h"
#include "isa/insn.h"
#include "isa/spr.h"

#include "isa/sem/fixed.inc"
#include "isa/sem/fixed_storage.inc"
#include "isa/sem/branch.inc"
#include "isa/sem/spr.inc"

#define FUSED_HANDLER(first, second, finish)                                                       \
	static HANDLER(first##__##second)                                                          \
	{                                                                                          \
		struct sem_out out = {0};                                                          \
                                                                                                   \
		sem_##first(SEM_ARGUMENTS);                                                        \
		INTERP_EXITS                                                                       \
		op++;                                                                              \
		sem_##second(SEM_ARGUMENTS);                                                       \
		INTERP_EXITS                                                                       \
		finish                                                                             \
		INTERP_NEXT;                                                                       \
	}

#define PAIR(first, second)	     FUSED_HANDLER(first, second, )
#define PAIR_BRANCH(first, second)   FUSED_HANDLER(first, second, INTERP_BRANCH)
#define PAIR_INDIRECT(first, second) FUSED_HANDLER(first, second, INTERP_JUMP)
#include "engine/fused.def"
#undef PAIR
#undef PAIR_BRANCH
#undef PAIR_INDIRECT

static const struct pair {
	u16 first, second;
	op_fn *fn;
} pairs[] = {
#define PAIR(first, second)	     {FORM_##first, FORM_##second, h_##first##__##second},
#define PAIR_BRANCH(first, second)   PAIR(first, second)
#define PAIR_INDIRECT(first, second) PAIR(first, second)
#include "engine/fused.def"
#undef PAIR
#undef PAIR_BRANCH
#undef PAIR_INDIRECT
};

/* Open addressing; every decoded instruction looks here twice. */
#define HASH_SIZE 512
static u8 hash[HASH_SIZE]; /* index into pairs + 1 */

_Static_assert(ARRAY_SIZE(pairs) < 255, "an index fits a byte, and the table is never full");

static u32 hash_of(unsigned first, unsigned second)
{
	return (first * 37 + second) % HASH_SIZE;
}

void fused_init(void)
{
	if (hash[hash_of(pairs[0].first, pairs[0].second)])
		return;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		u32 at = hash_of(pairs[i].first, pairs[i].second);

		while (hash[at])
			at = (at + 1) % HASH_SIZE;
		hash[at] = (u8)(i + 1);
	}
}

op_fn *handler_of_pair(unsigned first, unsigned second)
{
	for (u32 at = hash_of(first, second); hash[at]; at = (at + 1) % HASH_SIZE) {
		const struct pair *pair = &pairs[hash[at] - 1];

		if (pair->first == first && pair->second == second)
			return pair->fn;
	}
	return NULL;
}
