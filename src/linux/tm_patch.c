// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/tm_patch.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/counters.h"
#include "base/host_copy.h"
#include "base/log.h"
#include "linux/range.h"
#include "linux/syscall.h"

#define NOP 0x60000000u
#define SC  0x44000002u

/* tabort. RA, and the field of RA */
#define TABORT	    0x7c00071du
#define TABORT_MASK 0xffe0ffffu
#define RA(word)    ((word) >> 16 & 31)

/* li RT,0x31: _ABORT_SYSCALL of glibc's htm.h */
#define LI_ABORT_SYSCALL(rt) (0x38000031u | (rt) << 21)

/*
 * lwz RT,D(r13): tm_capable is one of the last words of the block that ends 0x7000 bytes below the
 * thread pointer.
 */
#define LWZ_R13	     0x800d0000u
#define LWZ_R13_MASK 0xfc1f0000u
#define D_HIGHEST    (-0x7000 - 4)
#define D_LOWEST     (-0x7000 - 256)

/* How far apart a compiler may have moved the parts, in instructions. */
#define BEFORE 16
#define BEHIND 32

static bool loads_tm_capable(u32 word)
{
	s16 d = (s16)word;

	return (word & LWZ_R13_MASK) == LWZ_R13 && d >= D_LOWEST && d <= D_HIGHEST;
}

bool tm_is_tabort_before_syscall(const u32 *code, u64 count, u64 i)
{
	bool has_code = false, asks = false;

	if (i >= count || (code[i] & TABORT_MASK) != TABORT)
		return false;
	for (u64 k = i; k-- > 0 && i - k <= BEFORE && !asks;) {
		has_code |= code[k] == LI_ABORT_SYSCALL(RA(code[i]));
		asks = loads_tm_capable(code[k]);
	}
	if (!has_code || !asks)
		return false;
	for (u64 k = i + 1; k < count && k - i <= BEHIND; k++)
		if (code[k] == SC)
			return true;
	return false;
}

/* Instructions looked at in one go, with what must be seen around them. */
#define PIECE (1u << 16)

/* Return: instructions patched. */
static u64 patch_piece(u64 start, u64 from, u64 to, u64 end, int prot)
{
	static u32 words[PIECE + BEFORE + BEHIND]; /* under the lock of the address space */
	u64 first = from - start > 4 * BEFORE ? from - 4 * BEFORE : start;
	u64 last = MIN(end, to + 4 * BEHIND), patched = 0;
	u64 count = (last - first) / 4;

	/* The file may end before the last page, which cannot be read then. */
	count -= (host_copy(words, (const void *)(uintptr_t)first, 4 * count) + 3) / 4;
	for (u64 i = (from - first) / 4; i < MIN((to - first) / 4, count); i++) {
		u64 at = first + 4 * i, page = ROUND_DOWN(at, GUEST_PAGE_SIZE);
		u32 nop = NOP;

		if (!tm_is_tabort_before_syscall(words, count, i))
			continue;
		if (host_call(SYS_mprotect, page, GUEST_PAGE_SIZE, PROT_READ | PROT_WRITE))
			continue;
		memcpy((void *)(uintptr_t)at, &nop, 4);
		host_call(SYS_mprotect, page, GUEST_PAGE_SIZE, prot);
		patched++;
	}
	return patched;
}

void tm_patch_taborts(u64 start, u64 end, int prot)
{
	u64 patched = 0;

	for (u64 from = start; from < end; from += 4ull * PIECE)
		patched += patch_piece(start, from, MIN(end, from + 4ull * PIECE), end, prot);
	if (!patched)
		return;
	count(COUNTER_tm_taborts_patched, patched);
	log_line(LOG_TM, "0x%llx-0x%llx: %llu tabort. before system calls removed",
		 (unsigned long long)start, (unsigned long long)end, (unsigned long long)patched);
}
