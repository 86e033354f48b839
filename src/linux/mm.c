// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/mm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/log.h"
#include "engine/gate.h"
#include "linux/host_maps.h"
#include "linux/mman.h"
#include "linux/syscall.h"

#define PAGE_MASK (GUEST_PAGE_SIZE - 1)

static void lock(struct mm *mm)
{
	pthread_mutex_lock(&mm->lock);
}

static void unlock(struct mm *mm)
{
	pthread_mutex_unlock(&mm->lock);
}

/* Forget decoded instructions, while no other CPU is among them. */
static void drop_code(struct mm *mm, u64 address, u64 length)
{
	struct cpu *cpu = current ? current->cpu : NULL;
	enum gate_hold hold = cpu ? gate_freeze(mm->gate, cpu) : GATE_SOLO;

	code_invalidate(mm->code_space, address, length);
	if (cpu)
		gate_thaw(mm->gate, cpu, hold);
}

/* --- decoded code ---------------------------------------------------------------------------- */

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
static void forget_code(struct mm *mm, u64 start, u64 end)
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
static void forget_code_of_object(struct mm *mm, u64 object)
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

		if (r->object == range->object && r->flags & RANGE_SHARED &&
		    r->prot & PROT_WRITE && r->offset <= offset &&
		    offset < r->offset + (r->end - r->start) &&
		    !protect_page(mm, r->start + offset - r->offset))
			return false;
	}
	return true;
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

	if (unlikely(mm->unprotected_fetch)) /* the caller stopped everybody */
		return mm_check(mm, &page, 4, ACCESS_FETCH) == MM_FAULT_NONE;
	gate_leave(mm->gate, current->cpu);
	lock(mm);
	r = range_map_find(&mm->map, page);
	ok = r && r->prot & PROT_EXEC && !(r->flags & RANGE_HOST);
	if (ok)
		ok = protect_views(mm, r, page);
	unlock(mm);
	gate_enter(mm->gate, current->cpu);
	return ok;
}

static void changed(void *context, u64 address, u64 length)
{
	struct mm *mm = context;

	gate_leave(mm->gate, current->cpu);
	drop_code(mm, address, length);
	gate_enter(mm->gate, current->cpu);
}

static const struct code_source code_source = {.fetch = fetch, .changed = changed};

bool mm_write_prepare(struct mm *mm, u64 address, u64 length)
{
	bool any;

	if (likely(!__atomic_load_n(&mm->code.count, __ATOMIC_RELAXED)))
		return false;
	lock(mm);
	any = unprotect_code(mm, ROUND_DOWN(address, GUEST_PAGE_SIZE),
			     ROUND_UP(address + length, GUEST_PAGE_SIZE));
	unlock(mm);
	return any;
}

void mm_step_begin(struct mm *mm)
{
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
}

/* --- looking --------------------------------------------------------------------------------- */

struct mm *mm_create(void)
{
	struct mm *mm = calloc(1, sizeof(*mm));

	if (!mm)
		return NULL;
	pthread_mutex_init(&mm->lock, NULL);
	mm->mmap_top = MM_STACK_TOP;
	mm->code_space = code_space_create(&code_source, mm);
	mm->gate = gate_create();
	if (!mm->gate || !mm->code_space || host_maps_note(&mm->map, GUEST_ADDRESS_LIMIT)) {
		free(mm);
		return NULL;
	}
	return mm;
}

bool mm_lookup(struct mm *mm, u64 address, struct mm_range *range)
{
	const struct mm_range *r;
	bool found;

	lock(mm);
	r = range_map_find(&mm->map, address);
	found = r && !(r->flags & RANGE_HOST);
	if (found)
		*range = *r;
	unlock(mm);
	return found;
}

void mm_for_each(struct mm *mm, bool (*function)(const struct mm_range *range, void *context),
		 void *context)
{
	lock(mm);
	for (size_t i = 0; i < mm->map.count; i++)
		if (!(mm->map.ranges[i].flags & RANGE_HOST) &&
		    !function(&mm->map.ranges[i], context))
			break;
	unlock(mm);
}

