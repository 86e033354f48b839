// SPDX-License-Identifier: MIT
#include "linux/tm_cause.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/msr.h"
#include "linux/tm.h"

#define KERNEL(code) ((u64)(code) << TEXASR_FC_SHIFT | TEXASR_ABORT)

static const struct tm_cause_description causes[TM_CAUSES] = {
	[TM_CAUSE_OF_SYSCALL] = {"syscall", "a system call", NULL, "sync",
				 KERNEL(TM_CAUSE_SYSCALL | TM_CAUSE_PERSISTENT),
				 COUNTER_tm_fail_syscall},
	[TM_CAUSE_OF_SIGNAL] = {"signal", "a signal", NULL, "async", KERNEL(TM_CAUSE_SIGNAL),
				COUNTER_tm_fail_signal},
	[TM_CAUSE_OF_FACILITY] = {"facility", "the first use of FP, VMX or VSX", NULL, "sync",
				  KERNEL(TM_CAUSE_FAC_UNAV), COUNTER_tm_fail_facility},
	[TM_CAUSE_OF_RESCHEDULE] = {"reschedule", "a context switch", NULL, "async",
				    KERNEL(TM_CAUSE_RESCHED), COUNTER_tm_fail_reschedule},
	[TM_CAUSE_OF_ALIGNMENT] = {"alignment", "an access that the kernel aligns", NULL, "sync",
				   KERNEL(TM_CAUSE_ALIGNMENT | TM_CAUSE_PERSISTENT),
				   COUNTER_tm_fail_alignment},
	[TM_CAUSE_OF_EMULATION] = {"emulation", "an instruction that the kernel emulates", NULL,
				   "sync", KERNEL(TM_CAUSE_EMULATE | TM_CAUSE_PERSISTENT),
				   COUNTER_tm_fail_emulation},
	[TM_CAUSE_OF_TLBI] = {"tlbi", "the kernel unmapped a page", NULL, "async",
			      KERNEL(TM_CAUSE_TLBI), COUNTER_tm_fail_tlbi},
	[TM_CAUSE_OF_KERNEL] = {"kernel", "something else that the kernel did", NULL, "async",
				KERNEL(0), COUNTER_tm_fail_kernel},
	[TM_CAUSE_OF_ABORT] = {"abort", "tabort. or a conditional form", NULL, "transaction",
			       TEXASR_ABORT | TEXASR_PR, COUNTER_tm_fail_abort},
	[TM_CAUSE_OF_DISALLOWED] = {"disallowed", "an instruction that is not permitted",
				    "PM_TM_FAIL_DISALLOW", "sync",
				    TEXASR_DISALLOWED | TEXASR_PERSISTENT | TEXASR_PR,
				    COUNTER_tm_fail_disallowed},
	[TM_CAUSE_OF_NESTING] = {"nesting", "nested too deeply", NULL, "sync",
				 TEXASR_NESTING_OVERFLOW | TEXASR_PERSISTENT | TEXASR_PR,
				 COUNTER_tm_fail_nesting},
	[TM_CAUSE_OF_FOOTPRINT] = {"footprint", "too many lines", "PM_TM_FAIL_FOOTPRINT_OVERFLOW",
				   "capacity",
				   TEXASR_FOOTPRINT_OVERFLOW | TEXASR_PERSISTENT | TEXASR_PR,
				   COUNTER_tm_fail_footprint},
	[TM_CAUSE_OF_SELF] = {"self", "an own access while suspended", "PM_TM_FAIL_SELF",
			      "conflict", TEXASR_SELF_CONFLICT | TEXASR_PERSISTENT | TEXASR_PR,
			      COUNTER_tm_fail_self},
	[TM_CAUSE_OF_CONFLICT] = {"conflict", "a conflict with an access outside transactions",
				  "PM_TM_FAIL_CONF_NON_TM", "conflict",
				  TEXASR_NON_TM_CONFLICT | TEXASR_PR, COUNTER_tm_fail_non_tm},
	[TM_CAUSE_OF_TM_CONFLICT] = {"tm-conflict", "a conflict with another transaction",
				     "PM_TM_FAIL_CON_TM", "conflict",
				     TEXASR_TM_CONFLICT | TEXASR_PR, COUNTER_tm_fail_tm},
	[TM_CAUSE_OF_TRANSLATION] = {"translation", "a mapping was changed", "PM_TM_FAIL_TLBIE",
				     "async", TEXASR_TRANSLATION_CONFLICT | TEXASR_PR,
				     COUNTER_tm_fail_translation},
	[TM_CAUSE_OF_FETCH] = {"fetch", "executing what the transaction has written", NULL, "sync",
			       TEXASR_FETCH_CONFLICT | TEXASR_PR, COUNTER_tm_fail_fetch},
	[TM_CAUSE_OF_IMPLEMENTATION] = {"implementation", "a reason of the implementation", NULL,
					"async", TEXASR_IMPLEMENTATION | TEXASR_PR,
					COUNTER_tm_fail_implementation},
};

const struct tm_cause_description *tm_cause_describe(enum tm_cause cause)
{
	return &causes[cause];
}

static enum tm_cause cause_of_code(u8 code)
{
	switch (code & ~TM_CAUSE_PERSISTENT) {
	case TM_CAUSE_SYSCALL:
		return TM_CAUSE_OF_SYSCALL;
	case TM_CAUSE_SIGNAL:
		return TM_CAUSE_OF_SIGNAL;
	case TM_CAUSE_FAC_UNAV:
		return TM_CAUSE_OF_FACILITY;
	case TM_CAUSE_RESCHED:
		return TM_CAUSE_OF_RESCHEDULE;
	case TM_CAUSE_ALIGNMENT:
		return TM_CAUSE_OF_ALIGNMENT;
	case TM_CAUSE_EMULATE:
		return TM_CAUSE_OF_EMULATION;
	case TM_CAUSE_TLBI:
		return TM_CAUSE_OF_TLBI;
	default:
		return TM_CAUSE_OF_KERNEL;
	}
}

