// SPDX-License-Identifier: MIT
/* Stencils of two neighbouring instructions: pairs.def. */
#define STENCIL_PAIRS
#include "engine/jit/stencil_source.h"
#include "isa/fixed.h"
#include "isa/spr.h"

#include "isa/sem/fixed.inc"
#include "isa/sem/fixed_storage.inc"
#include "isa/sem/branch.inc"
#include "isa/sem/spr.inc"

#define STENCIL_PAIR(first, second, finish)                                                        \
	STENCIL(first##__##second);                                                                \
	STENCIL(first##__##second)                                                                 \
	{                                                                                          \
		struct sem_out out = {0};                                                          \
		u64 any0, any1;                                                                    \
                                                                                                   \
		sem_##first(STENCIL_FIRST);                                                        \
		if (unlikely(out.exit))                                                            \
			MUSTTAIL return stencil_leave(STENCIL_ARGUMENTS);                          \
		sem_##second(STENCIL_SECOND);                                                      \
		if (unlikely(out.exit))                                                            \
			MUSTTAIL return stencil_leave2(STENCIL_ARGUMENTS);                         \
		finish MUSTTAIL return stencil_next(STENCIL_ARGUMENTS);                            \
	}

#define PAIR(first, second)                                                                        \
	STENCIL_PAIR(first, second,                                                                \
		     if (out.taken) MUSTTAIL return stencil_taken(STENCIL_ARGUMENTS);)
#include "engine/jit/pairs.def"
