// SPDX-License-Identifier: MIT
/*
 * Pages with decoded code: protected against stores while the code is in use.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tm/gate.h"
#include "linux/mm_internal.h"
#include "linux/mman.h"
#include "linux/syscall.h"

/* Forget decoded instructions, while no other CPU is among them. */
static void drop_code(struct mm *mm, u64 address, u64 length)
{
	struct cpu *cpu = current ? current->cpu : NULL;
	enum gate_hold hold = cpu ? gate_freeze(mm->gate, cpu) : GATE_SOLO;

	code_invalidate(mm->code_space, address, length);
	if (cpu)
		gate_thaw(mm->gate, cpu, hold);
}

/* The same bytes of a shared object, mapped elsewhere: forget code there too. */
static void forget_aliases(struct mm *mm, const struct mm_range *part)
{
	if (!part->object || !(part->flags & RANGE_SHARED))
		return;
	for (size_t i = 0; i < mm->map.count; i++) {
		const struct mm_range *r = &mm->map.ranges[i];
		u64 from = MAX(r->offset, part->offset);
		u64 to = MIN(r->offset + (r->end - r->start),
			     part->offset + (part->end - part->start));

		if (r->object == part->object && from < to && r->prot & PROT_EXEC)
			drop_code(mm, r->start + from - r->offset, to - from);
	}
}

/* Make pages of [start, end) that are protected for their code writable, and forget the code. */
static bool unprotect_code(struct mm *mm, u64 start, u64 end)
{
	bool any = false;

	while (start < end) {
		size_t i = range_map_index(&mm->code, start);
		const struct mm_range *r;
		struct mm_range part;

		if (i == mm->code.count || mm->code.ranges[i].start >= end)
			break;
		part = range_clip(&mm->code.ranges[i], start, end);
		r = range_map_find(&mm->map, part.start);
		if (r) {
			part = range_clip(r, part.start, part.end);
			host_call(SYS_mprotect, part.start, part.end - part.start,
				  host_prot(r->prot));
			forget_aliases(mm, &part);
		}
		drop_code(mm, part.start, part.end - part.start);
		start = part.end;
		if (range_map_remove(&mm->code, part.start, part.end))
			break; /* no memory: the next store faults once more */
		any = true;
	}
	return any;
}

/* What is mapped in [start, end) is about to change or go. */
void mm_forget_code(struct mm *mm, u64 start, u64 end)
{
	unprotect_code(mm, start, end);
	for (size_t i = range_map_index(&mm->map, start);
	     i < mm->map.count && mm->map.ranges[i].start < end; i++) {
		struct mm_range part = range_clip(&mm->map.ranges[i], start, end);

		if (part.prot & PROT_EXEC)
			drop_code(mm, part.start, part.end - part.start);
	}
}

/* A writable view of a shared object came to be: its code must be protected against it. */
void mm_forget_code_of_object(struct mm *mm, u64 object)
{
	for (size_t i = 0; i < mm->map.count; i++) {
		const struct mm_range *r = &mm->map.ranges[i];

		if (r->object == object && r->prot & PROT_EXEC)
			drop_code(mm, r->start, r->end - r->start);
	}
}

static bool protect_page(struct mm *mm, u64 page)
{
	const struct mm_range code = {.start = page, .end = page + GUEST_PAGE_SIZE};

	if (range_map_set(&mm->code, &code))
		return false;
	return !host_call(SYS_mprotect, page, GUEST_PAGE_SIZE, PROT_READ);
}

/* All writable views of a page that holds code, itself among them. */
static bool protect_views(struct mm *mm, const struct mm_range *range, u64 page)
{
	u64 offset = range->offset + (page - range->start);

	if (range->prot & PROT_WRITE && !protect_page(mm, page))
		return false;
	if (!range->object || !(range->flags & RANGE_SHARED))
		return true;
	for (size_t i = 0; i < mm->map.count; i++) {
		const struct mm_range *r = &mm->map.ranges[i];

		if (r->object == range->object && r->flags & RANGE_SHARED && r->prot & PROT_WRITE &&
		    r->offset <= offset && offset < r->offset + (r->end - r->start) &&
		    !protect_page(mm, r->start + offset - r->offset))
			return false;
	}
	return true;
}

static bool may_fetch(const struct mm_range *range)
{
	return range && range->prot & PROT_EXEC && !(range->flags & RANGE_HOST);
}

/*
 * struct code_source. Called by the engine, on the thread that runs the CPU, which is in RUN: there
 * nobody may wait for a lock.
 */
static bool fetch(void *context, u64 page)
{
	struct mm *mm = context;
	const struct mm_range *r;
	bool ok;

	if (unlikely(mm->unprotected_fetch)) /* between mm_step_begin() and mm_step_end() */
		return may_fetch(range_map_find(&mm->map, page));
	gate_leave(mm->gate, current->cpu);
	mm_lock(mm);
	r = range_map_find(&mm->map, page);
	ok = may_fetch(r) && protect_views(mm, r, page);
	mm_unlock(mm);
	gate_enter(mm->gate, current->cpu);
	return ok;
}

static void changed(void *context, u64 address, u64 length)
{
	struct mm *mm = context;

	if (unlikely(mm->unprotected_fetch)) {
		code_invalidate(mm->code_space, address, length);
		return;
	}
	gate_leave(mm->gate, current->cpu);
	drop_code(mm, address, length);
	gate_enter(mm->gate, current->cpu);
}

const struct code_source mm_code_source = {.fetch = fetch, .changed = changed};

bool mm_write_prepare(struct mm *mm, u64 address, u64 length)
{
	bool any;

	if (likely(!__atomic_load_n(&mm->code.count, __ATOMIC_RELAXED)))
		return false;
	mm_lock(mm);
	any = unprotect_code(mm, ROUND_DOWN(address, GUEST_PAGE_SIZE),
			     ROUND_UP(address + length, GUEST_PAGE_SIZE));
	mm_unlock(mm);
	return any;
}

void mm_step_begin(struct mm *mm)
{
	/* The lock first: who holds the gate takes none. */
	mm_lock(mm);
	mm->step_hold = gate_freeze(mm->gate, current->cpu);
	mm->unprotected_fetch = true;
}

void mm_step_end(struct mm *mm, u64 pc)
{
	u64 page = ROUND_DOWN(pc, GUEST_PAGE_SIZE);

	mm->unprotected_fetch = false;
	/* The engine may have looked at the following page as well. */
	code_invalidate(mm->code_space, page, 2 * GUEST_PAGE_SIZE);
	gate_thaw(mm->gate, current->cpu, (enum gate_hold)mm->step_hold);
	mm_unlock(mm);
}
