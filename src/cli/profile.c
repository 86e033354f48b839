// SPDX-License-Identifier: MIT
#include "cli/profile.h"

#include <stdio.h>
#include <string.h>

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

static struct profile_site *find_site(struct profile *profile, profile_place place)
{
	for (u64 i = 0, at = hash(place); i < PROBES; i++, at++) {
		struct profile_site *site = &profile->sites[at % PROFILE_SITES];
		u64 there = __atomic_load_n(&site->place, __ATOMIC_RELAXED);

		if (!there && __atomic_compare_exchange_n(&site->place, &there, place, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			there = place;
		if (there == place)
			return site;
	}
	add(&profile->lost, 1);
	return NULL;
}

static void count_line(struct profile *profile, const struct profile_line *what)
{
	for (u64 i = 0, at = hash(what->site ^ hash(what->line ^ hash(what->other))); i < PROBES;
	     i++, at++) {
		struct profile_line *line = &profile->lines[at % PROFILE_LINES];
		u32 state = PROFILE_FREE;

		if (__atomic_compare_exchange_n(&line->state, &state, PROFILE_BEING_MADE, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			line->site = what->site;
			line->line = what->line;
			line->other = what->other;
			line->cause = what->cause;
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

void profile_event(struct profile *profile, const struct tm_event *event)
{
	struct profile_site *site;
	struct profile_line line;
	enum tm_cause cause;

	if (event->kind == TM_EVENT_COMMIT)
		note_lines(profile, event->lines);
	else if (event->kind != TM_EVENT_FAIL)
		return;
	site = find_site(profile, place_of(event->tbegin));
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
	line = (struct profile_line){.site = site->place, .cause = cause};
	line.line = place_of(event->line);
	if (cause == TM_CAUSE_OF_TM_CONFLICT && event->other_tbegin)
		line.other = place_of(event->other_tbegin);
	count_line(profile, &line);
}
