// SPDX-License-Identifier: MIT
/*
 * What the address space does for transactions: they must not see a mapping half changed, nor
 * memory that has two addresses.
 */
#include <sys/mman.h>

#include "tm/gate.h"
#include "linux/mm_internal.h"
#include "linux/task.h"

/*
 * R4: only the gate is held, nobody is stopped, because the CPU that would have to stop may be
 * waiting for this very call. Programs without transactions do not even do that.
 */
void mm_change_begin(struct mm *mm)
{
	mm->change_excludes_commits = current && current->cpu && tm_domain_in_use(mm->tm);
	if (mm->change_excludes_commits)
		gate_lock(mm->gate, current->cpu);
}

void mm_change_end(struct mm *mm, u64 start, u64 length)
{
	if (!mm->change_excludes_commits)
		return;
	tm_domain_mapping_changed(mm->tm, start, length);
	gate_unlock(mm->gate, current->cpu);
}

s64 mm_change(struct mm *mm, u64 start, u64 length, s64 (*change)(void *context), void *context)
{
	s64 result;

	mm_lock(mm);
	mm_change_begin(mm);
	result = change(context);
	mm_change_end(mm, start, length);
	mm_unlock(mm);
	return result;
}

/* The first transaction begins: after a change that did not know of it. */
static void first_transaction(void *context)
{
	struct mm *mm = context;

	mm_lock(mm);
	mm_unlock(mm);
}

/* --- memory that is mapped twice ---------------------------------------------------------------- */

/* Do two ranges show bytes of the same object at different addresses? */
static bool are_aliases(const struct mm_range *a, const struct mm_range *b)
{
	return a->object == b->object && (a->flags | b->flags) & RANGE_SHARED &&
	       a->start - a->offset != b->start - b->offset &&
	       a->offset < b->offset + (b->end - b->start) &&
	       b->offset < a->offset + (a->end - a->start);
}

static bool has_alias(const struct mm *mm, const struct mm_range *range)
{
	if (range->object)
		for (size_t i = 0; i < mm->map.count; i++)
			if (are_aliases(&mm->map.ranges[i], range))
				return true;
	return false;
}

static bool is_aliased(void *context, u64 address)
{
	struct mm *mm = context;
	u64 page = ROUND_DOWN(address, GUEST_PAGE_SIZE);
	const struct mm_range *r;
	struct mm_range part;
	bool aliased;

	mm_lock(mm);
	r = range_map_find(&mm->map, address);
	part = r ? range_clip(r, page, page + GUEST_PAGE_SIZE) : (struct mm_range){0};
	aliased = has_alias(mm, &part);
	mm_unlock(mm);
	return aliased;
}

void mm_note_aliases(struct mm *mm, const struct mm_range *range)
{
	if (mm->has_aliases || !has_alias(mm, range))
		return;
	mm->has_aliases = true;
	if (current && current->cpu)
		gate_lock(mm->gate, current->cpu);
	tm_domain_ask_aliases(mm->tm, is_aliased, mm);
	if (current && current->cpu)
		gate_unlock(mm->gate, current->cpu);
}

/* --- pages with decoded code --------------------------------------------------------------------- */

static bool may_write(void *context, u64 address)
{
	struct mm *mm = context;
	const struct mm_range *r;
	bool may;

	mm_lock(mm);
	r = range_map_find(&mm->map, address);
	may = r && r->prot & PROT_WRITE && !(r->flags & RANGE_HOST);
	mm_unlock(mm);
	return may;
}

static bool make_writable(void *context, u64 address)
{
	return mm_write_prepare(context, address, 1);
}

void mm_serve_transactions(struct mm *mm)
{
	const struct tm_memory memory = {
		.context = mm,
		.first_transaction = first_transaction,
		.may_write = may_write,
		.make_writable = make_writable,
	};

	tm_domain_set_memory(mm->tm, &memory);
}
