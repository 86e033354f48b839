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
#include "tm/tm.h"
#include "linux/range.h"

/* Lowest address of a mapping, as vm.mmap_min_addr. */
#define MM_MIN_ADDRESS 0x10000ull

/* Top of the area from which mappings are placed downwards, and of the stack. */
#if __has_feature(thread_sanitizer)
#define MM_STACK_TOP ((1ull << 41) - GUEST_PAGE_SIZE) /* its shadow lies above */
#else
#define MM_STACK_TOP (GUEST_ADDRESS_LIMIT - GUEST_PAGE_SIZE)
#endif

struct run_observer;

struct mm {
	pthread_mutex_t lock;
	struct range_map map;
	struct range_map code; /* pages that are write-protected for decoded code */
	struct code_space *code_space;
	struct gate *gate; /* for stopping the CPUs that run here */
	struct tm_domain *tm;
	bool change_excludes_commits; /* between mm_change_begin() and mm_change_end() */
	bool has_aliases;	      /* some memory has, or had, two addresses */
	bool unprotected_fetch;	      /* see mm_step_begin() */
	u8 step_hold;		/* enum gate_hold, meanwhile */
	u64 brk_start, brk;
	u64 mmap_top; /* mappings without address are placed below, highest first */
	u64 stack_low, stack_high;
	u64 anonymous_objects; /* shared anonymous mappings made so far */
	const struct run_observer *observer; /* of files that are mapped; NULL = none */
	bool patch_taborts; /* in code that is mapped: tm_patch.h */
};

/* An empty address space with its code space. NULL if memory is short. */
struct mm *mm_create(const struct tm_config *tm);

/* Map, unmap and so on as the system calls do, with powerpc's flags. Address or 0, or an error. */
s64 mm_mmap(struct mm *mm, u64 address, u64 length, u64 prot, u64 flags, int fd, u64 offset);
s64 mm_munmap(struct mm *mm, u64 address, u64 length);
s64 mm_mprotect(struct mm *mm, u64 address, u64 length, u64 prot);
s64 mm_mremap(struct mm *mm, u64 old, u64 old_length, u64 length, u64 flags, u64 address);
s64 mm_madvise(struct mm *mm, u64 address, u64 length, int advice);

/* New end of the heap, or the old one if it cannot be moved there. */
u64 mm_brk(struct mm *mm, u64 address);

/* Change what the map says of a mapping: RANGE_* flags to add. */
void mm_mark(struct mm *mm, u64 start, u64 end, u32 flags);

/* Keep a range free of mappings: a guard. */
int mm_reserve(struct mm *mm, u64 start, u64 end);

/**
 * mm_attach - have something mapped that mm_mmap() cannot map (shmat)
 * @address: 0, or where it must be
 * @replace: what is there may be replaced
 * @map: maps at the given place and returns 0 or a negative errno; called with the lock held
 *
 * Return: address or a negative errno.
 */
s64 mm_attach(struct mm *mm, u64 address, u64 length, u32 prot, u32 flags, u64 object, bool replace,
	      s64 (*map)(u64 address, void *context), void *context);

/* Have a host call made that changes what may be done with pages: transactions with a line there
 * fail. */
s64 mm_change(struct mm *mm, u64 start, u64 length, s64 (*change)(void *context), void *context);

/* The guest's range that holds an address. Return: false if unmapped. */
bool mm_lookup(struct mm *mm, u64 address, struct mm_range *range);

/* Call a function for each range of the guest in order, with the lock held; until it says false. */
void mm_for_each(struct mm *mm, bool (*function)(const struct mm_range *range, void *context),
		 void *context);

/* Is all of it mapped by the guest? */
bool mm_is_mapped(struct mm *mm, u64 address, u64 length);

/**
 * mm_write_prepare - before the host kernel or the kernel half writes to guest memory
 *
 * Makes pages that are only protected for decoded code writable and forgets the code. Cheap if
 * there are none. Return: true if something was changed.
 */
bool mm_write_prepare(struct mm *mm, u64 address, u64 length);

/*
 * An instruction that stores into its own page can never run while that page is protected. Between
 * these two calls code is decoded without protection, no other CPU runs and mm->lock is held; the
 * second forgets it all. For one cpu_step().
 */
void mm_step_begin(struct mm *mm);
void mm_step_end(struct mm *mm, u64 pc);

/**
 * enum mm_fault - what Linux would say about an access
 * @MM_FAULT_MAPERR: SIGSEGV, SEGV_MAPERR
 * @MM_FAULT_ACCERR: SIGSEGV, SEGV_ACCERR
 * @MM_FAULT_BNDERR: SIGSEGV, SEGV_BNDERR: no user address at all
 * @MM_FAULT_NONE: allowed; if it failed, the reason is not in the map
 */
enum mm_fault { MM_FAULT_NONE, MM_FAULT_MAPERR, MM_FAULT_ACCERR, MM_FAULT_BNDERR };

/* Classify an access of some bytes. *address is moved to the page that fails. */
enum mm_fault mm_check(struct mm *mm, u64 *address, u64 length, enum cpu_access access);

#endif