/* First byte of [start, end) that the guest has not mapped; end if there is none. */
static u64 first_hole(struct mm *mm, u64 start, u64 end)
{
	for (size_t i = range_map_index(&mm->map, start); start < end; i++) {
		if (i == mm->map.count || mm->map.ranges[i].start > start ||
		    mm->map.ranges[i].flags & RANGE_HOST)
			return start;
		start = mm->map.ranges[i].end;
	}
	return end;
}

static bool overlaps_host(struct mm *mm, u64 start, u64 end)
{
	for (size_t i = range_map_index(&mm->map, start);
	     i < mm->map.count && mm->map.ranges[i].start < end; i++)
		if (mm->map.ranges[i].flags & RANGE_HOST)
			return true;
	return false;
}

bool mm_is_mapped(struct mm *mm, u64 address, u64 length)
{
	u64 start = ROUND_DOWN(address, GUEST_PAGE_SIZE);
	u64 end = ROUND_UP(address + length, GUEST_PAGE_SIZE);
	bool mapped;

	if (address >= GUEST_ADDRESS_LIMIT || length > GUEST_ADDRESS_LIMIT - address)
		return false;
	lock(mm);
	mapped = first_hole(mm, start, end) == end;
	unlock(mm);
	return mapped;
}

static enum mm_fault check_page(struct mm *mm, u64 address, enum cpu_access access)
{
	const struct mm_range *r = range_map_find(&mm->map, address);
	u32 need = access == ACCESS_WRITE   ? PROT_WRITE
		   : access == ACCESS_FETCH ? PROT_EXEC
					    : GUEST_PROT_RWX;

	if (!r || r->flags & RANGE_HOST)
		return MM_FAULT_MAPERR;
	return r->prot & need ? MM_FAULT_NONE : MM_FAULT_ACCERR;
}

/* With the hash MMU, an address outside every user segment: SEGV_BNDERR, do_slb_fault(). */
#define USER_SEGMENTS_END  (1ull << 47)
#define KERNEL_REGION_START (0xcull << 60)

enum mm_fault mm_check(struct mm *mm, u64 *address, u64 length, enum cpu_access access)
{
	u64 last = *address + (length ? length - 1 : 0);
	enum mm_fault fault;

	if (*address >= GUEST_ADDRESS_LIMIT || last >= GUEST_ADDRESS_LIMIT || last < *address) {
		u64 bad = *address >= GUEST_ADDRESS_LIMIT ? *address : GUEST_ADDRESS_LIMIT;

		*address = bad;
		return bad >= USER_SEGMENTS_END && bad < KERNEL_REGION_START ? MM_FAULT_BNDERR
									     : MM_FAULT_MAPERR;
	}
	lock(mm);
	fault = check_page(mm, *address, access);
	for (u64 page = ROUND_DOWN(*address, GUEST_PAGE_SIZE) + GUEST_PAGE_SIZE;
	     fault == MM_FAULT_NONE && page <= last; page += GUEST_PAGE_SIZE) {
		fault = check_page(mm, page, access);
		if (fault != MM_FAULT_NONE)
			*address = page;
	}
	unlock(mm);
	return fault;
}

/* --- changing -------------------------------------------------------------------------------- */

static bool valid_prot(u64 prot)
{
	return !(prot & ~(u64)(GUEST_PROT_RWX | GUEST_PROT_SEM | GUEST_PROT_SAO));
}

/* Where a mapping without fixed address goes. 0: nowhere. */
static u64 find_place(struct mm *mm, u64 hint, u64 length)
{
	hint = ROUND_UP(hint, GUEST_PAGE_SIZE);
	if (hint >= MM_MIN_ADDRESS && hint < GUEST_ADDRESS_LIMIT &&
	    length <= GUEST_ADDRESS_LIMIT - hint && hint + length <= mm->mmap_top &&
	    !range_map_overlaps(&mm->map, hint, hint + length))
		return hint;
	return range_map_gap_below(&mm->map, MM_MIN_ADDRESS, mm->mmap_top, length);
}

