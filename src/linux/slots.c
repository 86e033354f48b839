// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/private_fd.h"
#include "linux/range.h"
#include "linux/signal_host.h"

#define MAGIC 0x736c6f7473303031ull

/*
 * The holder word: host thread id, then whether it is in a system call, then a number that every
 * entry to a system call changes, so that a waiter can tell whether it is still the same call.
 */
#define HOLDER_TID(word)  ((u32)(word))
#define HOLDER_SYSCALL	  (1ull << 32)
#define HOLDER_SEQUENCE	  (1ull << 33)
#define HOLDER_GUEST(tid) ((u64)(tid))

struct slot {
	ALIGNED(128) u64 holder; /* 0 = free */
	u32 waiters;
	u32 released;  /* futex word: counts releases */
	u64 slice_end; /* CLOCK_MONOTONIC ns */
};

struct shared {
	u64 magic;
	u32 n;
	u32 n_tids; /* given out */
	u64 slice_ns;
	u32 counting;
	u64 counters[SLOTS_COUNTERS];
	u64 extension; /* bytes behind the slots and padding to a page */
	struct slot slot[];
};

struct slots {
	struct shared *shared;
	int fd;
};

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static size_t size_for(u32 n)
{
	return sizeof(struct shared) + n * sizeof(struct slot);
}

static size_t extension_offset(u32 n)
{
	return ROUND_UP(size_for(n), (size_t)GUEST_PAGE_SIZE);
}

static struct slots *wrap(struct shared *shared, int fd)
{
	struct slots *slots = malloc(sizeof(*slots));

	if (slots) {
		*slots = (struct slots){.shared = shared, .fd = fd};
		private_fd_adopt(&slots->fd);
	}
	return slots;
}

struct slots *slots_create(u32 n, u64 slice_ns)
{
	size_t size = size_for(n);
	struct shared *shared;
	int fd;

