// SPDX-License-Identifier: MIT
/*
 * What a transaction holds, in lines of 128 bytes: how many, what accesses in S do to them, what a
 * rollback-only one tracks, which instructions may not be inside, and reservations.
 * Power ISA 2.07B Book II 5.
 */
#define _GNU_SOURCE
#include "transaction.h"
#include "texasr.h"

#include <pthread.h>
#include <sys/mman.h>

#define LINE	 128
#define CAPACITY 64 /* of POWER8 */
#define TRIES	 200

static char area[512 * LINE] __attribute__((aligned(4096)));

/* Causes that may come at any time on a busy machine. */
static int is_transient(u64 texasr)
{
	return texasr && !(texasr & TEXASR_PERSISTENT) && !(texasr & TEXASR_NON_TM);
}

/*
 * A transaction: @code with r8 at @area, r9 = @count and r10 = 1; nothing else is touched. Result:
 * TEXASR of the failure, 0 if it was committed. f: flags of tbegin.
 */
#define TRANSACTION(flags, code, count)                                                            \
	({                                                                                         \
		u64 texasr_ = ~0ull;                                                               \
		for (int i_ = 0; i_ < TRIES && (texasr_ == ~0ull || is_transient(texasr_)); i_++)  \
			asm volatile("mr 8,%1\n\tmr 9,%2\n\tli 10,1\n\ttbegin. " flags             \
				     "\n\tbeq 1f\n\t" code "\n\ttend.\n\tli %0,0\n\tb 2f\n"        \
				     "1:	mfspr %0,130\n2:"                                         \
				     : "=&r"(texasr_)                                              \
				     : "b"(area), "r"((u64)(count))                                \
				     : "cr0", "cr7", "ctr", "xer", "r6", "r7", "r8", "r9", "r10",  \
				       "memory");                                                  \
		texasr_;                                                                           \
	})

#define LOADS  "mtctr 9\n3:	lbz 7,0(8)\n\taddi 8,8,128\n\tbdnz 3b\n"
#define STORES "mtctr 9\n3:	stb 10,0(8)\n\taddi 8,8,128\n\tbdnz 3b\n"

/* Cause and persistence, without what every record has. */
static u64 cause(u64 texasr)
{
	return texasr & 0xffff800000000000;
}

static void test_capacity(void)
{
	memset(area, 0, sizeof(area));
	is(TRANSACTION("", LOADS, CAPACITY), 0, "64 lines can be loaded");
	is(cause(TRANSACTION("", LOADS, CAPACITY + 1)), TEXASR_FOOTPRINT | TEXASR_PERSISTENT,
	   "the 65th is too many: footprint overflow, persistent");
	is(TRANSACTION("", STORES, CAPACITY), 0, "64 lines can be stored to");
	ok(area[0] && area[63 * LINE] && !area[64 * LINE], "and were");
	is(cause(TRANSACTION("", STORES, CAPACITY + 1)), TEXASR_FOOTPRINT | TEXASR_PERSISTENT,
	   "the 65th is too many");
	ok(!area[64 * LINE], "and nothing was stored");
	is(TRANSACTION("1", LOADS, 300), 0, "a rollback-only transaction holds no line it loads");
	is(cause(TRANSACTION("1", STORES, CAPACITY + 1)), TEXASR_FOOTPRINT | TEXASR_PERSISTENT,
	   "but those that it stores to");
	is(TRANSACTION("", "tsuspend.\n\t" LOADS "tresume.", 300), 0, "loads in S hold none");
}

/* --- S --------------------------------------------------------------------------------------- */

#define SELF (TEXASR_SELF_CONFLICT | TEXASR_PERSISTENT)