enum tm_cause tm_cause_of(u64 texasr)
{
	if (texasr & TEXASR_ABORT)
		return texasr & TEXASR_PR ? TM_CAUSE_OF_ABORT
					  : cause_of_code((u8)(texasr >> TEXASR_FC_SHIFT));
	for (int i = TM_CAUSE_OF_DISALLOWED; i < TM_CAUSE_OF_IMPLEMENTATION; i++)
		if (texasr & causes[i].texasr & ~(TEXASR_PERSISTENT | TEXASR_PR))
			return (enum tm_cause)i;
	return TM_CAUSE_OF_IMPLEMENTATION;
}

/* Codes from here on are the kernel's and the hypervisor's: asm/tm.h. */
#define KERNEL_CODES 0xd0

static bool parse_code(const char *name, size_t length, u64 *texasr)
{
	char text[8], *end;
	unsigned long code;

	if (!length || length >= sizeof(text) || name[0] < '0' || name[0] > '9')
		return false;
	memcpy(text, name, length);
	text[length] = 0;
	code = strtoul(text, &end, 0);
	if (*end || code > 0xff)
		return false;
	*texasr =
		(u64)code << TEXASR_FC_SHIFT | TEXASR_ABORT | (code < KERNEL_CODES ? TEXASR_PR : 0);
	return true;
}

bool tm_cause_parse(const char *name, size_t length, u64 *texasr, enum counter *counter)
{
	for (int i = 0; i < TM_CAUSES; i++)
		if (strlen(causes[i].name) == length && !memcmp(causes[i].name, name, length)) {
			*texasr = causes[i].texasr;
			*counter = causes[i].counter;
			return true;
		}
	if (!parse_code(name, length, texasr))
		return false;
	*counter = causes[tm_cause_of(*texasr)].counter;
	return true;
}

/* --- words ------------------------------------------------------------------------------------ */

struct text {
	char *buffer;
	size_t length;
};

static void PRINTF(2, 3) add(struct text *text, const char *format, ...)
{
	size_t room = TM_TEXASR_WORDS_MAX - text->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->buffer + text->length, room, format, args);
	va_end(args);
	if (n > 0)
		text->length += MIN((size_t)n, room - 1);
}

/* Causes beside the one that is told first: a program can write any TEXASR. */
static void add_other_causes(struct text *text, u64 texasr, enum tm_cause first)
{
	for (int i = TM_CAUSE_OF_DISALLOWED; i < TM_CAUSES; i++)
		if (i != (int)first && texasr & causes[i].texasr & ~(TEXASR_PERSISTENT | TEXASR_PR))
			add(text, ", %s", causes[i].name);
}

#define CAUSE_BITS                                                                                 \
	(TEXASR_DISALLOWED | TEXASR_NESTING_OVERFLOW | TEXASR_FOOTPRINT_OVERFLOW |                 \
	 TEXASR_SELF_CONFLICT | TEXASR_NON_TM_CONFLICT | TEXASR_TM_CONFLICT |                      \
	 TEXASR_TRANSLATION_CONFLICT | TEXASR_IMPLEMENTATION | TEXASR_FETCH_CONFLICT)
#define RESERVED                                                                                   \
	(~(0xffull << TEXASR_FC_SHIFT | CAUSE_BITS | TEXASR_ABORT | TEXASR_SUSPENDED | TEXASR_HV | \
	   TEXASR_PR | TEXASR_FS | TEXASR_EXACT | TEXASR_ROT | TEXASR_TL_MASK))

static void add_failure(struct text *text, u64 texasr)
{
	enum tm_cause cause = tm_cause_of(texasr);
	u8 code = (u8)(texasr >> TEXASR_FC_SHIFT);

	add(text, "%s", causes[cause].name);
	if (texasr & TEXASR_ABORT)
		add(text, " 0x%02x", code);
	else if (code & ~1)
		add(text, ", code 0x%02x", code);
	add(text, texasr & TEXASR_PERSISTENT ? ", persistent" : ", transient");
	add_other_causes(text, texasr, cause);
	if (texasr & TEXASR_SUSPENDED)
		add(text, ", suspended");
	if (texasr & TEXASR_HV)
		add(text, texasr & TEXASR_PR ? ", privilege reserved" : ", in the hypervisor");
	else if (!(texasr & TEXASR_PR))
		add(text, ", by the kernel");
	if (!(texasr & TEXASR_EXACT))
		add(text, ", TFIAR inexact");
}

const char *tm_texasr_words(u64 texasr, char buffer[TM_TEXASR_WORDS_MAX])
{
	struct text text = {.buffer = buffer};
	u32 level = (u32)(texasr & TEXASR_TL_MASK);

	buffer[0] = 0;
	if (texasr & TEXASR_FS)
		add_failure(&text, texasr);
	else
		add(&text, "no failure");
	if (texasr & TEXASR_ROT)
		add(&text, ", rollback-only");
	if (level > 1)
		add(&text, ", nesting %u", level);
	if (texasr & RESERVED)
		add(&text, ", reserved 0x%llx", (unsigned long long)(texasr & RESERVED));
	return buffer;
}