	fd = memfd_create("powertm-slots", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (ftruncate(fd, (off_t)size))
		goto fail;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		goto fail;
	shared->magic = MAGIC;
	shared->n = n;
	shared->slice_ns = slice_ns;
	return wrap(shared, fd);
fail:
	close(fd);
	return NULL;
}

struct slots *slots_attach(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	struct shared *shared;

	if (size < (off_t)sizeof(struct shared))
		return NULL;
	shared = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return NULL;
	if (shared->magic != MAGIC || shared->n == 0 || shared->n > SLOTS_MAX ||
	    size_for(shared->n) > (size_t)size ||
	    (shared->extension &&
	     extension_offset(shared->n) + shared->extension != (size_t)size)) {
		munmap(shared, (size_t)size);
		return NULL;
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return wrap(shared, fd);
}

int slots_fd(const struct slots *slots)
{
	return slots->fd;
}

u32 slots_count(const struct slots *slots)
{
	return slots->shared->n;
}

u64 slots_slice(const struct slots *slots)
{
	return slots->shared->slice_ns;
}

u64 *slots_counters(const struct slots *slots)
{
	return slots->shared->counting ? slots->shared->counters : NULL;
}

u64 *slots_start_counting(struct slots *slots)
{
	slots->shared->counting = 1;
	return slots->shared->counters;
}

void *slots_extend(struct slots *slots, size_t size)
{
	u32 n = slots->shared->n;
	size_t offset = extension_offset(n);
	struct shared *moved;

	if (ftruncate(slots->fd, (off_t)(offset + size)))
		return NULL;
	moved = mmap(NULL, offset + size, PROT_READ | PROT_WRITE, MAP_SHARED, slots->fd, 0);
	if (moved == MAP_FAILED)
		return NULL;
	munmap(slots->shared, size_for(n));
	slots->shared = moved;
	moved->extension = size;
	return (u8 *)moved + offset;
}

void *slots_extension(const struct slots *slots, size_t *size)
{
	*size = slots->shared->extension;
	return *size ? (u8 *)slots->shared + extension_offset(slots->shared->n) : NULL;
}

/* Above the largest pid_max of Linux, and within FUTEX_TID_MASK. */
#define FIRST_TID 0x400000u
#define TIDS	  0x3bffffffu

int slots_new_tid(struct slots *slots)
{
	u32 n = __atomic_fetch_add(&slots->shared->n_tids, 1, __ATOMIC_RELAXED);

	return (int)(FIRST_TID + n % TIDS);
}

/* The scheduler's ticker reads what its own thread writes. */
static void set_slot(struct slot_claim *claim, s32 slot)
{
	__atomic_store_n(&claim->slot, slot, __ATOMIC_RELAXED);
}

static struct slot *slot_of(const struct slots *slots, const struct slot_claim *claim)
{
	return &slots->shared->slot[claim->slot];
}

static bool swap_holder(struct slot *slot, u64 old, u64 new_word)
{
	return __atomic_compare_exchange_n(&slot->holder, &old, new_word, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/* Take a slot whose holder word is @old. */
static bool take(struct slots *slots, struct slot_claim *claim, u32 index, u64 old)
{
	struct slot *slot = &slots->shared->slot[index];

	if (!swap_holder(slot, old, HOLDER_GUEST(claim->tid)))
		return false;
	set_slot(claim, (s32)index);
	claim->word = HOLDER_GUEST(claim->tid);
	__atomic_store_n(&slot->slice_end, now_ns() + slots->shared->slice_ns, __ATOMIC_RELAXED);
	return true;
}

static bool is_allowed(const u64 *allowed, u32 index)
{
	return __atomic_load_n(&allowed[index / 64], __ATOMIC_RELAXED) >> index % 64 & 1;
}

/* The first slot from @index on that is allowed; @index if there is none. */
static u32 next_allowed(const struct slots *slots, const u64 *allowed, u32 index)
{
	u32 n = slots->shared->n;

	for (u32 i = 0; i < n && !is_allowed(allowed, index); i++)
		index = (index + 1) % n;
	return index;
}

static bool take_free(struct slots *slots, struct slot_claim *claim, const u64 *allowed,
		      u32 preferred)
{
	u32 n = slots->shared->n;

	for (u32 i = 0; i < n; i++) {
		u32 index = (preferred + i) % n;

		if (is_allowed(allowed, index) &&
		    __atomic_load_n(&slots->shared->slot[index].holder, __ATOMIC_RELAXED) == 0 &&
		    take(slots, claim, index, 0))
			return true;
	}
	return false;
}

static bool is_dead(u32 tid)
{
	return syscall(SYS_tkill, tid, 0) < 0 && errno == ESRCH;
}

/* Ask a holder in guest code to come to a safepoint: its signal handler sets its poll word. */
static void kick(u32 tid)
{
	syscall(SYS_tkill, tid, HOST_SIGNAL_KICK);
}

static void wait_for_release(struct slot *slot, u32 seen, u64 ns)
{
	struct timespec limit = {.tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000)};

	syscall(SYS_futex, &slot->released, FUTEX_WAIT, seen, &limit, NULL, 0);
}

/*
 * One look at all slots: take one that is free, or that its holder has no use for. @seen: the
 * holder words of the last look, one grace period ago. Return: whether there is one now; *syscall
 * tells whether a holder is in a system call.
 */
static bool take_any(struct slots *slots, struct slot_claim *claim, const u64 *allowed,
		     u32 preferred, u64 *seen, bool *syscall)
{
	u32 n = slots->shared->n;

	*syscall = false;
	for (u32 i = 0; i < n; i++) {
		u32 index = (preferred + i) % n;
		struct slot *slot = &slots->shared->slot[index];
		u64 holder = __atomic_load_n(&slot->holder, __ATOMIC_SEQ_CST);

		if (!is_allowed(allowed, index))
			continue;
		/* Nobody, or in the same call as one grace period ago: rob the holder. */
		if (holder == 0 || (holder & HOLDER_SYSCALL && holder == seen[index]))
			if (take(slots, claim, index, holder))
				return true;
		if (holder & HOLDER_SYSCALL)
			*syscall = true;
		seen[index] = holder;
	}
	return false;
}

/*
 * A holder in guest code whose slice is over: ask it to leave. If it is dead, or does not answer
 * for long, because its process is stopped or it waits for a page, it need not be asked. Return:
 * whether the slot is ours now.
 */
static bool take_overdue(struct slots *slots, struct slot_claim *claim, u32 index)
{
	struct slot *slot = &slots->shared->slot[index];
	u64 holder = __atomic_load_n(&slot->holder, __ATOMIC_SEQ_CST);
	u64 slice_end = __atomic_load_n(&slot->slice_end, __ATOMIC_RELAXED), now = now_ns();

	if (!holder || holder & HOLDER_SYSCALL || now < slice_end)
		return false;
	if (is_dead(HOLDER_TID(holder)))
		return take(slots, claim, index, holder);
	kick(HOLDER_TID(holder));
	return now - slice_end > SLOT_STUCK_NS && take(slots, claim, index, holder);
}

/* How long to wait before the next look. */
static u64 patience(const struct slot *slot, bool syscall)
{
	u64 slice_end = __atomic_load_n(&slot->slice_end, __ATOMIC_RELAXED), now = now_ns();

	if (syscall)
		return SLOT_SYSCALL_GRACE_NS;
	return now < slice_end ? MIN(slice_end - now, 1000000) : 200000;
}

void slot_acquire(struct slots *slots, struct slot_claim *claim, const u64 *allowed, u32 preferred,
		  bool behind)
{
	u32 n = slots->shared->n, index = preferred % n;
	u64 seen[SLOTS_MAX];
	struct slot *slot;

	if (!behind && take_free(slots, claim, allowed, preferred))
		return;
	index = next_allowed(slots, allowed, index);
	memset(seen, 0, n * sizeof(seen[0]));
	slot = &slots->shared->slot[index];
	if (behind) /* those who were woken by the release are on their way */
		wait_for_release(slot, __atomic_load_n(&slot->released, __ATOMIC_SEQ_CST), 100000);
	__atomic_fetch_add(&slot->waiters, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		u32 released = __atomic_load_n(&slot->released, __ATOMIC_SEQ_CST);
		bool syscall;

		/* The affinity may change meanwhile: pthread_create() sets that of a new thread. */
		if (unlikely(!is_allowed(allowed, index))) {
			__atomic_fetch_sub(&slot->waiters, 1, __ATOMIC_SEQ_CST);
			index = next_allowed(slots, allowed, index);
			slot = &slots->shared->slot[index];
			__atomic_fetch_add(&slot->waiters, 1, __ATOMIC_SEQ_CST);
			released = __atomic_load_n(&slot->released, __ATOMIC_SEQ_CST);
		}
		if (take_any(slots, claim, allowed, index, seen, &syscall) ||
		    take_overdue(slots, claim, index))
			break;
		wait_for_release(slot, released, patience(slot, syscall));
	}
	__atomic_fetch_sub(&slot->waiters, 1, __ATOMIC_SEQ_CST);
}

void slot_release(struct slots *slots, struct slot_claim *claim)
{
	struct slot *slot;

	if (claim->slot < 0)
		return;
	slot = slot_of(slots, claim);
	swap_holder(slot, claim->word, 0); /* fails if the slot was taken from us: as well */
	set_slot(claim, -1);
	if (__atomic_load_n(&slot->waiters, __ATOMIC_SEQ_CST)) {
		__atomic_fetch_add(&slot->released, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &slot->released, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

bool slot_wanted(const struct slots *slots, const struct slot_claim *claim)
{
	return __atomic_load_n(&slot_of(slots, claim)->waiters, __ATOMIC_RELAXED) != 0;
}

static bool slice_over_for(const struct slots *slots, const struct slot_claim *claim, u64 ns)
{
	s32 slot = __atomic_load_n(&claim->slot, __ATOMIC_RELAXED);

	return slot >= 0 && now_ns() >= ns + __atomic_load_n(&slots->shared->slot[slot].slice_end,
							     __ATOMIC_RELAXED);
}

bool slot_slice_over(const struct slots *slots, const struct slot_claim *claim)
{
	return slice_over_for(slots, claim, 0);
}

bool slot_is_stuck(const struct slots *slots, const struct slot_claim *claim)
{
	return slice_over_for(slots, claim, SLOT_STUCK_NS);
}

void slot_new_slice(struct slots *slots, struct slot_claim *claim)
{
	__atomic_store_n(&slot_of(slots, claim)->slice_end, now_ns() + slots->shared->slice_ns,
			 __ATOMIC_RELAXED);
}

bool slot_held(const struct slots *slots, struct slot_claim *claim)
{
	if (claim->slot >= 0 &&
	    __atomic_load_n(&slot_of(slots, claim)->holder, __ATOMIC_RELAXED) != claim->word)
		set_slot(claim, -1);
	return claim->slot >= 0;
}

void slot_enter_syscall(struct slots *slots, struct slot_claim *claim)
{
	u64 word = (claim->word + HOLDER_SEQUENCE) | HOLDER_SYSCALL;

	if (claim->slot >= 0 && unlikely(!swap_holder(slot_of(slots, claim), claim->word, word)))
		set_slot(claim, -1);
	claim->word = word;
}

bool slot_exit_syscall(struct slots *slots, struct slot_claim *claim)
{
	u64 guest = claim->word & ~HOLDER_SYSCALL;

	if (claim->slot >= 0 && likely(swap_holder(slot_of(slots, claim), claim->word, guest))) {
		claim->word = guest;
		return true;
	}
	set_slot(claim, -1);
	return false;
}