/* Check a fixed place. */
static s64 check_place(struct mm *mm, u64 address, u64 length, bool replace)
{
	if (address & PAGE_MASK)
		return -EINVAL;
	if (address >= GUEST_ADDRESS_LIMIT || length > GUEST_ADDRESS_LIMIT - address)
		return -ENOMEM;
	if (address < MM_MIN_ADDRESS)
		return -EPERM; /* as vm.mmap_min_addr */
	if (!replace && range_map_overlaps(&mm->map, address, address + length))
		return -EEXIST;
	if (overlaps_host(mm, address, address + length))
		return -ENOMEM;
	return 0;
}

static s64 place(struct mm *mm, u64 hint, u64 length, bool fixed, bool replace, u64 *address)
{
	s64 error;

	if (!fixed) {
		*address = find_place(mm, hint, length);
		return *address ? 0 : -ENOMEM;
	}
	error = check_place(mm, hint, length, replace);
	*address = hint;
	return error;
}

/* Which bytes two shared mappings have in common is told by the file. */
static s64 identify(struct mm *mm, u64 flags, int fd, u64 *object)
{
	struct stat st;

	if (flags & GUEST_MAP_ANONYMOUS) {
		bool shared = (flags & GUEST_MAP_TYPE) != MAP_PRIVATE;

		*object = shared ? 1ull << 63 | ++mm->anonymous_objects : 0;
		return 0;
	}
	if (fstat(fd, &st))
		return -EBADF;
	*object = (u64)st.st_dev * 0x9e3779b97f4a7c15ull + (u64)st.st_ino;
	*object = (*object & ~(1ull << 63)) | 1;
	return 0;
}

static s64 map_locked(struct mm *mm, u64 hint, u64 length, u64 prot, u64 flags, int fd, u64 offset)
{
	bool fixed = flags & (GUEST_MAP_FIXED | GUEST_MAP_FIXED_NOREPLACE);
	bool replace = !(flags & GUEST_MAP_FIXED_NOREPLACE);
	struct mm_range range = {.prot = (u32)prot & GUEST_PROT_RWX};
	s64 result = identify(mm, flags, fd, &range.object);

	if (result)
		return result;
	if (range_map_reserve(&mm->map))
		return -ENOMEM;
	for (int attempt = 0;; attempt++) {
		result = place(mm, hint, length, fixed, replace, &range.start);
		if (result)
			return result;
		range.end = range.start + length;
		if (fixed && replace)
			forget_code(mm, range.start, range.end);
		result = host_call(SYS_mmap, range.start, length, host_prot(range.prot),
				   host_map_flags(flags) |
					   (fixed && replace ? MAP_FIXED : MAP_FIXED_NOREPLACE),
				   fd, offset);
		if (result != -EEXIST || attempt == 2 || host_maps_note(&mm->map, GUEST_ADDRESS_LIMIT))
			break;
	}
	if (result < 0 && result > -4096)
		return result;
	if ((flags & GUEST_MAP_TYPE) != MAP_PRIVATE)
		range.flags |= RANGE_SHARED;
	if (flags & GUEST_MAP_ANONYMOUS)
		range.flags |= RANGE_ANONYMOUS;
	if (flags & GUEST_MAP_GROWSDOWN)
		range.flags |= RANGE_GROWSDOWN;
	range.offset = range.object ? offset : 0;
	range_map_set(&mm->map, &range);
	if (range.flags & RANGE_SHARED && range.prot & PROT_WRITE && !(flags & GUEST_MAP_ANONYMOUS))
		forget_code_of_object(mm, range.object);
	return (s64)range.start;
}

s64 mm_mmap(struct mm *mm, u64 address, u64 length, u64 prot, u64 flags, int fd, u64 offset)
{
	s64 result;

	if (!valid_prot(prot) || offset & PAGE_MASK || !length)
		return -EINVAL;
	if (length > GUEST_ADDRESS_LIMIT)
		return -ENOMEM;
	length = ROUND_UP(length, GUEST_PAGE_SIZE);
	lock(mm);
	result = map_locked(mm, address, length, prot, flags, fd, offset);
	unlock(mm);
	return result;
}

