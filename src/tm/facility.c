// SPDX-License-Identifier: MIT
/*
 * The instructions of the facility: Power ISA 2.07B Book II 5.5.
 *
 * Common to all but failure handling: CR0 := 0 || MSR[TS] before the instruction || 0.
 */
#include "base/counters.h"
#include "tm/checkpoint.h"
#include "tm/domain.h"
#include "tm/footprint.h"

/* Taken branches between two comparisons of a transaction that touches nothing new. */
#define POLL_PERIOD 1024

static void set_cr0(struct cpu *cpu)
{
	cpu->cr[0] = 0;
	cpu->cr[1] = tm_is_transactional(cpu);
	cpu->cr[2] = tm_is_suspended(cpu);
	cpu->cr[3] = 0;
}

static enum tm_outcome fail(struct cpu *cpu, u64 cause, u64 cia)
{
	tm_fail(cpu, cause | TEXASR_EXACT, cia, TEXASR_PR);
	return TM_FAILED;
}

/* A tbegin. that fails by itself: as if the transaction had failed right behind it. */
static enum tm_outcome fail_at_once(struct cpu *cpu, u64 cause, u64 cia, u64 privilege)
{
	cpu->msr |= MSR_TS_T;
	tm_fail(cpu, cause | TEXASR_EXACT, cia, privilege);
	cpu->msr &= ~MSR_TS_MASK;
	cpu->tm_doomed = 0;
	cpu->cr[0] = 1;
	cpu->cr[1] = 0;
	cpu->cr[2] = 1;
	cpu->cr[3] = 0;
	return TM_OK;
}

static enum tm_outcome fail_injected(struct cpu *cpu, const struct tm_config *config, u64 cia)
{
	u64 privilege = config->inject_cause & TEXASR_PR;

	count(COUNTER_tm_injected, 1);
	/* Failures that the operating system causes are counted by it, but it knows nothing of
	 * this one. */
	if (!privilege)
		count((enum counter)config->inject_counter, 1);
	return fail_at_once(cpu, config->inject_cause, cia, privilege);
}

static enum tm_outcome begin_nested(struct cpu *cpu, u64 cia, bool rollback_only)
{
	u32 level = (u32)(cpu->texasr & TEXASR_TL_MASK);

	if (level >= domain_config(cpu->tm_domain)->nesting)
		return fail(cpu, TEXASR_NESTING_OVERFLOW | TEXASR_PERSISTENT, cia);
	cpu->texasr++;
	/* A normal transaction inside a rollback-only one makes it normal (unverified). */
	if (!rollback_only)
		cpu->texasr &= ~TEXASR_ROT;
	cpu->tm_footprint->statistics.nested++;
	set_cr0(cpu);
	return TM_OK;
}

enum tm_outcome tm_begin(struct cpu *cpu, u64 cia, bool rollback_only)
{
	const struct tm_config *config = domain_config(cpu->tm_domain);
	struct tm_footprint *fp;

	if (tm_is_suspended(cpu)) {
		set_cr0(cpu);
		return TM_OK;
	}
	if (tm_is_transactional(cpu))
		return begin_nested(cpu, cia, rollback_only);

	cpu->tfhar = cia + 4;
	cpu->texasr = (rollback_only ? TEXASR_ROT : 0) | 1;
	cpu->tfiar = 0;
	cpu->reserve_address = ~0ull;
	if (unlikely(!footprint_begin(cpu)))
		return fail_at_once(cpu, TEXASR_IMPLEMENTATION, cia, TEXASR_PR);
	fp = cpu->tm_footprint;
	fp->statistics.begins++;
	fp->attempts++;
	fp->statistics.rollback_only += rollback_only;
	fp->conflict_line = 0;
	fp->conflict_cpu = -1;
	fp->conflict_tbegin = 0;
	if (unlikely(config->synthetic || config->inject_every)) {
		if (config->synthetic)
			return fail_at_once(cpu, TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT, cia,
					    TEXASR_PR);
		if (domain_inject(cpu->tm_domain))
			return fail_injected(cpu, config, cia);
	}
	set_cr0(cpu);
	checkpoint_take(cpu);
	cpu->tm_doomed = 0;
	cpu->tm_countdown = POLL_PERIOD;
	cpu->msr |= MSR_TS_T;
	domain_event(cpu, TM_EVENT_BEGIN, cia);
	return TM_OK;
}

enum tm_outcome tm_end(struct cpu *cpu, u64 cia, bool all)
{
	enum tm_outcome outcome;

	if (tm_is_suspended(cpu))
		return TM_BAD_THING;
	if (tm_is_transactional(cpu) && cpu->tm_doomed)
		return TM_FAILED;
	if (tm_is_transactional(cpu) && (all || (cpu->texasr & TEXASR_TL_MASK) <= 1)) {
		outcome = commit(cpu, cia);
		if (unlikely(outcome != TM_OK))
			return outcome;
		set_cr0(cpu);
		cpu->msr &= ~MSR_TS_MASK;
		leave_transactional(cpu);
		return TM_OK;
	}
	if (tm_is_transactional(cpu))
		cpu->texasr--;
	set_cr0(cpu);
	return TM_OK;
}

