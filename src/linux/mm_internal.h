/* SPDX-License-Identifier: MIT */
/*
 * What the mm_*.c files share. Everything here is called with mm->lock held.
 */
#ifndef LINUX_MM_INTERNAL_H
#define LINUX_MM_INTERNAL_H

#include "linux/mm.h"

static inline void mm_lock(struct mm *mm)
{
	pthread_mutex_lock(&mm->lock);
}

static inline void mm_unlock(struct mm *mm)
{
	pthread_mutex_unlock(&mm->lock);
}

/* How the engine asks for code. */
extern const struct code_source mm_code_source;

/* What is mapped in [start, end) is about to change or go: forget its decoded code. */
void mm_forget_code(struct mm *mm, u64 start, u64 end);

/* A writable view of a shared object came to be: its code must be protected against it. */
void mm_forget_code_of_object(struct mm *mm, u64 object);

/*
 * Around a host call that takes pages of a range away or changes what may be done with them: no
 * transaction commits meanwhile, and those with a line in the range will fail. No lock may be taken
 * and no code forgotten in between.
 */
void mm_change_begin(struct mm *mm);
void mm_change_end(struct mm *mm, u64 start, u64 length);

/* A mapping came to be: memory may have two addresses now. */
void mm_note_aliases(struct mm *mm, const struct mm_range *range);

/* For mm_create(). */
void mm_serve_transactions(struct mm *mm);

/* First byte of [start, end) that the guest has not mapped; end if there is none. */
u64 mm_first_hole(struct mm *mm, u64 start, u64 end);

/* Is anything of [start, end) RANGE_HOST? */
bool mm_overlaps_host(struct mm *mm, u64 start, u64 end);

/* May the guest map there? Return: 0 or the error of mmap. */
s64 mm_check_place(struct mm *mm, u64 address, u64 length, bool replace);

/* Unmap what the guest has mapped in [start, end). Return: 0 or a negative errno. */
s64 mm_unmap_locked(struct mm *mm, u64 start, u64 end);

#endif
