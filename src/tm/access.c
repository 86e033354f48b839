// SPDX-License-Identifier: MIT
/*
 * Loads and stores of instructions while MSR[TS] is T or S.
 */
#include <string.h>

#include "base/host_access.h"
#include "base/host_copy.h"
#include "tm/domain.h"
#include "tm/footprint.h"

static void *host_pointer(u64 address)
{
	return (void *)(uintptr_t)address;
}

/* --- plain accesses of any size, single-copy atomic as the instruction's -----------------------
 */

static enum tm_outcome plain_load(u64 ea, void *to, u32 size)
{
	const void *from = host_pointer(ea);
	bool ok;

	switch (size) {
	case 1:
		ok = host_load_u8(from, to);
		break;
	case 2:
		ok = host_load_u16(from, to);
		break;
	case 4:
		ok = host_load_u32(from, to);
		break;
	case 8:
		ok = host_load_u64(from, to);
		break;
	default:
		ok = host_load_v128(from, to);
		break;
	}
	return ok ? TM_OK : TM_FAULT;
}

static enum tm_outcome plain_store(u64 ea, const void *from, u32 size)
{
	void *to = host_pointer(ea);
	union {
		u8 u8;
		u16 u16;
		u32 u32;
		u64 u64;
		v2u64 v128;
	} value;
	bool ok;

	memcpy(&value, from, size);
	switch (size) {
	case 1:
		ok = host_store_u8(to, value.u8);
		break;
	case 2:
		ok = host_store_u16(to, value.u16);
		break;
	case 4:
		ok = host_store_u32(to, value.u32);
		break;
	case 8:
		ok = host_store_u64(to, value.u64);
		break;
	default:
		ok = host_store_v128(to, value.v128);
		break;
	}
	return ok ? TM_OK : TM_FAULT;
}

static enum tm_outcome plain_cmpxchg(u64 ea, const void *old, const void *value, u32 size,
				     bool *done)
{
	void *p = host_pointer(ea);
	u128 o = 0, n = 0;
	bool ok;

	memcpy(&o, old, size);
	memcpy(&n, value, size);
	switch (size) {
	case 1:
		ok = host_cmpxchg_u8(p, (u8)o, (u8)n, done);
		break;
	case 2:
		ok = host_cmpxchg_u16(p, (u16)o, (u16)n, done);
		break;
	case 4:
		ok = host_cmpxchg_u32(p, (u32)o, (u32)n, done);
		break;
	case 8:
		ok = host_cmpxchg_u64(p, (u64)o, (u64)n, done);
		break;
	default:
		ok = host_cmpxchg_u128(p, o, n, done);
		break;
	}
	return ok ? TM_OK : TM_FAULT;
}

/* --- pieces ------------------------------------------------------------------------------------
 */

static bool is_rollback_only(const struct cpu *cpu)
{
	return cpu->texasr & TEXASR_ROT;
}

static enum tm_outcome fail(struct cpu *cpu, u64 cause, u64 cia)
{
	tm_fail(cpu, cause, cia, TEXASR_PR);
	return TM_FAILED;
}

/* Bytes that the transaction has written, over what was read from memory. */
static void merge(const struct tm_line *line, u32 first, u8 *to, u32 n)
{
	u128 bits = line->mask >> first;

	for (u32 i = 0; i < n; i++, bits >>= 1)
		if (bits & 1)
			to[i] = line->data[first + i];
}

/* The line of an address, held or made. */
static ALWAYS_INLINE enum tm_outcome line_of(struct cpu *cpu, u64 address, u64 cia,
					     struct tm_line **out)
{
	struct tm_footprint *fp = cpu->tm_footprint;
	struct tm_line *line = footprint_find(fp, address);
	enum tm_outcome outcome;
	u64 cause;

	if (unlikely(!line)) {
		outcome = footprint_add(cpu, address, cia, &cause);
		if (unlikely(outcome == TM_FAILED))
			return fail(cpu, cause, cia);
		if (unlikely(outcome != TM_OK))
			return outcome;
		line = &fp->lines[fp->recent];
	}
	*out = line;
	return TM_OK;
}

/* A rollback-only transaction tracks what it writes; it reads everything else from memory. */
static NOINLINE enum tm_outcome load_rollback_only(struct cpu *cpu, u64 ea, u8 *to, u32 n)
{
	const struct tm_line *line;

	if (plain_load(ea, to, n) != TM_OK)
		return TM_FAULT;
	for (u32 done = 0; done < n;) {
		u32 first = (u32)((ea + done) % TM_LINE);
		u32 part = MIN(n - done, (u32)TM_LINE - first);

		line = footprint_find(cpu->tm_footprint, ROUND_DOWN(ea + done, TM_LINE));
		if (line)
			merge(line, first, to + done, part);
		done += part;
	}
	return TM_OK;
}

