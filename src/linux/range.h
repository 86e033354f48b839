/* SPDX-License-Identifier: MIT */
/*
 * A map of address ranges: sorted, not overlapping, neighbours with the same properties merged.
 *
 * Pure bookkeeping, no locks, no host calls: mm.c uses it with mm->lock held. Addresses are
 * multiples of GUEST_PAGE_SIZE. A change that fails for lack of memory changes nothing.
 */
#ifndef LINUX_RANGE_H
#define LINUX_RANGE_H

#include "base/types.h"

#define GUEST_PAGE_SIZE 4096ull

/* Guest's view of a mapping. */
#define RANGE_SHARED	0x01u
#define RANGE_ANONYMOUS 0x02u
#define RANGE_STACK	0x04u
#define RANGE_HEAP	0x08u
#define RANGE_VDSO	0x10u
#define RANGE_GROWSDOWN 0x20u
#define RANGE_SHM	0x40u /* attached by shmat */
#define RANGE_VVAR	0x100u /* data of the vDSO */
#define RANGE_HOST	0x80u /* not the guest's: in use by the host process, or a guard */

/**
 * struct mm_range - neighbouring pages with the same properties
 * @start: first byte
 * @end: behind the last byte
 * @prot: PROT_* as the guest asked
 * @flags: RANGE_*
 * @offset: of @start in the file or shared object; 0 for private anonymous memory
 * @object: identity of the file or shared object (device and inode mixed); 0 if there is none
 */
struct mm_range {
	u64 start, end;
	u32 prot;
	u32 flags;
	u64 offset;
	u64 object;
};

struct range_map {
	struct mm_range *ranges;
	size_t count, capacity;
};

void range_map_destroy(struct range_map *map);

/* Make room for the next change, so that it cannot fail. Return: 0 or -ENOMEM. */
int range_map_reserve(struct range_map *map);

/* Index of the first range that ends behind the address; map->count if none. */
size_t range_map_index(const struct range_map *map, u64 address);

/* The range that holds the address, or NULL. Valid until the next change. */
const struct mm_range *range_map_find(const struct range_map *map, u64 address);

/* Is every byte, or any byte, of [start, end) in some range? */
bool range_map_covers(const struct range_map *map, u64 start, u64 end);
bool range_map_overlaps(const struct range_map *map, u64 start, u64 end);

/* Put a range, in place of whatever was there. Return: 0 or -ENOMEM. */
int range_map_set(struct range_map *map, const struct mm_range *range);

/* Remove [start, end). Return: 0 or -ENOMEM. */
int range_map_remove(struct range_map *map, u64 start, u64 end);

/* Change the protection of what lies in [start, end). Return: 0 or -ENOMEM. */
int range_map_protect(struct range_map *map, u64 start, u64 end, u32 prot);

/* Highest free [result, result + length) within [low, high); 0 if there is none. */
u64 range_map_gap_below(const struct range_map *map, u64 low, u64 high, u64 length);

/* The part of a range that lies in [start, end). */
struct mm_range range_clip(const struct mm_range *range, u64 start, u64 end);

#endif
