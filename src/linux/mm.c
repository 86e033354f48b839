// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/mm.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tm/gate.h"
#include "linux/host_maps.h"
#include "linux/mm_internal.h"
#include "linux/mman.h"
#include "linux/syscall.h"
#include "linux/task.h"
#include "linux/tm_patch.h"

#define PAGE_MASK (GUEST_PAGE_SIZE - 1)

/* --- looking --------------------------------------------------------------------------------- */

struct mm *mm_create(const struct tm_config *tm)
{
	struct mm *mm = calloc(1, sizeof(*mm));

	if (!mm)
		return NULL;
	pthread_mutex_init(&mm->lock, NULL);
	mm->mmap_top = MM_STACK_TOP;
	mm->code_space = code_space_create(&mm_code_source, mm);
	mm->gate = gate_create();
	mm->tm = mm->gate ? tm_domain_create(mm->gate, tm) : NULL;
	if (!mm->tm || !mm->code_space || host_maps_note(&mm->map, GUEST_ADDRESS_LIMIT)) {
		free(mm);
		return NULL;
	}
	mm_serve_transactions(mm);
	return mm;
}

bool mm_lookup(struct mm *mm, u64 address, struct mm_range *range)
{
	const struct mm_range *r;
	bool found;

	mm_lock(mm);
	r = range_map_find(&mm->map, address);
	found = r && !(r->flags & RANGE_HOST);
	if (found)
		*range = *r;
	mm_unlock(mm);
	return found;
}

void mm_for_each(struct mm *mm, bool (*function)(const struct mm_range *range, void *context),
		 void *context)
{
	mm_lock(mm);
	for (size_t i = 0; i < mm->map.count; i++)
		if (!(mm->map.ranges[i].flags & RANGE_HOST) &&
		    !function(&mm->map.ranges[i], context))
			break;
	mm_unlock(mm);
}

/* First byte of [start, end) that the guest has not mapped; end if there is none. */
u64 mm_first_hole(struct mm *mm, u64 start, u64 end)
{
	for (size_t i = range_map_index(&mm->map, start); start < end; i++) {
		if (i == mm->map.count || mm->map.ranges[i].start > start ||
		    mm->map.ranges[i].flags & RANGE_HOST)
			return start;
		start = mm->map.ranges[i].end;
	}
	return end;
}

bool mm_overlaps_host(struct mm *mm, u64 start, u64 end)
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
	mm_lock(mm);
	mapped = mm_first_hole(mm, start, end) == end;
	mm_unlock(mm);
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

/*
 * With the hash MMU an address that neither user space nor the kernel has a segment for gives
 * SEGV_BNDERR (do_slb_fault()). With 4 KiB pages either has 64 TiB (book3s/64/hash-4k.h).
 */
#define KERNEL_REGION_START (0xcull << 60)
#define KERNEL_REGION_END   (KERNEL_REGION_START + (1ull << 46))

enum mm_fault mm_check(struct mm *mm, u64 *address, u64 length, enum cpu_access access)
{
	u64 last = *address + (length ? length - 1 : 0);
	enum mm_fault fault;