/*
 * The first store to a page finds out whether it may be written, so that a commit cannot fail half
 * way (amendment 10): a read-modify-write that changes nothing. A page that is only protected
 * because of its decoded code is left so until the commit.
 */
static bool probe_writable(struct cpu *cpu, u64 address)
{
	const struct tm_footprint *fp = cpu->tm_footprint;
	u64 page = ROUND_DOWN(address, 4096ull);

	if (fp->dirty)
		for (u32 i = fp->count; i-- > 0;)
			if (fp->lines[i].mask && ROUND_DOWN(fp->lines[i].address, 4096ull) == page)
				return true;
	return likely(host_touch(host_pointer(address))) || domain_may_write(cpu, address);
}

static enum tm_outcome load_part(struct cpu *cpu, u64 cia, u64 ea, void *to, u32 n)
{
	struct tm_line *line;
	enum tm_outcome outcome = line_of(cpu, ROUND_DOWN(ea, TM_LINE), cia, &line);

	if (likely(outcome == TM_OK))
		memcpy(to, line->data + ea % TM_LINE, n);
	return outcome;
}

static ALWAYS_INLINE enum tm_outcome store_part(struct cpu *cpu, u64 cia, u64 ea, const void *from,
						u32 n)
{
	u32 first = (u32)(ea % TM_LINE);
	struct tm_line *line;
	enum tm_outcome outcome = line_of(cpu, ROUND_DOWN(ea, TM_LINE), cia, &line);

	if (unlikely(outcome != TM_OK))
		return outcome;
	if (!line->mask) {
		if (unlikely(!probe_writable(cpu, ea)))
			return TM_FAULT;
		cpu->tm_footprint->dirty++;
	}
	memcpy(line->data + first, from, n);
	line->mask |= line_bits(first, n);
	return TM_OK;
}

/* --- suspended -------------------------------------------------------------------------------- */

static bool tracks(const struct cpu *cpu)
{
	return cpu->tm_footprint && cpu->tm_footprint->tracks;
}

/*
 * A load in S sees memory, but of lines that the transaction has written it sees the private bytes,
 * after a comparison: a loop that waits in S for another CPU would never end otherwise (amendment
 * 8).
 */
static NOINLINE enum tm_outcome load_suspended(struct cpu *cpu, u64 cia, u64 ea, u8 *to, u32 n)
{
	if (plain_load(ea, to, n) != TM_OK)
		return TM_FAULT;
	for (u32 done = 0; done < n && tracks(cpu) && cpu->tm_footprint->dirty;) {
		u32 first = (u32)((ea + done) % TM_LINE);
		u32 part = MIN(n - done, (u32)TM_LINE - first);
		const struct tm_line *line =
			footprint_find(cpu->tm_footprint, ROUND_DOWN(ea + done, TM_LINE));

		if (line && line->mask) {
			u64 cause = footprint_compare_line(cpu, line);

			if (cause) {
				tm_fail(cpu, cause, cia, TEXASR_PR);
				return plain_load(ea, to, n);
			}
			merge(line, first, to + done, part);
		}
		done += part;
	}
	return TM_OK;
}

void tm_conflict_by_store(struct cpu *cpu, u64 cia, u64 address, u64 length)
{
	u64 first = ROUND_DOWN(address, TM_LINE);
	u64 lines = length ? (ROUND_DOWN(address + length - 1, TM_LINE) - first) / TM_LINE + 1 : 0;
	struct tm_footprint *fp = cpu->tm_footprint;
	bool hit = false;

	if (!tracks(cpu))
		return;
	if (lines <= 2) {
		for (u64 i = 0; i < lines && !hit; i++)
			hit = footprint_find(fp, first + i * TM_LINE) != NULL;
		fp->conflict_line = fp->count ? fp->lines[fp->recent].address : 0;
	} else {
		for (u32 i = 0; i < fp->count && !hit; i++) {
			hit = fp->lines[i].address - first < lines * TM_LINE;
			fp->conflict_line = fp->lines[i].address;
		}
	}
	if (hit) {
		fp->conflict_cpu = (s32)cpu->id;
		tm_fail(cpu, TEXASR_SELF_CONFLICT | TEXASR_PERSISTENT, cia, TEXASR_PR);
	}
}

