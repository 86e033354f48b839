// SPDX-License-Identifier: MIT
#include "engine/jit/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/counters.h"
#include "base/extable.h"
#include "engine/handlers.h"
#include "engine/interp.h"
#include "engine/jit/emit.h"

#define CACHE_SIZE (64u << 20)

struct jit_options jit_options = {.off = true, .threshold = 60};

/*
 * There is one for each code space; its fields change under the lock of that, and readers of the
 * regions (a fault, any thread) see a list that only grows while CPUs run.
 */
struct jit {
	struct code_cache cache;
	struct jit_common common;
	struct region *regions; /* the newest, that is, the highest in the cache, first */
	u32 common_size;
	bool broken; /* no memory for code, or it is full: no more is compiled */
};

/* What faults and jit_owns() look at: all code of the process is in one cache. */
static struct jit *the_jit;

bool jit_owns(const struct op *op)
{
	u64 fn = (u64)(uintptr_t)op->fn;

	return the_jit && fn - (u64)(uintptr_t)the_jit->cache.execute < the_jit->cache.size;
}

/* Where execution goes on after a fault at an address; 0 if that is not ours. In a signal handler.
 */
static u64 find_fault(u64 pc)
{
	const struct jit *jit = __atomic_load_n(&the_jit, __ATOMIC_ACQUIRE);
	u64 at;

	if (!jit || pc - (u64)(uintptr_t)jit->cache.execute >= jit->cache.size)
		return 0;
	at = pc - (u64)(uintptr_t)jit->cache.execute;
	for (const struct region *r = __atomic_load_n(&jit->regions, __ATOMIC_ACQUIRE); r;
	     r = r->next) {
		u32 low = 0, high = r->n_faults;

		if (at < r->code)
			continue;
		while (low < high) {
			u32 middle = (low + high) / 2;

			if (r->faults[middle].from == at)
				return (u64)(uintptr_t)jit->cache.execute + r->faults[middle].to;
			if (r->faults[middle].from < at)
				low = middle + 1;
			else
				high = middle;
		}
		return 0;
	}
	return 0;
}

static struct jit *create(struct code_space *code)
{
	struct jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return NULL;
	if (!code_cache_create(&jit->cache, CACHE_SIZE)) {
		jit->broken = true;
		return jit;
	}
	jit->common.space = code;
	emit_common(&jit->cache, &jit->common);
	jit->common_size = jit->cache.used;
	extable_more(find_fault);
	__atomic_store_n(&the_jit, jit, __ATOMIC_RELEASE);
	return jit;
}

void jit_destroy(struct jit *jit)
{
	if (!jit)
		return;
	if (the_jit == jit)
		the_jit = NULL;
	while (jit->regions) {
		struct region *next = jit->regions->next;

		region_free(jit->regions);
		jit->regions = next;
	}
	code_cache_destroy(&jit->cache);
	free(jit);
}

/* A line of /tmp/perf-PID.map: address, size and name, in hexadecimal without 0x. */
static void tell_perf(const struct jit *jit, const struct region *region)
{
	char path[32];
	FILE *file;

	if (!jit_options.perf_map)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "ae");
	if (!file)
		return;
	fprintf(file, "%llx %x guest_%llx\n",
		(unsigned long long)(uintptr_t)(jit->cache.execute + region->code),
		region->code_size, (unsigned long long)region->start);
	fclose(file);
}

void jit_compile(struct jit **where, struct code_space *code, struct op *head)
{
	static struct region_plan plan; /* under the lock */
	struct region *region;
	struct jit *jit = *where;

	if (!jit && !(jit = *where = create(code)))
		return;
	if (jit->broken || jit_owns(head) || !region_plan(&plan, code, head))
		return;
	region = emit_region(&jit->cache, &jit->common, &plan);
	if (!region) {
		jit->broken |= jit->cache.used + (1u << 20) > jit->cache.size;
		return;
	}
	region->next = jit->regions;
	__atomic_store_n(&jit->regions, region, __ATOMIC_RELEASE);
	for (u32 i = 0; i < region->n_entries; i++) {
		struct op *op = region->entries[i].op;

		/* Those of other regions stay: what jumps there expects nothing else. */
		if (!jit_owns(op))
			__atomic_store_n(
				&op->fn,
				(op_fn *)(uintptr_t)(jit->cache.execute + region->entries[i].at),
				__ATOMIC_RELEASE);
	}
	count(COUNTER_regions, 1);
	tell_perf(jit, region);
}

static void forget(struct jit *jit, struct region *region)
{
	region->dead = true;
	for (u32 i = 0; i < region->n_entries; i++) {
		struct op *op = region->entries[i].op;

		if ((u64)(uintptr_t)op->fn ==
		    (u64)(uintptr_t)jit->cache.execute + region->entries[i].at)
			op->fn = op->form == FORM_invalid ? h_decode
							  : handler_of(op->form, CODE_PLAIN);
	}
}

/* With everything forgotten, the memory is free again. */
static void start_over(struct jit *jit)
{
	struct region *next;

	for (struct region *r = jit->regions; r; r = next) {
		next = r->next;
		if (!r->dead)
			forget(jit, r);
		region_free(r);
	}
	jit->regions = NULL;
	jit->cache.used = jit->common_size;
	jit->broken = false;
}

void jit_invalidate(struct jit *jit, u64 address, u64 end)
{
	if (!jit)
		return;
	if (jit->broken && jit->cache.write) {
		start_over(jit);
		return;
	}
	for (struct region *r = jit->regions; r; r = r->next)
		if (!r->dead && r->start < end && r->end > address)
			forget(jit, r);
}

void jit_after_fork(struct jit *jit)
{
	if (!jit || !jit->cache.write)
		return;
	start_over(jit);
	if (code_cache_replace(&jit->cache))
		emit_common(&jit->cache, &jit->common);
	else
		jit->broken = true;
}
