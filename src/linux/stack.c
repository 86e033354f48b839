// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/stack.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux/auxv.h"
#include "linux/limits.h"
#include "linux/mm.h"
#include "linux/mman.h"
#include "linux/signal_frame.h"
#include "linux/task.h"

#define STACK_DEFAULT (8ull << 20)
#define STACK_MAX     (1ull << 30)
#define STACK_GUARD   (1ull << 20) /* stack_guard_gap of Linux is 256 pages */
#define USER_HZ	      100

/* Arguments and environment take a quarter of the stack at most, as in Linux. */
#define STRINGS_SHARE 4

#define MAX_AUXV 40

struct builder {
	u64 low; /* nothing may be put below */
	u64 sp;
	Elf64_auxv_t auxv[MAX_AUXV];
	int n_auxv;
};

static void *host(u64 address)
{
	return (void *)(uintptr_t)address;
}

static u64 stack_size(void)
{
	struct rlimit limit;
	u64 size = STACK_DEFAULT;

	if (!limits_get(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		size = MIN((u64)limit.rlim_cur, STACK_MAX);
	return ROUND_UP(MAX(size, 128ull << 10), GUEST_PAGE_SIZE);
}

int stack_map(struct process *process, bool executable)
{
	const u32 prot = PROT_READ | PROT_WRITE | (executable ? PROT_EXEC : 0u);
	struct mm *mm = process->mm;
	u64 size = stack_size();
	s64 result = mm_mmap(
		mm, MM_STACK_TOP - size, size, prot,
		MAP_PRIVATE | GUEST_MAP_ANONYMOUS | GUEST_MAP_FIXED | GUEST_MAP_NORESERVE, -1, 0);

	if (result < 0)
		return (int)result;
	mm_mark(mm, MM_STACK_TOP - size, MM_STACK_TOP, RANGE_STACK);
	mm->stack_low = MM_STACK_TOP - size;
	mm->stack_high = MM_STACK_TOP;
	mm->mmap_top = mm->stack_low - STACK_GUARD;
	return mm_reserve(mm, mm->mmap_top, mm->stack_low);
}

/* Room for some bytes; 0 if there is none. */
static u64 push(struct builder *b, u64 size)
{
	if (b->sp - b->low < size)
		return 0;
	b->sp -= size;
	return b->sp;
}

static u64 push_bytes(struct builder *b, const void *bytes, u64 size)
{
	u64 address = push(b, size);

	if (address)
		memcpy(host(address), bytes, size);
	return address;
}

static u64 push_string(struct builder *b, const char *string)
{
	return push_bytes(b, string, strlen(string) + 1);
}

static size_t count_strings(char *const *strings)
{
	size_t n = 0;

	while (strings[n])
		n++;
	return n;
}

/* All strings in ascending order of address. Address of the first; 0 if there is no room. */
static u64 push_strings(struct builder *b, char *const *strings, size_t n)
{
	u64 first = b->sp;

	while (n--) {
		first = push_string(b, strings[n]);
		if (!first)
			return 0;
	}
	return first;
}

/* Pointers to strings that lie one behind the other. */
static u64 write_pointers(u64 to, u64 first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		*(u64 *)host(to) = first;
		first += strlen(host(first)) + 1;
		to += 8;
	}
	*(u64 *)host(to) = 0;
	return to + 8;
}

static void aux(struct builder *b, u64 type, u64 value)
{
	b->auxv[b->n_auxv++] = (Elf64_auxv_t){.a_type = type, .a_un.a_val = value};
}

static void aux_machine(struct builder *b, const struct process *process)
{
	/* Two ignored entries come first, as glibc of long ago wanted it. */
	aux(b, AUX_IGNOREPPC, AUX_IGNOREPPC);
	aux(b, AUX_IGNOREPPC, AUX_IGNOREPPC);
	aux(b, AUX_DCACHEBSIZE, CACHE_LINE);
	aux(b, AUX_ICACHEBSIZE, CACHE_LINE);
	aux(b, AUX_UCACHEBSIZE, CACHE_LINE);
	if (process->vdso)
		aux(b, AUX_SYSINFO_EHDR, process->vdso);
	aux(b, AUX_L1I_CACHESIZE, 32 << 10);
	aux(b, AUX_L1I_CACHEGEOMETRY, CACHE_GEOMETRY(8));
	aux(b, AUX_L1D_CACHESIZE, 64 << 10);
	aux(b, AUX_L1D_CACHEGEOMETRY, CACHE_GEOMETRY(8));
	aux(b, AUX_L2_CACHESIZE, 512 << 10);
	aux(b, AUX_L2_CACHEGEOMETRY, CACHE_GEOMETRY(8));
	aux(b, AUX_L3_CACHESIZE, 8 << 20);
	aux(b, AUX_L3_CACHEGEOMETRY, CACHE_GEOMETRY(8));
	aux(b, AUX_MINSIGSTKSZ, SIGNAL_FRAME_MINIMUM);
	aux(b, AT_HWCAP, process->options->hwcap);
	aux(b, AT_PAGESZ, GUEST_PAGE_SIZE);
	aux(b, AT_CLKTCK, USER_HZ);
}

static void aux_program(struct builder *b, const struct stack_contents *c)
{
	aux(b, AT_PHDR, c->image->headers);
	aux(b, AT_PHENT, sizeof(Elf64_Phdr));
	aux(b, AT_PHNUM, c->elf->header.e_phnum);
	aux(b, AT_BASE, c->interpreter_base);
	aux(b, AT_FLAGS, 0);
	aux(b, AT_ENTRY, c->image->entry);
	aux(b, AT_UID, getuid());
	aux(b, AT_EUID, geteuid());
	aux(b, AT_GID, getgid());
	aux(b, AT_EGID, getegid());
	aux(b, AT_SECURE, getauxval(AT_SECURE));
}

int stack_fill(struct process *process, const struct stack_contents *c, u64 *sp)
{
	u64 size = process->mm->stack_high - process->mm->stack_low;
	size_t argc = count_strings(c->argv), envc = count_strings(c->envp);
	struct builder b = {.low = MM_STACK_TOP - size / STRINGS_SHARE, .sp = MM_STACK_TOP - 8};
	u64 name, envs, args, random, platform, p;

	name = push_string(&b, c->name);
	process->env_end = b.sp;
	envs = push_strings(&b, c->envp, envc);
	process->env_start = process->arg_end = b.sp;
	args = push_strings(&b, c->argv, argc);
	process->arg_start = b.sp;
	b.sp = ROUND_DOWN(b.sp, 16);
	platform = push_string(&b, process->options->platform);
	b.sp = ROUND_DOWN(b.sp, 16);
	random = push_bytes(&b, c->random, sizeof(c->random));
	if (!name || !envs || !args || !platform || !random)
		return -E2BIG;

	aux_machine(&b, process);
	aux_program(&b, c);
	aux(&b, AT_RANDOM, random);
	aux(&b, AT_HWCAP2, process->options->hwcap2);
	aux(&b, AT_EXECFN, name);
	aux(&b, AT_PLATFORM, platform);
	aux(&b, AT_BASE_PLATFORM, platform);
	aux(&b, AT_NULL, 0);

	size = (1 + argc + 1 + envc + 1) * 8 + (u64)b.n_auxv * sizeof(b.auxv[0]);
	if (b.sp - b.low < size + 16)
		return -E2BIG;
	b.sp = ROUND_DOWN(b.sp - size, 16);
	p = b.sp;
	*(u64 *)host(p) = argc;
	p = write_pointers(p + 8, args, argc);
	p = write_pointers(p, envs, envc);
	memcpy(host(p), b.auxv, (size_t)b.n_auxv * sizeof(b.auxv[0]));
	process->auxv_start = p;
	process->auxv_end = p + (u64)b.n_auxv * sizeof(b.auxv[0]);
	*sp = b.sp;
	return 0;
}
