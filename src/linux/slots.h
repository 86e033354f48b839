/* SPDX-License-Identifier: MIT */
/*
 * Slots: the virtual CPUs of the machine, shared by all guest processes of a tree.
 *
 * The machine has --smp N virtual CPUs. Each is a slot in a small piece of shared memory that the
 * first powertm makes and its children inherit over fork and exec. A host thread runs guest code
 * only while it holds a slot, so at any time one guest thread runs on each virtual CPU, whichever
 * process it is of.
 *
 * A slot is kept during a system call, and given up only if somebody else wants it: a holder in
 * a system call is robbed after SLOT_SYSCALL_GRACE_NS, as Go's scheduler does; a holder in guest
 * code is asked to leave at the end of its time slice; a holder that died is replaced at once.
 * One that does not answer for SLOT_STUCK_NS, because its process is stopped or it waits for a
 * page, is robbed, too: it finds out at its next safepoint, to which the question has sent it.
 *
 * All state changes of a slot are compare-and-swap on its `holder` word. A process that is killed
 * at any point therefore leaves nothing locked.
 */
#ifndef LINUX_SLOTS_H
#define LINUX_SLOTS_H

#include "base/types.h"

#define SLOTS_MAX 256

#define SLOT_SYSCALL_GRACE_NS 50000ull

/* After the end of its slice, longer than a transaction may put that off. */
#define SLOT_STUCK_NS 100000000ull

struct slots;

/* One thread's claim on a slot. */
struct slot_claim {
	s32 slot; /* -1 = none */
	u32 tid;  /* host thread id of the owner of this struct */
	u64 word; /* holder word that this thread last wrote */
};

/**
 * slots_create - make the shared table
 * @n: number of virtual CPUs, 1 to SLOTS_MAX
 * @slice_ns: time slice
 *
 * Return: the table, or NULL with errno set.
 */
struct slots *slots_create(u32 n, u64 slice_ns);

/* The table behind an inherited descriptor; NULL if it is none. */
struct slots *slots_attach(int fd);

/* Descriptor to hand to a child over exec. High and close-on-exec. */
int slots_fd(const struct slots *slots);

u32 slots_count(const struct slots *slots);

/* Time slice in ns. */
u64 slots_slice(const struct slots *slots);

/*
 * Room for counters (base/counters.h) of the whole process tree, once somebody has asked for them;
 * NULL before.
 */
#define SLOTS_COUNTERS 128
u64 *slots_counters(const struct slots *slots);
u64 *slots_start_counting(struct slots *slots);

/**
 * slots_extend - more memory that all who have the slots share, zeroed
 * @size: in bytes
 *
 * Once, by whoever has made the slots, before they are used or handed on; it moves them.
 * Return: NULL with errno set if there is none.
 */
void *slots_extend(struct slots *slots, size_t size);

/* That memory and its size; NULL and 0 if there is none. */
void *slots_extension(const struct slots *slots, size_t *size);

/* A thread number that no host thread and no other guest thread of the machine has. */
int slots_new_tid(struct slots *slots);

/**
 * slot_acquire - become the holder of a slot, waiting as long as it takes
 * @slots: the table
 * @claim: the calling thread's; holds none
 * @allowed: bit set of slots, SLOTS_MAX bits
 * @preferred: the slot to try first, or to wait for
 * @behind: others wait: let them come first
 *
 * Afterwards the slot is in claim->slot.
 */
void slot_acquire(struct slots *slots, struct slot_claim *claim, const u64 *allowed, u32 preferred,
		  bool behind);

/* Stop holding it. */
void slot_release(struct slots *slots, struct slot_claim *claim);

/* Has nobody taken the slot away? If somebody has, the claim is empty now. */
bool slot_held(const struct slots *slots, struct slot_claim *claim);

/* Does anybody else wait for the slot? A hint. */
bool slot_wanted(const struct slots *slots, const struct slot_claim *claim);

/* The slice of the holder is over. Any thread may ask; false if it holds no slot. */
bool slot_slice_over(const struct slots *slots, const struct slot_claim *claim);

/* So long that it may be taken from the holder, who does not come: SLOT_STUCK_NS. */
bool slot_is_stuck(const struct slots *slots, const struct slot_claim *claim);

/* Start a new slice, for another task on the same slot. */
void slot_new_slice(struct slots *slots, struct slot_claim *claim);

/* Around a system call of the holder. */
void slot_enter_syscall(struct slots *slots, struct slot_claim *claim);
/* Return: false if somebody took the slot meanwhile; the claim is empty then. */
bool slot_exit_syscall(struct slots *slots, struct slot_claim *claim);

#endif
