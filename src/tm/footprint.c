// SPDX-License-Identifier: MIT
#include "tm/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/host_access.h"
#include "tm/domain.h"
#include "tm/test_point.h"

#define FIRST_LINES 64
#define FIRST_SLOTS 256 /* at least four times the lines: short probes */

static void insert(struct tm_footprint *fp, u32 index)
{
	u32 at = footprint_hash(fp, fp->lines[index].address);

	while (fp->slots[at] >> 32 == fp->epoch)
		at = (at + 1) & fp->slot_mask;
	fp->slots[at] = (u64)fp->epoch << 32 | index;
}

/* Room for more lines than there are now. */
static bool grow(struct tm_footprint *fp)
{
	u32 lines = fp->allocated ? 2 * fp->allocated : FIRST_LINES;
	u32 slots = fp->allocated ? 2 * (fp->slot_mask + 1) : FIRST_SLOTS;
	struct tm_line *new_lines = aligned_alloc(16, lines * sizeof(*new_lines));
	u64 *new_slots = calloc(slots, sizeof(*new_slots));

	if (!new_lines || !new_slots) {
		free(new_lines);
		free(new_slots);
		return false;
	}
	if (fp->count)
		memcpy(new_lines, fp->lines, fp->count * sizeof(*new_lines));
	free(fp->lines);
	free(fp->slots);
	fp->lines = new_lines;
	fp->allocated = lines;
	fp->slots = new_slots;
	fp->slot_mask = slots - 1;
	for (u32 i = 0; i < fp->count; i++)
		insert(fp, i);
	return true;
}

void footprint_renew_epochs(struct tm_footprint *fp)
{
	memset(fp->slots, 0, (fp->slot_mask + 1) * sizeof(*fp->slots));
	fp->epoch = 1;
}

static struct tm_footprint *create(struct cpu *cpu)
{
	struct tm_footprint *fp = calloc(1, sizeof(*fp));

	if (!fp)
		return NULL;
	domain_use(cpu);
	fp->epoch = 1;
	if (!grow(fp)) {
		free(fp);
		return NULL;
	}
	cpu->tm_footprint = fp;
	return fp;
}

void footprint_free(struct cpu *cpu)
{
	struct tm_footprint *fp = cpu->tm_footprint;

	if (!fp)
		return;
	free(fp->lines);
	free(fp->slots);
	free(fp);
	cpu->tm_footprint = NULL;
}

bool footprint_begin(struct cpu *cpu)
{
	struct tm_footprint *fp = cpu->tm_footprint;

	if (unlikely(!fp) && !(fp = create(cpu)))
		return false;
	footprint_drop(fp);
	fp->tracks = true;
	fp->alone = domain_is_solo(cpu->tm_domain);
	domain_numbers(cpu->tm_domain, &fp->commits_seen, &fp->mappings_seen);
	return true;
}

/* Copy a line of memory by aligned doublewords, each of them whole. False: it cannot be read. */
static bool snapshot(u8 *to, u64 address)
{
	u64 words[TM_LINE / 8];

	for (u32 i = 0; i < TM_LINE / 8; i++)
		if (!host_load_u64((const void *)(uintptr_t)(address + 8 * i), &words[i]))
			return false;
	memcpy(to, words, TM_LINE);
	return true;
}

enum comparison { SAME, CHANGED, UNREADABLE };

/* Does memory still hold what it did? */
static enum comparison compare(const struct tm_line *line)
{
	const u8 *memory = (const u8 *)(uintptr_t)line->address;
	v2u64 difference = {0, 0};

	for (u32 i = 0; i < TM_LINE; i += 16) {
		v2u64 now;

		if (!host_load_v128(memory + i, &now))
			return UNREADABLE;
		difference |= now ^ *(const v2u64 *)(line->snap + i);
	}
	return difference[0] | difference[1] ? CHANGED : SAME;
}

static u64 conflict(struct cpu *cpu, const struct tm_line *line, enum comparison comparison)
{
	struct tm_footprint *fp = cpu->tm_footprint;

	fp->conflict_line = line->address;
	fp->conflict_cpu = -1;
	if (comparison == UNREADABLE)
		return TEXASR_TRANSLATION_CONFLICT;
	return domain_conflict(cpu->tm_domain, line->address, fp->commits_seen, fp);
}

u64 footprint_compare_line(struct cpu *cpu, const struct tm_line *line)
{
	enum comparison comparison;

	TM_TEST_POINT(COMPARE, cpu);
	comparison = compare(line);
	return likely(comparison == SAME) ? 0 : conflict(cpu, line, comparison);
}

u64 footprint_compare(struct cpu *cpu)
{
	const struct tm_footprint *fp = cpu->tm_footprint;

	for (u32 i = 0; i < fp->count; i++) {
		u64 cause = footprint_compare_line(cpu, &fp->lines[i]);

		if (unlikely(cause))
			return cause;
	}
	return 0;
}

enum tm_outcome footprint_add(struct cpu *cpu, u64 address, u64 pc, u64 *cause)
{
	struct tm_footprint *fp = cpu->tm_footprint;
	u32 capacity = domain_config(cpu->tm_domain)->lines;
	struct tm_line *line;

	if (unlikely(capacity && fp->count >= capacity)) {
		*cause = TEXASR_FOOTPRINT_OVERFLOW | TEXASR_PERSISTENT;
		return TM_FAILED;
	}
	if (unlikely(fp->count == fp->allocated) && !grow(fp)) {
		*cause = TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT;
		return TM_FAILED;
	}
	if (unlikely(domain_may_alias(cpu->tm_domain)) && domain_is_aliased(cpu, address)) {
		*cause = TEXASR_IMPLEMENTATION | TEXASR_PERSISTENT;
		return TM_FAILED;
	}
	line = &fp->lines[fp->count];
	line->address = address;
	line->pc = pc;
	line->mask = 0;
	TM_TEST_POINT(MISS, cpu);
	if (unlikely(!snapshot(line->snap, address)))
		return TM_FAULT;
	/* C3: the copy comes before the comparisons. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	TM_TEST_POINT(MISS_COPIED, cpu);
	memcpy(line->data, line->snap, TM_LINE);
	fp->recent = fp->count++;
	insert(fp, fp->recent);
	/* Nobody else can have changed anything if there was nobody else all the time. */
	if (cpu->texasr & TEXASR_ROT || (fp->alone && domain_is_solo(cpu->tm_domain)))
		return TM_OK;
	*cause = footprint_compare(cpu);
	return likely(!*cause) ? TM_OK : TM_FAILED;
}