enum tm_outcome tm_abort(struct cpu *cpu, u64 cia, u64 code)
{
	u64 cause = (code & 0xff) << TEXASR_FC_SHIFT | TEXASR_ABORT;

	if (tm_is_transactional(cpu)) {
		/* The code may say that something is wrong: it must not come from a state that
		 * never was. */
		if (tm_validate(cpu, cia) == TM_OK)
			fail(cpu, cause, cia);
		return TM_FAILED;
	}
	set_cr0(cpu);
	if (tm_is_suspended(cpu))
		fail(cpu, cause, cia);
	return TM_OK;
}

void tm_no_abort(struct cpu *cpu)
{
	set_cr0(cpu);
}

enum tm_outcome tm_suspend(struct cpu *cpu, u64 cia)
{
	if (tm_is_transactional(cpu)) {
		if (domain_config(cpu->tm_domain)->no_suspend)
			return fail(cpu, TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT, cia);
		if (tm_validate(cpu, cia) != TM_OK)
			return TM_FAILED;
		set_cr0(cpu);
		cpu->msr ^= MSR_TS_T | MSR_TS_S;
		cpu->reserve_address = ~0ull;
		cpu->tm_footprint->statistics.suspends++;
		leave_transactional(cpu);
		domain_event(cpu, TM_EVENT_SUSPEND, cia);
		return TM_OK;
	}
	set_cr0(cpu);
	return TM_OK;
}

enum tm_outcome tm_resume(struct cpu *cpu, u64 cia)
{
	set_cr0(cpu);
	if (!tm_is_suspended(cpu))
		return TM_OK;
	cpu->msr ^= MSR_TS_T | MSR_TS_S;
	cpu->reserve_address = ~0ull;
	domain_event(cpu, TM_EVENT_RESUME, cia);
	return cpu->tm_doomed ? TM_FAILED : TM_OK;
}

enum tm_outcome tm_check(struct cpu *cpu, u64 cia, u8 *field)
{
	if (tm_poll(cpu, cia) != TM_OK)
		return TM_FAILED;
	/* Outside a transaction the CPU says "doomed", as QEMU does. */
	*field = (u8)((tm_in_transaction(cpu) ? cpu->tm_doomed : 1) << 3 |
		      tm_is_transactional(cpu) << 2 | tm_is_suspended(cpu) << 1);
	return TM_OK;
}

enum tm_outcome tm_poll(struct cpu *cpu, u64 cia)
{
	u64 cause = 0;

	cpu->tm_countdown = POLL_PERIOD;
	if (!tm_in_transaction(cpu))
		return TM_OK;
	/* Alone, too: another process may have changed memory that it shares with this one. */
	if (!cpu->tm_doomed) {
		cause = domain_mapping_changed(cpu) ? TEXASR_TRANSLATION_CONFLICT
						    : footprint_compare(cpu);
		if (cause)
			tm_fail(cpu, cause, cia, TEXASR_PR);
	}
	return cpu->tm_doomed && tm_is_transactional(cpu) ? TM_FAILED : TM_OK;
}

enum tm_outcome tm_interrupt(struct cpu *cpu, bool asynchronous)
{
	if (likely(!domain_config(cpu->tm_domain)->no_suspend))
		return TM_OK;
	/* An interrupt that only lets a stopper pass is none of the machine's. */
	if (asynchronous && !(__atomic_load_n(&cpu->poll, __ATOMIC_RELAXED) & POLL_INTERRUPT))
		return TM_OK;
	return fail(cpu, TEXASR_IMPLEMENTATION | (asynchronous ? 0 : TEXASR_PERSISTENT), cpu->pc);
}

enum tm_outcome tm_disallowed(struct cpu *cpu, u64 cia)
{
	return fail(cpu, TEXASR_DISALLOWED | TEXASR_PERSISTENT, cia);
}

enum tm_outcome tm_spr_writable(const struct cpu *cpu, bool is_tfhar)
{
	if (!tm_in_transaction(cpu) || (is_tfhar && tm_is_suspended(cpu)))
		return TM_OK;
	return TM_BAD_THING;
}

void tm_count(struct cpu *cpu)
{
	struct tm_footprint *fp = cpu->tm_footprint;
	struct tm_statistics *s;

	if (!fp)
		return;
	s = &fp->statistics;
	count(COUNTER_tm_begins, s->begins);
	count(COUNTER_tm_rollback_only, s->rollback_only);
	count(COUNTER_tm_nested, s->nested);
	count(COUNTER_tm_suspends, s->suspends);
	count(COUNTER_tm_commits, s->commits);
	count(COUNTER_tm_retries, s->retries);
	count(COUNTER_tm_lines, s->lines);
	for (int i = 0; i < TM_HISTOGRAM; i++)
		count(COUNTER_tm_lines_1 + i, s->histogram[i]);
	*s = (struct tm_statistics){0};
}