void tm_touch_block(struct cpu *cpu, u64 cia, u64 ea, bool modify)
{
	const struct tm_line *line;

	if (!tm_is_suspended(cpu) || !tracks(cpu))
		return;
	line = footprint_find(cpu->tm_footprint, ROUND_DOWN(ea, TM_LINE));
	if (line && (modify || line->mask))
		tm_conflict_by_store(cpu, cia, ea, 1);
}

bool tm_overlaps_written(struct cpu *cpu, u64 address, u64 length)
{
	const struct tm_footprint *fp = cpu->tm_footprint;

	if (!tracks(cpu) || !fp->dirty)
		return false;
	for (u32 i = 0; i < fp->count; i++) {
		const struct tm_line *line = &fp->lines[i];

		if (line->mask && line->address < address + length &&
		    line->address + TM_LINE > address)
			return true;
	}
	return false;
}

void tm_overlay(struct cpu *cpu, u64 address, void *buffer, u64 length)
{
	const struct tm_footprint *fp = cpu->tm_footprint;

	if (!tracks(cpu) || !fp->dirty)
		return;
	for (u32 i = 0; i < fp->count; i++) {
		const struct tm_line *line = &fp->lines[i];
		u64 from = MAX(line->address, address);
		u64 to = MIN(line->address + TM_LINE, address + length);

		if (line->mask && from < to)
			merge(line, (u32)(from - line->address), (u8 *)buffer + (from - address),
			      (u32)(to - from));
	}
}

/* --- instructions ------------------------------------------------------------------------------
 */

static bool crosses(u64 ea, u32 size)
{
	return ea % TM_LINE + size > TM_LINE;
}

enum tm_outcome tm_load(struct cpu *cpu, u64 cia, u64 ea, void *to, u32 size)
{
	enum tm_outcome outcome;
	u32 first;

	if (unlikely(!tm_is_transactional(cpu)))
		return load_suspended(cpu, cia, ea, to, size);
	if (unlikely(is_rollback_only(cpu)))
		return load_rollback_only(cpu, ea, to, size);
	if (likely(!crosses(ea, size)))
		return load_part(cpu, cia, ea, to, size);
	first = (u32)(TM_LINE - ea % TM_LINE);
	outcome = load_part(cpu, cia, ea, to, first);
	return outcome != TM_OK ? outcome
				: load_part(cpu, cia, ea + first, (u8 *)to + first, size - first);
}

enum tm_outcome tm_store(struct cpu *cpu, u64 cia, u64 ea, const void *from, u32 size)
{
	struct tm_line *line;
	enum tm_outcome outcome;
	u32 first;

	if (unlikely(!tm_is_transactional(cpu))) {
		tm_conflict_by_store(cpu, cia, ea, size);
		return plain_store(ea, from, size);
	}
	if (likely(!crosses(ea, size)))
		return store_part(cpu, cia, ea, from, size);
	/* Nothing is stored if the second line faults. */
	first = (u32)(TM_LINE - ea % TM_LINE);
	outcome = line_of(cpu, ROUND_DOWN(ea + first, TM_LINE), cia, &line);
	if (outcome == TM_OK && !line->mask && !probe_writable(cpu, ea + first))
		outcome = TM_FAULT;
	if (outcome == TM_OK)
		outcome = store_part(cpu, cia, ea, from, first);
	if (outcome == TM_OK)
		outcome = store_part(cpu, cia, ea + first, (const u8 *)from + first, size - first);
	return outcome;
}

enum tm_outcome tm_cmpxchg(struct cpu *cpu, u64 cia, u64 ea, const void *old, const void *value,
			   u32 size, bool *done)
{
	enum tm_outcome outcome;
	u8 now[16];

	*done = false;
	if (!tm_is_transactional(cpu)) {
		tm_conflict_by_store(cpu, cia, ea, size);
		return plain_cmpxchg(ea, old, value, size, done);
	}
	outcome = tm_load(cpu, cia, ea, now, size);
	if (outcome != TM_OK || memcmp(now, old, size))
		return outcome;
	outcome = store_part(cpu, cia, ea, value, size);
	*done = outcome == TM_OK;
	return outcome;
}

enum tm_outcome tm_fetch(struct cpu *cpu, u64 cia)
{
	const struct tm_line *line;

	if (!tm_is_transactional(cpu) || !tracks(cpu))
		return TM_OK;
	line = footprint_find(cpu->tm_footprint, ROUND_DOWN(cia, TM_LINE));
	if (!line || !line->mask)
		return TM_OK;
	cpu->tm_footprint->conflict_line = line->address;
	cpu->tm_footprint->conflict_cpu = (s32)cpu->id;
	return fail(cpu, TEXASR_FETCH_CONFLICT, cia);
}
