// SPDX-License-Identifier: MIT
#include "tm/domain.h"

#include <stdlib.h>

#include "base/host_access.h"
#include "tm/footprint.h"
#include "tm/test_point.h"

struct tm_domain *tm_domain_create(struct gate *gate, const struct tm_config *config)
{
	struct tm_domain *domain = aligned_alloc(128, ROUND_UP(sizeof(*domain), 128));

	if (domain)
		*domain = (struct tm_domain){.gate = gate, .config = *config};
	return domain;
}

void tm_domain_destroy(struct tm_domain *domain)
{
	free(domain);
}

void tm_domain_observe(struct tm_domain *domain,
		       void (*observe)(void *context, struct cpu *cpu,
				       const struct tm_event *event),
		       void *context)
{
	domain->observe_context = context;
	domain->observe = observe;
}

void tm_cpu_init(struct cpu *cpu, struct tm_domain *domain)
{
	cpu->tm_domain = domain;
}

void tm_cpu_destroy(struct cpu *cpu)
{
	footprint_free(cpu);
}

/* --- mappings --------------------------------------------------------------------------------- */

void tm_domain_ask_aliases(struct tm_domain *domain, bool (*aliased)(void *context, u64 address),
			   void *context)
{
	domain->aliased_context = context;
	__atomic_store_n(&domain->aliased, aliased, __ATOMIC_RELEASE);
}

bool domain_is_aliased(struct cpu *cpu, u64 address)
{
	struct tm_domain *domain = cpu->tm_domain;
	bool (*aliased)(void *, u64);
	bool answer;

	gate_leave(domain->gate, cpu);
	aliased = __atomic_load_n(&domain->aliased, __ATOMIC_ACQUIRE);
	answer = aliased && aliased(domain->aliased_context, address);
	gate_enter(domain->gate, cpu);
	return answer;
}

void tm_domain_set_memory(struct tm_domain *domain, const struct tm_memory *memory)
{
	domain->memory = *memory;
}

bool tm_domain_in_use(const struct tm_domain *domain)
{
	return __atomic_load_n(&domain->in_use, __ATOMIC_SEQ_CST);
}

void domain_use(struct cpu *cpu)
{
	struct tm_domain *domain = cpu->tm_domain;

	/* Two may be the first: both wait until the owner of the memory knows. */
	if (__atomic_load_n(&domain->served, __ATOMIC_ACQUIRE))
		return;
	gate_leave(domain->gate, cpu);
	__atomic_store_n(&domain->in_use, true, __ATOMIC_SEQ_CST);
	if (domain->memory.first_transaction)
		domain->memory.first_transaction(domain->memory.context);
	__atomic_store_n(&domain->served, true, __ATOMIC_RELEASE);
	gate_enter(domain->gate, cpu);
}

static bool ask(struct cpu *cpu, bool (*function)(void *context, u64 address), u64 address)
{
	struct tm_domain *domain = cpu->tm_domain;
	bool answer;

	if (!function)
		return false;
	gate_leave(domain->gate, cpu);
	answer = function(domain->memory.context, address);
	gate_enter(domain->gate, cpu);
	return answer;
}

bool domain_may_write(struct cpu *cpu, u64 address)
{
	return ask(cpu, cpu->tm_domain->memory.may_write, address);
}

bool domain_make_writable(struct cpu *cpu, u64 address)
{
	return ask(cpu, cpu->tm_domain->memory.make_writable, address);
}

void tm_domain_mapping_changed(struct tm_domain *domain, u64 address, u64 length)
{
	u64 n = domain->mappings;
	struct tm_mapping *entry = &domain->mapping_log[n % MAPPING_LOG];

	/* Readers are not stopped: they see the new number before any part of the entry. */
	__atomic_store_n(&domain->mappings, n + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&entry->start, ROUND_DOWN(address, TM_LINE), __ATOMIC_RELAXED);
	__atomic_store_n(&entry->end, address + length, __ATOMIC_RELAXED);
	__atomic_store_n(&domain->mappings_logged, n + 1, __ATOMIC_RELEASE);
}

/* A line of the footprint in a range that has changed; NULL if none. */
static const struct tm_line *line_in(const struct tm_footprint *fp, u64 start, u64 end)
{
	for (u32 i = 0; i < fp->count; i++)
		if (fp->lines[i].address >= start && fp->lines[i].address < end)
			return &fp->lines[i];
	return NULL;
}

