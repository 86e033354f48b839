/* SPDX-License-Identifier: MIT */
/*
 * Where transactions fail: a table of the places at which they begin, of all processes that a
 * program has started, in the memory that these share (linux/slots.h).
 *
 * Places are told as file and address in the file, so that they are the same in each process. The
 * tables have a fixed size; what finds no room is counted. Entries are made without locks, since a
 * process may be killed at any point: at worst an entry is lost.
 */
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include "linux/tm_cause.h"
#include "tm/tm.h"

#define PROFILE_FILES 256
#define PROFILE_SITES 1024
#define PROFILE_LINES 4096

enum profile_state { PROFILE_FREE, PROFILE_BEING_MADE, PROFILE_USED };

/* A file by its path on the host. Their numbers start at 1. */
struct profile_file {
	u32 state;
	char path[508];
};

/*
 * An address: number of the file << 48 | address in the file, or the address itself where there is
 * no file. 0: none.
 */
typedef u64 profile_place;
#define PROFILE_FILE(place)    ((u32)((place) >> 48))
#define PROFILE_ADDRESS(place) ((u64)((place) & 0xffffffffffff))

/* A tbegin.; in a library, also where the library was called (0: unknown). */
struct profile_site {
	u32 state;
	profile_place place, caller;
	u64 commits;
	u64 failures[TM_CAUSES];
};

/*
 * A line for which transactions that began at a site failed, the tbegin. of who wrote it, and where
 * one of those that failed had touched it first.
 */
struct profile_line {
	u32 state;
	u16 site; /* index */
	u16 cause;
	profile_place line, other, touched;
	u64 count;
};

struct profile {
	u64 lines_max; /* of a footprint committed */
	u64 lost;      /* events for which there was no room */
	struct profile_file files[PROFILE_FILES];
	struct profile_site sites[PROFILE_SITES];
	struct profile_line lines[PROFILE_LINES];
};

/* The number of a file. 0: no room. */
u32 profile_file(struct profile *profile, const char *path);

/* Take an event, on the thread of its CPU. */
void profile_event(struct profile *profile, const struct cpu *cpu, const struct tm_event *event);

/* Whether a failure of this cause has a line. */
bool profile_has_line(enum tm_cause cause);

#endif
