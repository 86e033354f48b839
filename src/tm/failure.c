// SPDX-License-Identifier: MIT
/*
 * How transactions fail: the record in TEXASR and TFIAR, and the way back to the checkpoint.
 * Power ISA 2.07B Book II 5.3.
 */
#include <string.h>

#include "base/counters.h"
#include "tm/checkpoint.h"
#include "tm/domain.h"
#include "tm/footprint.h"

/* TEXASR fields that a failure keeps. */
#define TEXASR_KEPT 0x3ffffffull /* ROT and below: TL */

static void count_failure(u64 texasr)
{
	count(COUNTER_tm_failures, 1);
	if (texasr & TEXASR_ABORT) {
		/* Those of the operating system are counted by it: it knows what its codes mean. */
		if (texasr & TEXASR_PR)
			count(COUNTER_tm_fail_abort, 1);
		return;
	}
	count(texasr & TEXASR_DISALLOWED	     ? COUNTER_tm_fail_disallowed
	      : texasr & TEXASR_NESTING_OVERFLOW     ? COUNTER_tm_fail_nesting
	      : texasr & TEXASR_FOOTPRINT_OVERFLOW   ? COUNTER_tm_fail_footprint
	      : texasr & TEXASR_SELF_CONFLICT	     ? COUNTER_tm_fail_self
	      : texasr & TEXASR_NON_TM_CONFLICT	     ? COUNTER_tm_fail_non_tm
	      : texasr & TEXASR_TM_CONFLICT	     ? COUNTER_tm_fail_tm
	      : texasr & TEXASR_TRANSLATION_CONFLICT ? COUNTER_tm_fail_translation
	      : texasr & TEXASR_FETCH_CONFLICT	     ? COUNTER_tm_fail_fetch
						     : COUNTER_tm_fail_implementation,
	      1);
}

bool tm_fail(struct cpu *cpu, u64 cause, u64 address, u64 privilege)
{
	bool first = !(cpu->texasr & TEXASR_FS);

	if (first) {
		cpu->texasr = (cpu->texasr & TEXASR_KEPT) | cause | privilege | TEXASR_FS |
			      (tm_is_suspended(cpu) ? TEXASR_SUSPENDED : 0);
		cpu->tfiar = (address & ~3ull) | (privilege ? 1 : 0);
		count_failure(cpu->texasr);
		domain_event(cpu, TM_EVENT_FAIL, address);
	}
	cpu->tm_doomed = 1;
	if (cpu->tm_footprint)
		footprint_drop(cpu->tm_footprint);
	return first;
}

void tm_handle_failure(struct cpu *cpu)
{
	checkpoint_restore(cpu);
	cpu->cr[0] = 1;
	cpu->cr[1] = 0;
	cpu->cr[2] = 1;
	cpu->cr[3] = 0;
	cpu->msr &= ~MSR_TS_MASK;
	cpu->tm_doomed = 0;
	cpu->reserve_address = ~0ull;
	cpu->pc = cpu->tfhar;
	leave_transactional(cpu);
	if (cpu->tm_footprint)
		footprint_drop(cpu->tm_footprint);
}

bool tm_reclaim(struct cpu *cpu, u8 code)
{
	bool first;

	/* An interrupt has suspended it, if it was in T. */
	cpu->msr = (cpu->msr & ~MSR_TS_MASK) | MSR_TS_S;
	first = tm_fail(cpu, (u64)code << TEXASR_FC_SHIFT | TEXASR_ABORT | TEXASR_EXACT, cpu->pc,
			0);
	domain_event(cpu, TM_EVENT_RECLAIM, cpu->pc);
	cpu->msr &= ~MSR_TS_MASK;
	cpu->tm_doomed = 0;
	cpu->reserve_address = ~0ull;
	return first;
}

void tm_recheckpoint(struct cpu *cpu, u64 state)
{
	cpu->msr = (cpu->msr & ~MSR_TS_MASK) | state;
	cpu->tm_doomed = 1;
	domain_event(cpu, TM_EVENT_RECHECKPOINT, cpu->pc);
}
