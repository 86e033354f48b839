/* SPDX-License-Identifier: MIT */
/*
 * The footprint of a transaction: its lines, found by address. Inside src/tm/ only.
 */
#ifndef TM_FOOTPRINT_H
#define TM_FOOTPRINT_H

#include "tm/tm.h"

/*
 * @snap is what memory held when the line was added and at every comparison since; @data what the
 * transaction sees; bit n of @mask says that it wrote byte n. In a rollback-only transaction only
 * the bytes that it wrote count in @data.
 */
struct tm_line {
	ALIGNED(16) u8 snap[TM_LINE];
	u8 data[TM_LINE];
	u128 mask;
	u64 address;
	u64 pc; /* of the instruction that touched it first */
};

/* What a CPU has counted since the last tm_count(). */
#define TM_HISTOGRAM 16 /* bucket n: up to 2^n lines */

struct tm_statistics {
	u64 begins, rollback_only, nested, suspends, commits, retries;
	u64 lines; /* sum over commits */
	u64 histogram[TM_HISTOGRAM];
};

struct tm_footprint {
	struct tm_line *lines;
	u32 count, allocated;
	u32 dirty;   /* lines with bytes written */
	u32 recent;  /* index of the line touched last */
	bool tracks; /* there is a transaction that is not doomed: the lines mean something */
	bool alone;  /* no other CPU was in the gate when it began */

	/*
	 * Open addressing: slots hold the epoch, in which their entry is valid, and the index of
	 * the line. A new transaction is a new epoch.
	 */
	u64 *slots;
	u32 slot_mask;
	u32 epoch;

	/* Numbers of the domain when the transaction began. */
	u64 commits_seen, mappings_seen;

	/* Of the last conflict, for its event. */
	u64 conflict_line, conflict_tbegin;
	s32 conflict_cpu;

	u32 attempts; /* since the last commit */
	struct tm_statistics statistics;
};

/* Make the footprint of a CPU ready for a transaction. False if memory is short. */
bool footprint_begin(struct cpu *cpu);

/* The epochs have been used up: start again. */
void footprint_renew_epochs(struct tm_footprint *fp);

/* Forget all lines. */
static inline void footprint_drop(struct tm_footprint *fp)
{
	fp->tracks = false;
	fp->count = 0;
	fp->dirty = 0;
	fp->recent = 0;
	/* Not only where a transaction begins: it may be any of the calls that comes to 0. */
	if (unlikely(!++fp->epoch))
		footprint_renew_epochs(fp);
}

static inline u32 footprint_hash(const struct tm_footprint *fp, u64 line)
{
	return (u32)((line * 0x9e3779b97f4a7c15ull) >> 40) & fp->slot_mask;
}

/* The line at a multiple of TM_LINE, if it is held. */
static inline struct tm_line *footprint_find(struct tm_footprint *fp, u64 address)
{
	struct tm_line *line = &fp->lines[fp->recent];

	if (likely(line->address == address && fp->recent < fp->count))
		return line;
	for (u32 at = footprint_hash(fp, address);; at = (at + 1) & fp->slot_mask) {
		u64 slot = fp->slots[at];

		if (slot >> 32 != fp->epoch)
			return NULL;
		line = &fp->lines[(u32)slot];
		if (line->address == address) {
			fp->recent = (u32)slot;
			return line;
		}
	}
}

/**
 * footprint_add - the miss: snapshot a line of memory
 * @cause: receives the TEXASR cause for TM_FAILED
 *
 * Return: TM_OK, then it is the recent one; TM_FAULT if it cannot be read; TM_FAILED if there is no
 * room, or if a line held differs from memory. C4: no safepoint in here.
 */
enum tm_outcome footprint_add(struct cpu *cpu, u64 address, u64 pc, u64 *cause);

/* Compare all lines that count with memory. Return: the TEXASR cause of the first difference, or 0.
 */
u64 footprint_compare(struct cpu *cpu);

/* Compare one line. */
u64 footprint_compare_line(struct cpu *cpu, const struct tm_line *line);

/* T is left: somebody may have waited for that. */
static inline void leave_transactional(struct cpu *cpu)
{
	if (unlikely(cpu->tm_kick)) {
		__atomic_fetch_or(&cpu->poll, cpu->tm_kick, __ATOMIC_SEQ_CST);
		cpu->tm_kick = 0;
	}
}

/* Of the outermost tend.: TM_OK, or TM_FAILED. commit.c */
enum tm_outcome commit(struct cpu *cpu, u64 cia);

/* Bits of @mask for bytes [first, first + n) of a line. */
static inline u128 line_bits(u32 first, u32 n)
{
	return (n == TM_LINE ? ~(u128)0 : (((u128)1 << n) - 1)) << first;
}

#endif
