/* SPDX-License-Identifier: MIT */
/*
 * Places in the protocol where a test makes something happen, to force an interleaving. Inside
 * src/tm/ only. Nothing in the product: only the tests that compile src/tm/ for themselves, with
 * TM_TEST_POINTS defined, supply tm_test_point().
 */
#ifndef TM_TEST_POINT_H
#define TM_TEST_POINT_H

#include "arch/cpu.h"

enum tm_test_point {
	TM_POINT_GATE_ENTERING, /* the CPU says RUN, and has not looked at the gate yet */
	TM_POINT_GATE_FREE,	/* a CPU that waited to enter found the gate free; it is OUT */
	TM_POINT_GATE_SLEEPING, /* about to sleep until the gate changes; cpu is NULL */
	TM_POINT_GATE_WAKING,	/* somebody sleeps and is about to be woken; cpu is NULL */
	TM_POINT_MISS,		/* a line is about to be copied */
	TM_POINT_MISS_COPIED,	/* it has been copied, nothing has been compared */
	TM_POINT_COMPARE,	/* a line of the footprint is about to be compared */
	TM_POINT_COMPARED,	/* a commit has compared everything, and written nothing */
	TM_POINT_WRITTEN,	/* a commit has written one line */
	TM_POINT_MAPPING_READ,	/* an entry of the mapping log has been read */
};

#ifdef TM_TEST_POINTS
void tm_test_point(enum tm_test_point point, struct cpu *cpu);
#define TM_TEST_POINT(point, cpu) tm_test_point(TM_POINT_##point, cpu)
#else
#define TM_TEST_POINT(point, cpu) ((void)0)
#endif

#endif
