/* SPDX-License-Identifier: MIT */
/*
 * Why transactions fail, in words: the causes of TEXASR (Power ISA 2.07B Book II 5.3.1) and the
 * failure codes that Linux puts there (arch/powerpc/include/uapi/asm/tm.h). Everything that shows
 * or takes a cause uses the names of this one table: --trace, stat, --inject, --fail-if.
 */
#ifndef LINUX_TM_CAUSE_H
#define LINUX_TM_CAUSE_H

#include "base/counters.h"

/* In the order in which TEXASR is looked at: the first that fits is the cause. */
enum tm_cause {
	TM_CAUSE_OF_SYSCALL,
	TM_CAUSE_OF_SIGNAL,
	TM_CAUSE_OF_FACILITY,
	TM_CAUSE_OF_RESCHEDULE,
	TM_CAUSE_OF_ALIGNMENT,
	TM_CAUSE_OF_EMULATION,
	TM_CAUSE_OF_TLBI,
	TM_CAUSE_OF_KERNEL,
	TM_CAUSE_OF_ABORT,
	TM_CAUSE_OF_DISALLOWED,
	TM_CAUSE_OF_NESTING,
	TM_CAUSE_OF_FOOTPRINT,
	TM_CAUSE_OF_SELF,
	TM_CAUSE_OF_CONFLICT,
	TM_CAUSE_OF_TM_CONFLICT,
	TM_CAUSE_OF_TRANSLATION,
	TM_CAUSE_OF_FETCH,
	TM_CAUSE_OF_IMPLEMENTATION,
	TM_CAUSES,
};

/**
 * struct tm_cause_description - a row of the table
 * @name: one word
 * @meaning: half a sentence
 * @pmu: POWER8's event; NULL if it has none
 * @perf: what perf(1) calls the class of an abort (`perf report --sort transaction`)
 * @texasr: the record of such a failure, without what depends on the moment
 * @counter: counts it
 */
struct tm_cause_description {
	const char *name, *meaning, *pmu, *perf;
	u64 texasr;
	enum counter counter;
};

const struct tm_cause_description *tm_cause_describe(enum tm_cause cause);

/* What a TEXASR tells. Without failure summary: what it would tell with it. */
enum tm_cause tm_cause_of(u64 texasr);

/**
 * tm_cause_parse - the record that a name or a failure code means
 * @name: of the table, or a number from 0 to 0xff, which is a code
 * @length: of the name
 * @texasr: receives failure code, cause and privilege
 * @counter: receives what counts it
 *
 * Codes from 0xd0 on are the kernel's: they get its privilege. Return: false if there is none.
 */
bool tm_cause_parse(const char *name, size_t length, u64 *texasr, enum counter *counter);

/**
 * tm_texasr_words - all that a TEXASR tells, in words
 * @buffer: receives a string, cut off if there is no room
 *
 * "tm-conflict, transient, nesting 2": the cause, then whether trying again is of use, then what is
 * unusual. Bits that the ISA reserves are shown as a number.
 */
#define TM_TEXASR_WORDS_MAX 256
const char *tm_texasr_words(u64 texasr, char buffer[TM_TEXASR_WORDS_MAX]);

#endif