bool domain_mapping_changed(struct cpu *cpu)
{
	const struct tm_domain *domain = cpu->tm_domain;
	struct tm_footprint *fp = cpu->tm_footprint;
	u64 now = __atomic_load_n(&domain->mappings_logged, __ATOMIC_ACQUIRE);

	if (likely(now == fp->mappings_seen))
		return false;
	fp->conflict_cpu = -1;
	for (u64 n = fp->mappings_seen; n < now; n++) {
		const struct tm_mapping *entry = &domain->mapping_log[n % MAPPING_LOG];
		u64 start = __atomic_load_n(&entry->start, __ATOMIC_RELAXED);
		u64 end = __atomic_load_n(&entry->end, __ATOMIC_RELAXED);
		const struct tm_line *line;

		TM_TEST_POINT(MAPPING_READ, cpu);
		/* Is it still that entry? The log goes round, perhaps at this moment. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&domain->mappings, __ATOMIC_RELAXED) - n > MAPPING_LOG)
			return true;
		line = line_in(fp, start, end);
		if (line) {
			fp->conflict_line = line->address;
			return true;
		}
	}
	fp->mappings_seen = now;
	return false;
}

/* --- transfers from and to outside ------------------------------------------------------------ */

void tm_io_begin(struct cpu *cpu, u64 start, u64 length)
{
	struct cpu_io *io = &cpu->io;
	u32 n = io->count;

	if (!length)
		return;
	if (n < CPU_IO_MAX) {
		io->ranges[n].start = start;
		io->ranges[n].end = start + length;
		__atomic_store_n(&io->count, n + 1, __ATOMIC_RELEASE);
		return;
	}
	/* No room: the last one grows. */
	io->ranges[n - 1].start = MIN(io->ranges[n - 1].start, start);
	io->ranges[n - 1].end = MAX(io->ranges[n - 1].end, start + length);
}

/* Bytes [start, end) of a line as bits of its mask. */
static u128 bits_of_range(const struct tm_line *line, u64 start, u64 end)
{
	u64 from = MAX(start, line->address), to = MIN(end, line->address + TM_LINE);

	return from < to ? line_bits((u32)(from - line->address), (u32)(to - from)) : 0;
}

struct io_search {
	struct cpu *cpu;
	bool found;
};

static void search_io(void *context, struct cpu *other)
{
	struct io_search *search = context;
	u32 n = __atomic_load_n(&other->io.count, __ATOMIC_ACQUIRE);
	struct tm_footprint *fp = search->cpu->tm_footprint;

	for (u32 r = 0; r < n && !search->found; r++)
		for (u32 i = 0; i < fp->count; i++) {
			const struct tm_line *line = &fp->lines[i];

			if (!(line->mask & bits_of_range(line, other->io.ranges[r].start,
							 other->io.ranges[r].end)))
				continue;
			fp->conflict_line = line->address;
			fp->conflict_cpu = -1;
			search->found = true;
			break;
		}
}

bool domain_io_conflict(struct cpu *cpu)
{
	struct io_search search = {.cpu = cpu};

	if (cpu->tm_footprint->dirty)
		gate_for_each_cpu(cpu->tm_domain->gate, search_io, &search);
	return search.found;
}

/* --- commits ---------------------------------------------------------------------------------- */

u64 domain_conflict(const struct tm_domain *domain, u64 line, u64 since, struct tm_footprint *fp)
{
	u64 now = __atomic_load_n(&domain->commits, __ATOMIC_ACQUIRE);
	u64 first = now - since > COMMIT_LOG ? now - COMMIT_LOG : since;

	for (u64 n = now; n-- > first;)
		if (domain->commit_log[n % COMMIT_LOG].line == line) {
			fp->conflict_cpu = (s32)domain->commit_log[n % COMMIT_LOG].cpu;
			fp->conflict_tbegin = domain->commit_log[n % COMMIT_LOG].tbegin;
			return TEXASR_TM_CONFLICT;
		}
	fp->conflict_cpu = -1;
	fp->conflict_tbegin = 0;
	return TEXASR_NON_TM_CONFLICT;
}

void domain_log_commit(struct tm_domain *domain, u64 line, const struct cpu *cpu)
{
	u64 n = domain->commits;

	domain->commit_log[n % COMMIT_LOG].line = line;
	domain->commit_log[n % COMMIT_LOG].cpu = cpu->id;
	domain->commit_log[n % COMMIT_LOG].tbegin = cpu->tfhar - 4;
	__atomic_store_n(&domain->commits, n + 1, __ATOMIC_RELEASE);
}

static void kill_reservation(void *context, struct cpu *other)
{
	struct cpu *cpu = context;
	u64 reserved = __atomic_load_n(&other->reserve_address, __ATOMIC_RELAXED);
	struct tm_footprint *fp = cpu->tm_footprint;

	if (other == cpu || reserved == ~0ull)
		return;
	for (u32 i = 0; i < fp->count; i++)
		if (fp->lines[i].mask && fp->lines[i].address == ROUND_DOWN(reserved, TM_LINE))
			__atomic_store_n(&other->reserve_address, ~0ull, __ATOMIC_RELAXED);
}

void domain_kill_reservations(struct cpu *cpu)
{
	gate_for_each_cpu(cpu->tm_domain->gate, kill_reservation, cpu);
}

bool domain_inject(struct tm_domain *domain)
{
	if (likely(!domain->config.inject_every))
		return false;
	return __atomic_add_fetch(&domain->begins, 1, __ATOMIC_RELAXED) %
		       domain->config.inject_every ==
	       0;
}

/* --- observation ------------------------------------------------------------------------------ */

void domain_event(struct cpu *cpu, enum tm_event_kind kind, u64 pc)
{
	struct tm_domain *domain = cpu->tm_domain;
	struct tm_footprint *fp = cpu->tm_footprint;
	const struct tm_line *line;
	struct tm_event event = {.kind = kind, .pc = pc, .other = -1};

	if (likely(!domain->observe))
		return;
	event.tbegin = cpu->tfhar - 4;
	event.texasr = cpu->texasr;
	if (fp) {
		event.lines = fp->count;
		if (kind == TM_EVENT_FAIL) {
			event.line = fp->conflict_line;
			event.other = fp->conflict_cpu;
			event.other_tbegin = fp->conflict_tbegin;
			line = fp->count ? footprint_find(fp, fp->conflict_line) : NULL;
			event.line_pc = line ? line->pc : 0;
		}
	}
	domain->observe(domain->observe_context, cpu, &event);
}

void tm_tell(struct cpu *cpu, enum tm_event_kind kind)
{
	domain_event(cpu, kind, cpu->pc);
}