static void test_suspended(void)
{
	u64 texasr;

	memset(area, 0, sizeof(area));
	texasr = TRANSACTION("", "lbz 7,0(8)\n\ttsuspend.\n\tstb 10,1(8)\n\ttresume.", 0);
	is(cause(texasr), SELF, "a store in S to a line that was loaded in T: self-induced");
	ok((texasr & TEXASR_SUSPENDED) != 0, "recorded in S");
	is(area[1], 1, "the store is kept");
	memset(area, 0, sizeof(area));
	is(cause(TRANSACTION("", "stb 10,0(8)\n\ttsuspend.\n\tstb 10,64(8)\n\ttresume.", 0)), SELF,
	   "a store in S to another word of a line written in T");
	is(area[0], 0, "what T stored is gone");
	is(area[64], 1, "what S stored is not");
	is(TRANSACTION("", "stb 10,0(8)\n\ttsuspend.\n\tstb 10,128(8)\n\ttresume.", 0), 0,
	   "to a line of its own: no conflict, padding helps");
	is(TRANSACTION("1", "lbz 7,0(8)\n\ttsuspend.\n\tstb 10,1(8)\n\ttresume.", 0), 0,
	   "rollback-only: no conflict with what was only loaded");
	memset(area, 0, sizeof(area));
	is(TRANSACTION("",
		       "li 7,9\n\tstb 7,0(8)\n\ttsuspend.\n\tlbz 6,0(8)\n\tstb 6,256(8)\n\t"
		       "tresume.",
		       0),
	   0, "a load in S of what T stored is no conflict");
	is(area[256], 9, "and sees it");
	memset(area, 0, sizeof(area));
	texasr = TRANSACTION("",
			     "li 7,9\n\tstb 7,0(8)\n\ttsuspend.\n\tli 7,3\n\ttabort. 7\n\t"
			     "lbz 6,0(8)\n\taddi 6,6,1\n\tstb 6,256(8)\n\ttresume.",
			     0);
	is(texasr >> 56, 3, "tabort. in S");
	is(area[256], 1, "after which memory is seen");
	is(cause(TRANSACTION("", "lbz 7,0(8)\n\ttsuspend.\n\tdcbf 0,8\n\ttresume.", 0)), SELF,
	   "dcbf in S of a line loaded in T");
	is(cause(TRANSACTION("", "stb 10,0(8)\n\ttsuspend.\n\tdcbst 0,8\n\ttresume.", 0)), SELF,
	   "dcbst of one stored to");
	is(TRANSACTION("", "lbz 7,0(8)\n\ttsuspend.\n\tdcbst 0,8\n\ttresume.", 0), 0,
	   "dcbst of one only loaded: none");
}

/* --- not permitted --------------------------------------------------------------------------- */

#define DISALLOWED (TEXASR_DISALLOWED | TEXASR_PERSISTENT)

static void test_disallowed(void)
{
	u64 texasr = TRANSACTION("", "dcbf 0,8", 0);

	is(cause(texasr), DISALLOWED, "dcbf in T");
	ok((texasr & TEXASR_EXACT) != 0, "exact");
	is(cause(TRANSACTION("", "dcbst 0,8", 0)), DISALLOWED, "dcbst in T");
	is(cause(TRANSACTION("", "icbi 0,8", 0)), DISALLOWED, "icbi in T");
	is(TRANSACTION("", "dcbt 0,8\n\tdcbtst 0,8\n\tdcbz 0,8", 0), 0,
	   "dcbt, dcbtst and dcbz are permitted");
	is(TRANSACTION("", "sync\n\tlwsync\n\tisync\n\teieio", 0), 0, "barriers are");
	is(TRANSACTION("", "mfspr 7,268", 0), 0, "and the time base");
	area[7] = 9;
	is(TRANSACTION("", "dcbz 0,8", 0), 0, "dcbz in T");
	is(area[7], 0, "clears the line");
}

/* Code that a transaction has written cannot be executed by it. */
static void test_fetch(void)
{
	u32 *code = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 texasr = ~0ull;

	code[0] = 0x4e800020; /* blr */
	for (int i = 0; i < TRIES && (texasr == ~0ull || is_transient(texasr)) &&
			!(texasr != ~0ull && texasr & TEXASR_FETCH);
	     i++)
		asm volatile(
			"lwz 7,0(%1)\n\ttbegin.\n\tbeq 1f\n\tstw 7,0(%1)\n\tmtctr %1\n\tbctrl\n\t"
			"tend.\n\tli %0,0\n\tb 2f\n1:	mfspr %0,130\n2:"
			: "=&r"(texasr)
			: "b"(code)
			: "cr0", "ctr", "lr", "r7", "memory");
	ok((texasr & TEXASR_FETCH) != 0, "a fetch from what the transaction has written fails it");
	munmap(code, 65536);
}

/* --- reservations ---------------------------------------------------------------------------- */

