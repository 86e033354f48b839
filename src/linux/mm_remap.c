// SPDX-License-Identifier: MIT
/*
 * mremap: growing, shrinking and moving.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>

#include "linux/mm_internal.h"
#include "linux/mman.h"
#include "linux/syscall.h"

#define PAGE_MASK (GUEST_PAGE_SIZE - 1)

struct remap {
	u64 old, old_length, length;
	u64 flags;
	u64 address;
};

/* Where the mapping goes; its own address if it stays. */
static s64 remap_place(struct mm *mm, const struct remap *m, u64 *to)
{
	if (m->flags & MREMAP_FIXED) {
		s64 error = mm_check_place(mm, m->address, m->length, true);

		if (error)
			return error == -ENOMEM ? -EINVAL : error;
		if (m->address < m->old + m->old_length && m->old < m->address + m->length)
			return -EINVAL;
		*to = m->address;
		return 0;
	}
	*to = m->old;
	if (!(m->flags & MREMAP_DONTUNMAP)) {
		u64 end = m->old + m->length;

		if (m->length <= m->old_length)
			return 0;
		if (end <= mm->mmap_top &&
		    !range_map_overlaps(&mm->map, m->old + m->old_length, end))
			return 0;
	}
	if (!(m->flags & MREMAP_MAYMOVE))
		return -ENOMEM;
	*to = range_map_gap_below(&mm->map, MM_MIN_ADDRESS, mm->mmap_top, m->length);
	return *to ? 0 : -ENOMEM;
}

static s64 remap_locked(struct mm *mm, const struct remap *m)
{
	const struct mm_range *r = range_map_find(&mm->map, m->old);
	struct mm_range range;
	u64 to;
	s64 result;

	if (!r || r->flags & RANGE_HOST || r->end - m->old < m->old_length)
		return -EFAULT;
	range = range_clip(r, m->old, m->old + MAX(m->old_length, GUEST_PAGE_SIZE));
	result = remap_place(mm, m, &to);
	if (result)
		return result;
	if (m->length < m->old_length) {
		result = mm_unmap_locked(mm, m->old + m->length, m->old + m->old_length);
		if (result)
			return result;
		range.end = m->old + m->length;
		if (to == m->old)
			return (s64)to;
	}
	if (to == m->old && m->length == m->old_length)
		return (s64)to;
	if (range_map_reserve(&mm->map))
		return -ENOMEM;
	mm_forget_code(mm, m->old, m->old + m->old_length);
	if (m->flags & MREMAP_FIXED) {
		result = mm_unmap_locked(mm, to, to + m->length);
		if (result)
			return result;
	}
	/* Growing in its place, it takes nothing away. */
	mm_change_begin(mm);
	result = host_call(
		SYS_mremap, m->old, MIN(m->old_length, m->length), m->length,
		to == m->old ? 0 : MREMAP_MAYMOVE | MREMAP_FIXED | (m->flags & MREMAP_DONTUNMAP),
		to);
	mm_change_end(mm, m->old, to == m->old ? 0 : m->old_length);
	if (result < 0 && result > -4096)
		return result;
	if (to != m->old && m->old_length && !(m->flags & MREMAP_DONTUNMAP))
		range_map_remove(&mm->map, range.start, range.end);
	range.start = to;
	range.end = to + m->length;
	range.flags &= ~(u32)(RANGE_HEAP | RANGE_STACK);
	range_map_set(&mm->map, &range);
	mm_note_aliases(mm, &range);
	return (s64)to;
}

s64 mm_mremap(struct mm *mm, u64 old, u64 old_length, u64 length, u64 flags, u64 address)
{
	struct remap m = {.old = old, .flags = flags, .address = address};
	s64 result;

	if (flags & ~(u64)(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP) || old & PAGE_MASK ||
	    !length)
		return -EINVAL;
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) && !(flags & MREMAP_MAYMOVE))
		return -EINVAL;
	if (flags & MREMAP_DONTUNMAP && old_length != length)
		return -EINVAL;
	if (old >= GUEST_ADDRESS_LIMIT || old_length > GUEST_ADDRESS_LIMIT - old)
		return -EFAULT;
	if (length > GUEST_ADDRESS_LIMIT)
		return -EINVAL;
	m.old_length = ROUND_UP(old_length, GUEST_PAGE_SIZE);
	m.length = ROUND_UP(length, GUEST_PAGE_SIZE);
	mm_lock(mm);
	result = remap_locked(mm, &m);
	mm_unlock(mm);
	return result;
}
