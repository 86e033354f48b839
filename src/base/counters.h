/* SPDX-License-Identifier: MIT */
/*
 * Counters: one set for the process, or for a tree of processes. counters.def lists them.
 */
#ifndef BASE_COUNTERS_H
#define BASE_COUNTERS_H

#include <stdio.h>

#include "base/types.h"

enum counter {
#define COUNTER(name, unit, meaning) COUNTER_##name,
#include "base/counters.def"
#undef COUNTER
	COUNTER_COUNT,
};

extern u64 *counters;

/* Count in other memory from now on, which others may share; COUNTER_COUNT numbers. */
void counters_move(u64 *memory);

/* Add to a counter. Any thread. */
static inline void count(enum counter counter, u64 n)
{
	__atomic_fetch_add(&counters[counter], n, __ATOMIC_RELAXED);
}

struct counter_description {
	const char *name; /* as in JSON */
	const char *unit;
	const char *meaning;
};

const struct counter_description *counter_describe(enum counter counter);

/* Print a counter as a line for people; print all as members of a JSON object (no braces). */
void counters_print_row(FILE *out, enum counter counter);
void counters_print_json(FILE *out, const char *indent);

#endif