/* Did the stcx. succeed? 2: the transaction did not commit. */
#define STORED(before, inside, after)                                                              \
	({                                                                                         \
		u64 stored_ = 2;                                                                   \
		for (int i_ = 0; i_ < TRIES && stored_ == 2; i_++)                                 \
			asm volatile("mr 8,%1\n\tli 10,1\n\tli 6,0\n\t" before                     \
				     "\n\ttbegin.\n\tbeq 1f\n\t" inside "\n\ttend.\n\t" after      \
				     "\n\tmr %0,6\n1:"                                             \
				     : "+r"(stored_)                                               \
				     : "b"(area)                                                   \
				     : "cr0", "r6", "r7", "r8", "r10", "memory");                  \
		stored_;                                                                           \
	})
#define LARX "ldarx 7,0,8"
#define STCX "stdcx. 10,0,8\n\tmfcr 6\n\trlwinm 6,6,3,31,31"

static void test_reservations(void)
{
	is(STORED("", LARX "\n\t" STCX, ""), 1, "larx and stcx. in one transaction");
	is(STORED(LARX, STCX, ""), 0, "not across tbegin.");
	is(STORED("", LARX, STCX), 0, "not across tend.");
	is(STORED(LARX, "nop", STCX), 0, "not around a transaction");
	is(STORED("", "tsuspend.\n\t" LARX "\n\t" STCX "\n\ttresume.", ""), 1, "both in S");
}

/* --- two threads ----------------------------------------------------------------------------- */

static volatile u32 go, done;

static void *store(void *address)
{
	while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
		sched_yield();
	(*(volatile char *)address)++;
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * The line of @area is loaded (@how 0), stored to (1) or loaded by a rollback-only transaction (2);
 * then, in S, another thread is told to store to @offset in it and waited for.
 */
static u64 conflict(int how, u64 offset)
{
	u64 texasr = ~0ull;

	for (int i = 0; i < 50; i++) {
		pthread_t thread;

		go = done = 0;
		pthread_create(&thread, NULL, store, area + offset);
		asm volatile(
			"cmpdi 1,%[how],1\n\tli 10,1\n\tblt 1,4f\n\tbeq 1,5f\n\t"
			"tbegin. 1\n\tbeq 1f\n\tb 6f\n"
			"4:	tbegin.\n\tbeq 1f\n6:	lbz 7,0(%[area])\n\tb 7f\n"
			"5:	tbegin.\n\tbeq 1f\n\tstb 10,0(%[area])\n"
			"7:	tsuspend.\n\tstw 10,0(%[go])\n"
			"3:	lwz 7,0(%[done])\n\tcmpwi 7,0\n\tbeq 3b\n\t"
			"tresume.\n\ttend.\n\tli %[texasr],0\n\tb 2f\n"
			"1:	mfspr %[texasr],130\n2:"
			: [texasr] "=&r"(texasr)
			: [how] "r"((long)how), [area] "b"(area), [go] "b"(&go), [done] "b"(&done)
			: "cr0", "cr1", "r7", "r10", "memory");
		__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
		pthread_join(thread, NULL);
		/* On one CPU waiting is a switch, after which nothing else is recorded. */
		if (texasr >> 56 != CODE_RESCHEDULE && !(texasr & TEXASR_IMPLEMENTATION))
			break;
	}
	return texasr;
}

static void expect(u64 texasr, u64 bits, const char *name)
{
	if (texasr >> 56 == CODE_RESCHEDULE)
		printf("ok %d - %s # skip the thread was switched each time\n", ++tap_count, name);
	else
		is(cause(texasr), bits, name);
}

static void test_conflicts(void)
{
	memset(area, 0, sizeof(area));
	expect(conflict(0, 1), TEXASR_NON_TM,
	       "another thread stores to a line that was loaded, as a lock word: non-transactional "
	       "(6ec52bf634)");
	expect(conflict(1, 64), TEXASR_NON_TM, "or stored to, 64 bytes apart");
	expect(conflict(1, 128), 0, "128 bytes apart: no conflict");
	expect(conflict(2, 1), 0, "nor with what a rollback-only transaction has loaded");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_capacity();
	test_suspended();
	test_disallowed();
	test_fetch();
	test_reservations();
	test_conflicts();
	return tap_end();
}
