/* SPDX-License-Identifier: MIT */
/*
 * What the transactions of one address space share. Inside src/tm/ only.
 */
#ifndef TM_DOMAIN_H
#define TM_DOMAIN_H

#include "tm/gate.h"
#include "tm/tm.h"

#define COMMIT_LOG  4096 /* lines */
#define MAPPING_LOG 64	 /* changes */

struct tm_domain {
	struct gate *gate;
	struct tm_config config;
	void (*observe)(void *context, struct cpu *cpu, const struct tm_event *event);
	void *observe_context;
	bool (*aliased)(void *context, u64 address);
	void *aliased_context;
	struct tm_memory memory;
	bool in_use; /* there has been a transaction, or one is about to begin */
	bool served; /* the owner of the memory knows */

	/*
	 * Written by whoever holds the gate; read in RUN. Rings; the numbers only grow. Commits
	 * are entered with all readers stopped, changes of mappings are not (R4).
	 */
	ALIGNED(128) u64 commits; /* lines committed */
	struct {
		u64 line, tbegin;
		u32 cpu;
	} commit_log[COMMIT_LOG];
	u64 mappings, mappings_logged; /* changes: begun to be entered, and entered */
	struct tm_mapping {
		u64 start, end;
	} mapping_log[MAPPING_LOG];

	u64 begins; /* for injected failures */
};

static inline const struct tm_config *domain_config(const struct tm_domain *domain)
{
	return &domain->config;
}

static inline void domain_numbers(const struct tm_domain *domain, u64 *commits, u64 *mappings)
{
	*commits = __atomic_load_n(&domain->commits, __ATOMIC_RELAXED);
	*mappings = __atomic_load_n(&domain->mappings_logged, __ATOMIC_ACQUIRE);
}

/* Is there only one CPU that can run? */
static inline bool domain_is_solo(const struct tm_domain *domain)
{
	return gate_is_solo(domain->gate);
}

static inline bool domain_may_alias(const struct tm_domain *domain)
{
	return __atomic_load_n(&domain->aliased, __ATOMIC_RELAXED);
}

/* Is the memory at an address mapped twice? Leaves the gate and enters it again. */
bool domain_is_aliased(struct cpu *cpu, u64 address);

/* A CPU begins its first transaction. Leaves the gate and enters it again. */
void domain_use(struct cpu *cpu);

/*
 * For a page that cannot be stored to: struct tm_memory's functions. Leave the gate and enter it
 * again.
 */
bool domain_may_write(struct cpu *cpu, u64 address);
bool domain_make_writable(struct cpu *cpu, u64 address);

/*
 * TEXASR cause of a line found changed: transactional if a commit since @since wrote it; then
 * fp->conflict_cpu is the number of its CPU and conflict_tbegin its tbegin., else -1 and 0.
 */
u64 domain_conflict(const struct tm_domain *domain, u64 line, u64 since, struct tm_footprint *fp);

/* A line is being committed. With all other CPUs stopped. */
void domain_log_commit(struct tm_domain *domain, u64 line, const struct cpu *cpu);

/* Has the mapping of a line of the CPU's footprint changed since its transaction began? */
bool domain_mapping_changed(struct cpu *cpu);

/* Has the transaction written bytes of a transfer in progress? With all other CPUs stopped. */
bool domain_io_conflict(struct cpu *cpu);

/* Forget the reservations that others have on the lines to be committed. */
void domain_kill_reservations(struct cpu *cpu);

/* Tell the observer. */
void domain_event(struct cpu *cpu, enum tm_event_kind kind, u64 pc);

/* Whether this transaction is one of those that are made to fail. */
bool domain_inject(struct tm_domain *domain);

void footprint_free(struct cpu *cpu);

#endif
