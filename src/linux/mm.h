/* SPDX-License-Identifier: MIT */
/*
 * The guest's address space, kept by range.
 *
 * A guest address is a host address, so each guest mapping is a host mapping at the same place;
 * this room remembers what the guest thinks of it and decides where new ones go. Guest pages are
 * 4 KiB (AT_PAGESZ), as the host's. Everything lies below GUEST_ADDRESS_LIMIT; powertm itself
 * lives above.
 *
 * Pages whose instructions were decoded are write-protected on the host while the guest may believe
 * that it can write to them. A store there faults on the host; mm_write_fault() makes the page
 * writable again and forgets the decoded instructions.
 *
 * Functions that return s64 or int give negative errno values. Any thread may call them; they
 * take mm->lock, except those that say otherwise.
 */
#ifndef LINUX_MM_H
#define LINUX_MM_H

#include <pthread.h>

#include "engine/engine.h"

#define GUEST_PAGE_SIZE 4096ull

/* Lowest address of a mapping, as vm.mmap_min_addr. */
#define MM_MIN_ADDRESS 0x10000ull

/* Top of the area from which mappings are placed downwards, and of the stack. */
#define MM_STACK_TOP (GUEST_ADDRESS_LIMIT - GUEST_PAGE_SIZE)

/* Guest's view of a mapping. */
#define RANGE_SHARED	0x01u
#define RANGE_ANONYMOUS 0x02u
#define RANGE_STACK	0x04u
#define RANGE_HEAP	0x08u
#define RANGE_VDSO	0x10u
#define RANGE_GROWSDOWN 0x20u
#define RANGE_SHM	0x40u /* attached by shmat */

/**
 * struct mm_range - neighbouring pages with the same properties
 * @start: first byte
 * @end: behind the last byte
 * @prot: PROT_* as the guest asked
 * @flags: RANGE_*
 * @offset: in the file, of @start
 * @object: identity of the file or shared object (device and inode mixed); 0 if anonymous
 */
struct mm_range {
	u64 start, end;
	u32 prot;
	u32 flags;
	u64 offset;
	u64 object;
};

/* Sorted, not overlapping, neighbours merged where they can be. range.c */
struct range_map {
	struct mm_range *ranges;
	size_t count, capacity;
};

struct mm {
	pthread_mutex_t lock;
	struct range_map map;
	struct range_map code; /* pages that are write-protected for decoded code */
	struct code_space *code_space;
	u64 brk_start, brk;
	u64 mmap_top; /* search for free space starts here, downwards */
	u64 stack_low, stack_high;
};

struct mm *mm_create(void);

/* Where and how to map, in guest terms (PROT_* and MAP_* with powerpc's values). */
s64 mm_mmap(struct mm *mm, u64 address, u64 length, u64 prot, u64 flags, int fd, u64 offset);
s64 mm_munmap(struct mm *mm, u64 address, u64 length);
s64 mm_mprotect(struct mm *mm, u64 address, u64 length, u64 prot);
s64 mm_mremap(struct mm *mm, u64 old, u64 old_length, u64 length, u64 flags, u64 address);
s64 mm_brk(struct mm *mm, u64 address);
s64 mm_madvise(struct mm *mm, u64 address, u64 length, int advice);

/* A free range of the guest's space, for those who map by themselves; -ENOMEM if none. */
s64 mm_find_free(struct mm *mm, u64 hint, u64 length);

/* Tell that something else was mapped there (shmat). Forgets code of what was there. */
int mm_note(struct mm *mm, const struct mm_range *range);

/* The range that holds an address. Return: false if unmapped. */
bool mm_lookup(struct mm *mm, u64 address, struct mm_range *range);

/* Call a function for each range in order of address, with the lock held. Ends when it says so. */
void mm_for_each(struct mm *mm, bool (*function)(const struct mm_range *range, void *context),
		 void *context);

/**
 * mm_write_prepare - before the host kernel or the kernel half writes to guest memory
 *
 * Makes pages that are only protected for decoded code writable and forgets the code. Cheap if
 * there are none. Return: true if something was changed.
 */
bool mm_write_prepare(struct mm *mm, u64 address, u64 length);

#endif
