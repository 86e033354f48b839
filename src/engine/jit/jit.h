/* SPDX-License-Identifier: MIT */
/*
 * The compiler: copies stencils (stencil.h) one behind the other.
 *
 * A region is guest code that can be reached from its head by direct branches, up to some hundred
 * instructions. When an op has been branched to often enough, the region with that head is
 * compiled, and the fn of the ops at which it can be entered is changed to lead there. So compiled
 * code and interpreter go hand in hand: each leaves to an op, and whoever is responsible for the op
 * goes on.
 *
 * Compiled code is for CODE_PLAIN (op.h); in a transaction the interpreter runs.
 *
 * Precise state: an access that faults, and everything else that is not ordinary, leaves to the
 * interpreter in front of the instruction, which then does it all once more and tells what is
 * wrong. Within a region some general registers live in registers of the host, the pins; every way
 * out stores them first.
 */
#ifndef ENGINE_JIT_JIT_H
#define ENGINE_JIT_JIT_H

#include "engine/code.h"

/* Options; set before the first CPU runs. */
extern struct jit_options {
	bool off;
	bool count;    /* count instructions exactly: cpu->icount */
	u32 threshold; /* branches to an op before it is compiled */
	bool perf_map; /* write the names of regions to /tmp/perf-PID.map, as perf wants them */
} jit_options;

struct jit;

/* Compile the region that begins with an op. The caller is in RUN; takes no lock but code's own. */
void jit_compile(struct jit **jit, struct code_space *code, struct op *head);

/* Forget the regions with code in a range. No CPU is in compiled code. */
void jit_invalidate(struct jit *jit, u64 address, u64 end);

/* In the child of a fork: the code belongs to the parent. Everything is forgotten. */
void jit_after_fork(struct jit *jit);

void jit_destroy(struct jit *jit);

#endif