/* Unmap what the guest has mapped in [start, end). */
static s64 unmap_locked(struct mm *mm, u64 start, u64 end)
{
	if (range_map_reserve(&mm->map))
		return -ENOMEM;
	forget_code(mm, start, end);
	for (;;) {
		size_t i = range_map_index(&mm->map, start);
		struct mm_range part;
		s64 error;

		while (i < mm->map.count && mm->map.ranges[i].flags & RANGE_HOST)
			i++;
		if (i == mm->map.count || mm->map.ranges[i].start >= end)
			return 0;
		part = range_clip(&mm->map.ranges[i], start, end);
		error = host_call(SYS_munmap, part.start, part.end - part.start);
		if (error)
			return error;
		if (range_map_remove(&mm->map, part.start, part.end))
			return -ENOMEM;
		start = part.end;
	}
}

s64 mm_munmap(struct mm *mm, u64 address, u64 length)
{
	s64 result;

	if (address & PAGE_MASK || !length || address > GUEST_ADDRESS_LIMIT ||
	    length > GUEST_ADDRESS_LIMIT - address)
		return -EINVAL;
	lock(mm);
	result = unmap_locked(mm, address, address + ROUND_UP(length, GUEST_PAGE_SIZE));
	unlock(mm);
	return result;
}

static s64 protect_locked(struct mm *mm, u64 start, u64 end, u32 prot)
{
	u64 stop = first_hole(mm, start, end);
	s64 result = stop == end ? 0 : -ENOMEM;

	forget_code(mm, start, stop);
	while (start < stop) {
		const struct mm_range *r = range_map_find(&mm->map, start);
		struct mm_range part = range_clip(r, start, stop);
		s64 error;

		start = part.end;
		if (part.prot == prot)
			continue;
		error = host_call(SYS_mprotect, part.start, part.end - part.start, host_prot(prot));
		if (error)
			return error;
		part.prot = prot;
		if (range_map_set(&mm->map, &part))
			return -ENOMEM;
		if (prot & PROT_WRITE && part.flags & RANGE_SHARED && part.object)
			forget_code_of_object(mm, part.object);
	}
	return result;
}

s64 mm_mprotect(struct mm *mm, u64 address, u64 length, u64 prot)
{
	s64 result;

	prot &= ~0x3000000ull; /* PROT_GROWSDOWN, PROT_GROWSUP: mappings do not grow here */
	if (address & PAGE_MASK || !valid_prot(prot))
		return -EINVAL;
	if (!length)
		return 0;
	if (address >= GUEST_ADDRESS_LIMIT || length > GUEST_ADDRESS_LIMIT - address)
		return -ENOMEM;
	lock(mm);
	result = protect_locked(mm, address, address + ROUND_UP(length, GUEST_PAGE_SIZE),
				(u32)prot & GUEST_PROT_RWX);
	unlock(mm);
	return result;
}

u64 mm_brk(struct mm *mm, u64 address)
{
	u64 old_end = ROUND_UP(mm->brk, GUEST_PAGE_SIZE);
	u64 new_end = ROUND_UP(address, GUEST_PAGE_SIZE);
	s64 result = 0;

	lock(mm);
	if (address < mm->brk_start || address >= GUEST_ADDRESS_LIMIT) {
		result = -ENOMEM;
	} else if (new_end > old_end) {
		result = map_locked(mm, old_end, new_end - old_end, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | GUEST_MAP_ANONYMOUS | GUEST_MAP_FIXED_NOREPLACE,
				    -1, 0);
		if (result >= 0) {
			struct mm_range r = *range_map_find(&mm->map, old_end);

			r = range_clip(&r, old_end, new_end);
			r.flags |= RANGE_HEAP;
			range_map_set(&mm->map, &r);
		}
	} else if (new_end < old_end) {
		result = unmap_locked(mm, new_end, old_end);
	}
	if (result >= 0)
		mm->brk = address;
	unlock(mm);
	return mm->brk;
}

