/* SPDX-License-Identifier: MIT */
/*
 * The interpreter's handlers by decoded form. Inside the engine only.
 */
#ifndef ENGINE_HANDLERS_H
#define ENGINE_HANDLERS_H

#include "engine/op.h"

/* The handler that executes a form; for what is not executed, the one that says why. */
op_fn *handler_of(unsigned form, enum code_mode mode);

/* Whether the form branches to a target that follows from its word and address. */
bool handler_is_direct_branch(unsigned form);

/* Builds the look-up of the next one; once. */
void fused_init(void);

/* The handler that executes two neighbours at once; NULL if there is none. */
op_fn *handler_of_pair(unsigned first, unsigned second);

/* Whether handler_of() executes the form rather than refuse it. For tests of completeness. */
bool handler_exists(unsigned form);

/* Ops that are not instructions. */
op_fn h_decode;	    /* not decoded yet */
op_fn h_next_chunk; /* behind the last one of a chunk */
op_fn h_step_done;  /* behind the one that cpu_step() executes */

#endif