	if (*address >= GUEST_ADDRESS_LIMIT || last >= GUEST_ADDRESS_LIMIT || last < *address) {
		u64 bad = *address >= GUEST_ADDRESS_LIMIT ? *address : GUEST_ADDRESS_LIMIT;

		*address = bad;
		return bad >= KERNEL_REGION_START && bad < KERNEL_REGION_END ? MM_FAULT_MAPERR
									     : MM_FAULT_BNDERR;
	}
	mm_lock(mm);
	fault = check_page(mm, *address, access);
	for (u64 page = ROUND_DOWN(*address, GUEST_PAGE_SIZE) + GUEST_PAGE_SIZE;
	     fault == MM_FAULT_NONE && page <= last; page += GUEST_PAGE_SIZE) {
		fault = check_page(mm, page, access);
		if (fault != MM_FAULT_NONE)
			*address = page;
	}
	mm_unlock(mm);
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
s64 mm_check_place(struct mm *mm, u64 address, u64 length, bool replace)
{
	if (address & PAGE_MASK)
		return -EINVAL;
	if (address >= GUEST_ADDRESS_LIMIT || length > GUEST_ADDRESS_LIMIT - address)
		return -ENOMEM;
	if (address < MM_MIN_ADDRESS)
		return -EPERM; /* as vm.mmap_min_addr */
	if (!replace && range_map_overlaps(&mm->map, address, address + length))
		return -EEXIST;
	if (mm_overlaps_host(mm, address, address + length))
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
	error = mm_check_place(mm, hint, length, replace);
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

/* Nobody can execute it yet. */
static void file_mapped(struct mm *mm, const struct mm_range *range, int fd, u64 offset)
{
	if (unlikely(mm->patch_taborts) && range->prot & PROT_EXEC &&
	    !(range->flags & RANGE_SHARED))
		tm_patch_taborts(range->start, range->end, host_prot(range->prot));
	if (unlikely(mm->observer != NULL) && mm->observer->file_mapped)
		mm->observer->file_mapped(mm->observer->context, fd, range->start, range->end,
					  offset);
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
		if (fixed && replace) {
			mm_forget_code(mm, range.start, range.end);
			mm_change_begin(mm);
		}
		result = host_call(SYS_mmap, range.start, length, host_prot(range.prot),
				   host_map_flags(flags) |
					   (fixed && replace ? MAP_FIXED : MAP_FIXED_NOREPLACE),
				   fd, offset);
		if (fixed && replace)
			mm_change_end(mm, range.start, length);
		if (result != -EEXIST || attempt == 2 ||
		    host_maps_note(&mm->map, GUEST_ADDRESS_LIMIT))
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
	mm_note_aliases(mm, &range);
	if (range.flags & RANGE_SHARED && range.prot & PROT_WRITE && !(flags & GUEST_MAP_ANONYMOUS))
		mm_forget_code_of_object(mm, range.object);
	if (!(flags & GUEST_MAP_ANONYMOUS))
		file_mapped(mm, &range, fd, offset);
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
	mm_lock(mm);
	result = map_locked(mm, address, length, prot, flags, fd, offset);
	mm_unlock(mm);
	return result;
}

/* Unmap what the guest has mapped in [start, end). */
s64 mm_unmap_locked(struct mm *mm, u64 start, u64 end)
{
	if (range_map_reserve(&mm->map))
		return -ENOMEM;
	mm_forget_code(mm, start, end);
	for (;;) {
		size_t i = range_map_index(&mm->map, start);
		struct mm_range part;
		s64 error;

		while (i < mm->map.count && mm->map.ranges[i].flags & RANGE_HOST)
			i++;
		if (i == mm->map.count || mm->map.ranges[i].start >= end)
			return 0;
		part = range_clip(&mm->map.ranges[i], start, end);
		mm_change_begin(mm);
		error = host_call(SYS_munmap, part.start, part.end - part.start);
		mm_change_end(mm, part.start, part.end - part.start);
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
	mm_lock(mm);
	result = mm_unmap_locked(mm, address, address + ROUND_UP(length, GUEST_PAGE_SIZE));
	mm_unlock(mm);
	return result;
}

static s64 protect_locked(struct mm *mm, u64 start, u64 end, u32 prot)
{
	u64 stop = mm_first_hole(mm, start, end);
	s64 result = stop == end ? 0 : -ENOMEM;

	mm_forget_code(mm, start, stop);
	while (start < stop) {
		const struct mm_range *r = range_map_find(&mm->map, start);
		struct mm_range part = range_clip(r, start, stop);
		s64 error;

		start = part.end;
		if (part.prot == prot)
			continue;
		mm_change_begin(mm);
		error = host_call(SYS_mprotect, part.start, part.end - part.start, host_prot(prot));
		mm_change_end(mm, part.start, part.end - part.start);
		if (error)
			return error;
		part.prot = prot;
		if (range_map_set(&mm->map, &part))
			return -ENOMEM;
		if (prot & PROT_WRITE && part.flags & RANGE_SHARED && part.object)
			mm_forget_code_of_object(mm, part.object);
	}
	return result;
}

/* PROT_GROWSDOWN: from the start of a mapping that can grow. Return: 0 if this is none. */
static u64 grown_start(struct mm *mm, u64 address)
{
	const struct mm_range *r = range_map_find(&mm->map, address);

	return r && r->flags & (RANGE_STACK | RANGE_GROWSDOWN) ? r->start : 0;
}

s64 mm_mprotect(struct mm *mm, u64 address, u64 length, u64 prot)
{
	bool grows_down = prot & PROT_GROWSDOWN;
	u64 start = address;
	s64 result;

	prot &= ~(u64)PROT_GROWSDOWN;
	if (address & PAGE_MASK || !valid_prot(prot)) /* nothing grows upwards: PROT_GROWSUP */
		return -EINVAL;
	if (!length)
		return 0;
	if (address >= GUEST_ADDRESS_LIMIT || length > GUEST_ADDRESS_LIMIT - address)
		return -ENOMEM;
	mm_lock(mm);
	if (grows_down)
		start = grown_start(mm, address);
	result = start ? protect_locked(mm, start, address + ROUND_UP(length, GUEST_PAGE_SIZE),
					(u32)prot & GUEST_PROT_RWX)
		       : -EINVAL;
	mm_unlock(mm);
	return result;
}

u64 mm_brk(struct mm *mm, u64 address)
{
	u64 old_end = ROUND_UP(mm->brk, GUEST_PAGE_SIZE);
	u64 new_end = ROUND_UP(address, GUEST_PAGE_SIZE);
	s64 result = 0;

	mm_lock(mm);
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
		result = mm_unmap_locked(mm, new_end, old_end);
	}
	if (result >= 0)
		mm->brk = address;
	mm_unlock(mm);
	return mm->brk;
}

void mm_mark(struct mm *mm, u64 start, u64 end, u32 flags)
{
	mm_lock(mm);
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
	mm_unlock(mm);
}

int mm_reserve(struct mm *mm, u64 start, u64 end)
{
	const struct mm_range range = {.start = start, .end = end, .flags = RANGE_HOST};
	int error;

	mm_lock(mm);
	error = range_map_set(&mm->map, &range);
	mm_unlock(mm);
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
	mm_lock(mm);
	result = range_map_reserve(&mm->map);
	if (!result)
		result = place(mm, address, length, address != 0, replace, &range.start);
	if (!result) {
		range.end = range.start + length;
		mm_forget_code(mm, range.start, range.end);
		mm_change_begin(mm);
		result = map(range.start, context);
		mm_change_end(mm, range.start, length);
	}
	if (!result) {
		range_map_set(&mm->map, &range);
		mm_note_aliases(mm, &range);
		if (prot & PROT_WRITE && flags & RANGE_SHARED && object)
			mm_forget_code_of_object(mm, object);
		result = (s64)range.start;
	}
	mm_unlock(mm);
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
	case 24: /* MADV_DONTNEED_LOCKED */
		break;
	case MADV_HWPOISON:
	case 101: /* MADV_SOFT_OFFLINE */
		return -EPERM;
	default:
		return host_call(SYS_madvise, address, length, advice);
	}
	mm_lock(mm);
	/* Parts that are not the guest's must keep their contents, as if not mapped. */
	mm_forget_code(mm, address, address + length);
	if (mm_overlaps_host(mm, address, address + length)) {
		result = -ENOMEM;
	} else {
		mm_change_begin(mm);
		result = host_call(SYS_madvise, address, length, advice);
		mm_change_end(mm, address, length);
	}
	mm_unlock(mm);
	return result;
}
