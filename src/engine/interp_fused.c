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

#define PAIR(first, second)	   FUSED_HANDLER(first, second, )
#define PAIR_BRANCH(first, second) FUSED_HANDLER(first, second, INTERP_BRANCH)
#include "engine/fused.def"
#undef PAIR
#undef PAIR_BRANCH

static const struct {
	u16 first, second;
	op_fn *fn;
} pairs[] = {
#define PAIR(first, second)	   {FORM_##first, FORM_##second, h_##first##__##second},
#define PAIR_BRANCH(first, second) PAIR(first, second)
#include "engine/fused.def"
#undef PAIR
#undef PAIR_BRANCH
};

op_fn *handler_of_pair(unsigned first, unsigned second)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].first == first && pairs[i].second == second)
			return pairs[i].fn;
	return NULL;
}