void mm_mark(struct mm *mm, u64 start, u64 end, u32 flags)
{
	lock(mm);
	while (start < end) {
		size_t i = range_map_index(&mm->map, start);
		struct mm_range part;

		if (i == mm->map.count || mm->map.ranges[i].start >= end)
			break;
		part = range_clip(&mm->map.ranges[i], start, end);
		part.flags |= flags;
		if (range_map_set(&mm->map, &part))
			break;
		start = part.end;
	}
	unlock(mm);
}

int mm_reserve(struct mm *mm, u64 start, u64 end)
{
	const struct mm_range range = {.start = start, .end = end, .flags = RANGE_HOST};
	int error;

	lock(mm);
	error = range_map_set(&mm->map, &range);
	unlock(mm);
	return error;
}

s64 mm_attach(struct mm *mm, u64 address, u64 length, u32 prot, u32 flags, u64 object, bool replace,
	      s64 (*map)(u64 address, void *context), void *context)
{
	struct mm_range range = {.prot = prot, .flags = flags, .object = object};
	s64 result;

	if (!length || length > GUEST_ADDRESS_LIMIT)
		return -EINVAL;
	length = ROUND_UP(length, GUEST_PAGE_SIZE);
	lock(mm);
	result = range_map_reserve(&mm->map);
	if (!result)
		result = place(mm, address, length, address != 0, replace, &range.start);
	if (!result) {
		range.end = range.start + length;
		forget_code(mm, range.start, range.end);
		result = map(range.start, context);
	}
	if (!result) {
		range_map_set(&mm->map, &range);
		if (prot & PROT_WRITE && flags & RANGE_SHARED && object)
			forget_code_of_object(mm, object);
		result = (s64)range.start;
	}
	unlock(mm);
	return result;
}

s64 mm_madvise(struct mm *mm, u64 address, u64 length, int advice)
{
	s64 result;

	if (address & PAGE_MASK)
		return -EINVAL;
	if (!length)
		return 0;
	if (address >= GUEST_ADDRESS_LIMIT || length > GUEST_ADDRESS_LIMIT - address)
		return -ENOMEM;
	length = ROUND_UP(length, GUEST_PAGE_SIZE);
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_FREE:
	case MADV_REMOVE:
		break;
	case MADV_HWPOISON:
	case 101: /* MADV_SOFT_OFFLINE */
		return -EPERM;
	default:
		return host_call(SYS_madvise, address, length, advice);
	}
	lock(mm);
	/* Parts that are not the guest's must keep their contents, as if not mapped. */
	forget_code(mm, address, address + length);
	if (overlaps_host(mm, address, address + length))
		result = -ENOMEM;
	else
		result = host_call(SYS_madvise, address, length, advice);
	unlock(mm);
	return result;
}

/* --- mremap ---------------------------------------------------------------------------------- */

struct remap {
	u64 old, old_length, length;
	u64 flags;
	u64 address;
};

/* Where the mapping goes; its own address if it stays. */
static s64 remap_place(struct mm *mm, const struct remap *m, u64 *to)
{
	if (m->flags & MREMAP_FIXED) {
		s64 error = check_place(mm, m->address, m->length, true);

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
		result = unmap_locked(mm, m->old + m->length, m->old + m->old_length);
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
	forget_code(mm, m->old, m->old + m->old_length);
	if (m->flags & MREMAP_FIXED) {
		result = unmap_locked(mm, to, to + m->length);
		if (result)
			return result;
	}
	result = host_call(SYS_mremap, m->old, MIN(m->old_length, m->length), m->length,
			   to == m->old ? 0
					: MREMAP_MAYMOVE | MREMAP_FIXED |
						  (m->flags & MREMAP_DONTUNMAP),
			   to);
	if (result < 0 && result > -4096)
		return result;
	if (to != m->old && m->old_length && !(m->flags & MREMAP_DONTUNMAP))
		range_map_remove(&mm->map, range.start, range.end);
	range.start = to;
	range.end = to + m->length;
	range.flags &= ~(u32)(RANGE_HEAP | RANGE_STACK);
	range_map_set(&mm->map, &range);
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
	lock(mm);
	result = remap_locked(mm, &m);
	unlock(mm);
	return result;
}
