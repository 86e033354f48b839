// SPDX-License-Identifier: MIT
#include "cli/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/host_access.h"
#include "cli/modules.h"

/* Places that are tried for an entry. */
#define PROBES 64

u32 profile_file(struct profile *profile, const char *path)
{
	for (u32 i = 0; i < PROFILE_FILES; i++) {
		struct profile_file *file = &profile->files[i];
		u32 state = PROFILE_FREE;

		if (__atomic_compare_exchange_n(&file->state, &state, PROFILE_BEING_MADE, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			snprintf(file->path, sizeof(file->path), "%s", path);
			__atomic_store_n(&file->state, PROFILE_USED, __ATOMIC_RELEASE);
			return i + 1;
		}
		/* One that another process is about to make may be the same: twice is no harm. */
		if (state == PROFILE_USED && !strcmp(file->path, path))
			return i + 1;
	}
	return 0;
}

static profile_place place_of(u64 address)
{
	const struct module *module = modules_find(address);

	if (!module || !module->shared)
		return address & 0xffffffffffffull;
	return (u64)module->shared << 48 | ((address - module->bias) & 0xffffffffffffull);
}

static u64 hash(u64 value)
{
	return value * 0x9e3779b97f4a7c15ull >> 32;
}

static void add(u64 *number, u64 n)
{
	__atomic_fetch_add(number, n, __ATOMIC_RELAXED);
}

static struct profile_site *find_site(struct profile *profile, profile_place place,
				      profile_place caller)
{
	for (u64 i = 0, at = hash(place ^ hash(caller)); i < PROBES; i++, at++) {
		struct profile_site *site = &profile->sites[at % PROFILE_SITES];
		u32 state = PROFILE_FREE;

		if (__atomic_compare_exchange_n(&site->state, &state, PROFILE_BEING_MADE, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			site->place = place;
			site->caller = caller;
			__atomic_store_n(&site->state, state = PROFILE_USED, __ATOMIC_RELEASE);
		}
		if (state == PROFILE_USED && site->place == place && site->caller == caller)
			return site;
	}
	add(&profile->lost, 1);
	return NULL;
}

/* --- who called the library ------------------------------------------------------------------- */

#define FRAMES_MAX 16

/*
 * The first return address outside of the library of a tbegin. that has just been executed: LR,
 * then the chain of stack frames (64-bit ELFv2 ABI 2.2.2). An elided lock begins its transactions
 * all at one place of the C library; what differs is who takes the lock. 0: not found.
 */
static u64 find_caller(const struct cpu *cpu, const struct module *library)
{
	u64 frame = cpu->gpr[1], address = cpu->lr, next;

	for (int i = 0; i < FRAMES_MAX; i++) {
		const struct module *module = modules_find(address - 4);

		if (module && module != library)
			return address - 4;
		if (!host_load_u64((const void *)(uintptr_t)frame, &next) || next <= frame ||
		    next >= GUEST_ADDRESS_LIMIT - 32 ||
		    !host_load_u64((const void *)(uintptr_t)(next + 16), &address))
			return 0;
		frame = next;
	}
	return 0;
}

/* Of the transaction that this thread runs: its stack frames may be gone when it ends. */
static _Thread_local struct {
	u64 tbegin;
	profile_place caller;
} running;

static void note_caller(const struct cpu *cpu, const struct tm_event *event)
{
	const struct module *module = modules_find(event->tbegin);
	u64 caller = module && !modules_is_program(module) ? find_caller(cpu, module) : 0;

	running.tbegin = event->tbegin;
	running.caller = caller ? place_of(caller) : 0;
}

/* --- events ----------------------------------------------------------------------------------- */

static void count_line(struct profile *profile, const struct profile_line *what)
{
	for (u64 i = 0, at = hash(what->site + hash(what->line ^ hash(what->other))); i < PROBES;
	     i++, at++) {
		struct profile_line *line = &profile->lines[at % PROFILE_LINES];
		u32 state = PROFILE_FREE;

		if (__atomic_compare_exchange_n(&line->state, &state, PROFILE_BEING_MADE, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			line->site = what->site;
			line->line = what->line;
			line->other = what->other;
			line->cause = what->cause;
			line->touched = what->touched;
			__atomic_store_n(&line->state, state = PROFILE_USED, __ATOMIC_RELEASE);
		}
		if (state == PROFILE_USED && line->site == what->site && line->line == what->line &&
		    line->other == what->other && line->cause == what->cause) {
			add(&line->count, 1);
			return;
		}
	}
	add(&profile->lost, 1);
}

bool profile_has_line(enum tm_cause cause)
{
	return cause == TM_CAUSE_OF_CONFLICT || cause == TM_CAUSE_OF_TM_CONFLICT ||
	       cause == TM_CAUSE_OF_SELF || cause == TM_CAUSE_OF_TRANSLATION ||
	       cause == TM_CAUSE_OF_FETCH;
}

static void note_lines(struct profile *profile, u64 lines)
{
	u64 most = __atomic_load_n(&profile->lines_max, __ATOMIC_RELAXED);

	while (lines > most &&
	       !__atomic_compare_exchange_n(&profile->lines_max, &most, lines, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void profile_event(struct profile *profile, const struct cpu *cpu, const struct tm_event *event)
{
	struct profile_site *site;
	struct profile_line line;
	enum tm_cause cause;

	/* One that fails at once has not been told to begin. */
	if (event->kind == TM_EVENT_BEGIN ||
	    (event->kind == TM_EVENT_FAIL && !event->lines && event->pc == event->tbegin))
		note_caller(cpu, event);
	if (event->kind == TM_EVENT_COMMIT)
		note_lines(profile, event->lines);
	else if (event->kind != TM_EVENT_FAIL)
		return;
	site = find_site(profile, place_of(event->tbegin),
			 running.tbegin == event->tbegin ? running.caller : 0);
	if (!site)
		return;
	if (event->kind == TM_EVENT_COMMIT) {
		add(&site->commits, 1);
		return;
	}
	cause = tm_cause_of(event->texasr);
	add(&site->failures[cause], 1);
	if (!event->line || !profile_has_line(cause))
		return;
	line = (struct profile_line){.site = (u16)(site - profile->sites), .cause = (u16)cause};
	line.line = place_of(event->line);
	if (event->line_pc)
		line.touched = place_of(event->line_pc);
	if (cause == TM_CAUSE_OF_TM_CONFLICT && event->other_tbegin)
		line.other = place_of(event->other_tbegin);
	count_line(profile, &line);
}
