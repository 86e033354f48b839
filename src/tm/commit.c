// SPDX-License-Identifier: MIT
/*
 * Commit, and the other points at which a transaction is compared while everybody else stands
 * still.
 */
#include <string.h>

#include "base/counters.h"
#include "base/host_access.h"
#include "tm/domain.h"
#include "tm/footprint.h"
#include "tm/test_point.h"

/*
 * Write the bytes of a doubleword that the transaction has written. Aligned words and halfwords
 * that it has written whole are one store each: processes that share the memory, and the host's
 * futexes, are not stopped.
 */
static bool write_doubleword(u64 address, const u8 *data, u32 bits)
{
	u64 value;
	u32 word;
	u16 half;

	if (likely(bits == 0xff)) {
		memcpy(&value, data, 8);
		return host_store_u64((void *)(uintptr_t)address, value);
	}
	for (u32 i = 0, n; i < 8; i += n) {
		void *to = (void *)(uintptr_t)(address + i);
		bool ok = true;

		n = 1;
		if (i % 4 == 0 && (bits >> i & 0xf) == 0xf) {
			n = 4;
			memcpy(&word, data + i, n);
			ok = host_store_u32(to, word);
		} else if (i % 2 == 0 && (bits >> i & 3) == 3) {
			n = 2;
			memcpy(&half, data + i, n);
			ok = host_store_u16(to, half);
		} else if (bits >> i & 1) {
			ok = host_store_u8(to, data[i]);
		}
		if (!ok)
			return false;
	}
	return true;
}

static bool write_line(const struct tm_line *line, const u8 *data)
{
	u128 mask = line->mask;

	for (u32 i = 0; i < TM_LINE; i += 8, mask >>= 8)
		if ((u8)mask && !write_doubleword(line->address + i, data + i, (u8)mask))
			return false;
	return true;
}

/* Everything or nothing: if a page cannot be written after all, the lines before it get back what
 * they held. */
static bool write_lines(struct cpu *cpu)
{
	struct tm_footprint *fp = cpu->tm_footprint;

	for (u32 i = 0; i < fp->count; i++) {
		const struct tm_line *line = &fp->lines[i];

		if (!line->mask)
			continue;
		if (unlikely(!write_line(line, line->data))) {
			fp->conflict_line = line->address;
			for (u32 k = 0; k <= i; k++)
				if (fp->lines[k].mask)
					(void)write_line(&fp->lines[k], fp->lines[k].snap);
			return false;
		}
		TM_TEST_POINT(WRITTEN, cpu);
	}
	return true;
}

static void count_commit(struct tm_footprint *fp)
{
	struct tm_statistics *s = &fp->statistics;
	u32 bucket = fp->count > 1 ? 32 - (u32)__builtin_clz(fp->count - 1) : 0;

	s->commits++;
	s->retries += fp->attempts - 1;
	fp->attempts = 0;
	s->lines += fp->count;
	s->histogram[MIN(bucket, (u32)TM_HISTOGRAM - 1)]++;
}

/* What is wrong with the footprint; all others are stopped. TEXASR cause, or 0. */
static u64 check_stopped(struct cpu *cpu, enum gate_hold hold)
{
	if (unlikely(domain_mapping_changed(cpu)))
		return TEXASR_TRANSLATION_CONFLICT;
	if (hold != GATE_SOLO && unlikely(domain_io_conflict(cpu)))
		return TEXASR_NON_TM_CONFLICT;
	return footprint_compare(cpu);
}

/* Times that a page is made writable again before a commit gives up. */
#define WRITE_ATTEMPTS 4

/* After the lines were written; all others are stopped. */
static void tell_others(struct cpu *cpu)
{
	const struct tm_footprint *fp = cpu->tm_footprint;

	for (u32 i = 0; i < fp->count; i++)
		if (fp->lines[i].mask)
			domain_log_commit(cpu->tm_domain, fp->lines[i].address, cpu);
	domain_kill_reservations(cpu);
}

/* TEXASR cause, or 0 and everything is written. *unwritable: a page could not be stored to. */
static u64 try_commit(struct cpu *cpu, bool *unwritable)
{
	struct tm_footprint *fp = cpu->tm_footprint;
	struct gate *gate = cpu->tm_domain->gate;
	enum gate_hold hold = gate_stop(gate, cpu);
	u64 cause;

	*unwritable = false;
	if (unlikely(hold == GATE_FAILED)) {
		count(COUNTER_tm_stops_late, 1);
		return TEXASR_IMPLEMENTATION;
	}
	cause = check_stopped(cpu, hold);
	TM_TEST_POINT(COMPARED, cpu);
	if (likely(!cause) && fp->dirty) {
		*unwritable = !write_lines(cpu);
		if (unlikely(*unwritable))
			cause = TEXASR_TRANSLATION_CONFLICT;
		else if (hold != GATE_SOLO)
			tell_others(cpu);
	}
	gate_release(gate, cpu, hold);
	return cause;
}

enum tm_outcome commit(struct cpu *cpu, u64 cia)
{
	struct tm_footprint *fp = cpu->tm_footprint;
	bool unwritable;
	u64 cause = try_commit(cpu, &unwritable);

	/* A page may only be protected because it holds decoded code. */
	for (int i = 0; unlikely(unwritable) && i < WRITE_ATTEMPTS; i++) {
		if (!domain_make_writable(cpu, fp->conflict_line))
			break;
		cause = try_commit(cpu, &unwritable);
	}
	if (unlikely(cause)) {
		tm_fail(cpu, cause, cia, TEXASR_PR);
		return TM_FAILED;
	}
	count_commit(fp);
	domain_event(cpu, TM_EVENT_COMMIT, cia);
	footprint_drop(fp);
	cpu->reserve_address = ~0ull;
	return TM_OK;
}

enum tm_outcome tm_validate(struct cpu *cpu, u64 cia)
{
	struct tm_domain *domain = cpu->tm_domain;
	enum gate_hold hold;
	u64 cause;

	if (!tm_is_transactional(cpu) || cpu->tm_doomed)
		return TM_OK;
	hold = gate_stop(domain->gate, cpu);
	if (unlikely(hold == GATE_FAILED)) {
		count(COUNTER_tm_stops_late, 1);
		cause = TEXASR_IMPLEMENTATION;
	} else {
		cause = check_stopped(cpu, hold);
	}
	gate_release(domain->gate, cpu, hold);
	if (likely(!cause))
		return TM_OK;
	tm_fail(cpu, cause, cia, TEXASR_PR);
	return TM_FAILED;
}
