// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/extable.h"

#include <stdlib.h>
#include <ucontext.h>

struct ex_entry {
	s32 from; /* relative to this field */
	s32 to;	  /* relative to this field */
};

extern const struct ex_entry __start_ex_table[], __stop_ex_table[];

struct fixup {
	u64 from;
	u64 to;
};

static struct fixup *fixups;
static size_t n_fixups;
static u64 (*more)(u64 pc);

_Thread_local struct host_fault host_last_fault;

static int compare_fixups(const void *a, const void *b)
{
	const struct fixup *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

void extable_init(void)
{
	if (fixups)
		return;
	n_fixups = (size_t)(__stop_ex_table - __start_ex_table);
	fixups = calloc(n_fixups, sizeof(*fixups));
	if (!fixups)
		abort();
	for (size_t i = 0; i < n_fixups; i++) {
		const struct ex_entry *e = &__start_ex_table[i];

		fixups[i].from = (u64)(uintptr_t)&e->from + (u64)(s64)e->from;
		fixups[i].to = (u64)(uintptr_t)&e->to + (u64)(s64)e->to;
	}
	qsort(fixups, n_fixups, sizeof(*fixups), compare_fixups);
}

static const struct fixup *find_fixup(u64 pc)
{
	size_t low = 0, high = n_fixups;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (fixups[middle].from == pc)
			return &fixups[middle];
		if (fixups[middle].from < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void extable_more(u64 (*lookup)(u64 pc))
{
	__atomic_store_n(&more, lookup, __ATOMIC_RELEASE);
}

static u64 landing(u64 pc)
{
	const struct fixup *f = find_fixup(pc);
	u64 (*lookup)(u64) = __atomic_load_n(&more, __ATOMIC_ACQUIRE);

	if (f)
		return f->to;
	return lookup ? lookup(pc) : 0;
}

bool extable_fixup(const siginfo_t *si, void *ucontext)
{
	ucontext_t *uc = ucontext;
	u64 to = landing((u64)uc->uc_mcontext.gregs[REG_RIP]);

	if (!to || si->si_code <= 0) /* sent by a process: not a fault */
		return false;
	host_last_fault = (struct host_fault){
		.signo = si->si_signo, .code = si->si_code, .addr = (u64)(uintptr_t)si->si_addr};
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)to;
	return true;
}
