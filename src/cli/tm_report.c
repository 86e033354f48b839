// SPDX-License-Identifier: MIT
#include "cli/tm_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile.h"
#include "cli/symbols.h"

/* In the table for people. JSON has all that there are. */
#define SITES_SHOWN 10
#define LINES_SHOWN 4

static u64 counted(enum counter counter)
{
	return __atomic_load_n(&counters[counter], __ATOMIC_RELAXED);
}

static double share(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

bool tm_report_has(enum counter counter)
{
	return !strncmp(counter_describe(counter)->name, "tm_", 3);
}

/* --- the profile, sorted ---------------------------------------------------------------------- */

struct site {
	const struct profile_site *site;
	u64 failures;
};

struct report {
	const struct profile *profile;
	struct symbols *symbols[PROFILE_FILES + 1];
	bool symbols_read[PROFILE_FILES + 1];
	struct site sites[PROFILE_SITES];
	u32 n_sites;
	const struct profile_line *lines[PROFILE_LINES];
	u32 n_lines; /* of all sites */
};

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->failures != y->failures)
		return x->failures < y->failures ? 1 : -1;
	return x->site < y->site ? -1 : 1;
}

static bool is_of_site(const struct report *r, const struct profile_line *line,
		       const struct site *site)
{
	return &r->profile->sites[line->site] == site->site;
}

static int compare_lines(const void *a, const void *b)
{
	const struct profile_line *x = *(const struct profile_line *const *)a;
	const struct profile_line *y = *(const struct profile_line *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->line < y->line ? -1 : 1;
}

static struct report *make_report(const struct profile *profile)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->profile = profile;
	for (u32 i = 0; i < PROFILE_SITES; i++) {
		struct site site = {.site = &profile->sites[i]};

		if (profile->sites[i].state != PROFILE_USED)
			continue;
		for (int c = 0; c < TM_CAUSES; c++)
			site.failures += site.site->failures[c];
		if (site.failures)
			r->sites[r->n_sites++] = site;
	}
	for (u32 i = 0; i < PROFILE_LINES; i++)
		if (profile->lines[i].state == PROFILE_USED &&
		    profile->lines[i].site < PROFILE_SITES)
			r->lines[r->n_lines++] = &profile->lines[i];
	qsort(r->sites, r->n_sites, sizeof(r->sites[0]), compare_sites);
	qsort(r->lines, r->n_lines, sizeof(r->lines[0]), compare_lines);
	return r;
}

static void free_report(struct report *r)
{
	for (u32 i = 0; r && i <= PROFILE_FILES; i++)
		symbols_free(r->symbols[i]);
	free(r);
}

static const char *path_of(const struct report *r, profile_place place)
{
	u32 n = PROFILE_FILE(place);

	return n && n <= PROFILE_FILES ? r->profile->files[n - 1].path : NULL;
}

static const char *symbol_of(struct report *r, profile_place place, char *buffer, size_t size)
{
	u32 n = PROFILE_FILE(place);
	const char *path = path_of(r, place);

	if (path && !r->symbols_read[n]) {
		r->symbols[n] = symbols_read(path);
		r->symbols_read[n] = true;
	}
	buffer[0] = 0;
	if (path)
		symbols_name(r->symbols[n], PROFILE_ADDRESS(place), buffer, size);
	return buffer;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --- for people ------------------------------------------------------------------------------- */

static void print_count(FILE *out, enum counter counter)
{
	counters_print_row(out, counter);
}

static void print_failures(FILE *out)
{
	u64 all = counted(COUNTER_tm_failures);

	for (int i = 0; i < TM_CAUSES; i++) {
		const struct tm_cause_description *d = tm_cause_describe((enum tm_cause)i);
		u64 n = counted(d->counter);

		if (!n)
			continue;
		fprintf(out, "%22" PRIu64 " %4.1f%% %-18s # by %s%s%s%s\n", n, share(n, all),
			d->name, d->meaning, d->pmu ? " (" : "", d->pmu ? d->pmu : "",
			d->pmu ? ")" : "");
	}
}

static void print_footprint(FILE *out, const struct profile *profile)
{
	u64 commits = counted(COUNTER_tm_commits);

	if (!commits)
		return;
	fprintf(out, "%22.1f      %-18s # lines of 128 bytes in a footprint committed, mean",
		(double)counted(COUNTER_tm_lines) / (double)commits, "tm_footprint");
	if (profile)
		fprintf(out, "; at most %" PRIu64, profile->lines_max);
	fprintf(out, "\n");
	for (int i = COUNTER_tm_lines_1; i <= COUNTER_tm_lines_32768; i++)
		if (counted((enum counter)i))
			print_count(out, (enum counter)i);
}

static void print_kernel_half(FILE *out)
{
	static const enum counter list[] = {
		COUNTER_tm_faults,	     COUNTER_tm_off,	       COUNTER_tm_switches,
		COUNTER_tm_switches_avoided, COUNTER_tm_spr_saves,     COUNTER_tm_spr_loads,
		COUNTER_tm_reclaims,	     COUNTER_tm_recheckpoints, COUNTER_tm_taborts_skipped,
		COUNTER_tm_taborts_patched,
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		print_count(out, list[i]);
}

/* "0x1000 <transfer+0x40> bank.c:88 in bank" */
static void print_place(FILE *out, struct report *r, profile_place place)
{
	const char *path = path_of(r, place);
	char name[256];

	fprintf(out, "0x%" PRIx64, PROFILE_ADDRESS(place));
	if (*symbol_of(r, place, name, sizeof(name)))
		fprintf(out, " <%s>", name);
	if (path && symbols_line(path, PROFILE_ADDRESS(place), name, sizeof(name)))
		fprintf(out, " %s", name);
	if (path)
		fprintf(out, " in %s", base_name(path));
	fprintf(out, "\n");
}

static void print_line(FILE *out, struct report *r, const struct profile_line *line)
{
	char name[128];

	fprintf(out, "%22" PRIu64 "       at line 0x%" PRIx64, line->count,
		PROFILE_ADDRESS(line->line));
	if (*symbol_of(r, line->line, name, sizeof(name)))
		fprintf(out, " <%s>", name);
	fprintf(out, ": %s", tm_cause_describe((enum tm_cause)line->cause)->name);
	if (line->other) {
		fprintf(out, " begun at 0x%" PRIx64, PROFILE_ADDRESS(line->other));
		if (*symbol_of(r, line->other, name, sizeof(name)))
			fprintf(out, " <%s>", name);
	}
	fprintf(out, "\n");
	if (line->touched) {
		fprintf(out, "%28s touched at ", "");
		print_place(out, r, line->touched);
	}
}

static void print_site(FILE *out, struct report *r, const struct site *site)
{
	bool first = true;
	u32 shown = 0;

	fprintf(out, "\n%22" PRIu64 " %4.1f%% ", site->failures,
		share(site->failures, counted(COUNTER_tm_failures)));
	print_place(out, r, site->site->place);
	if (site->site->caller) {
		fprintf(out, "%28s called from ", "");
		print_place(out, r, site->site->caller);
	}
	fprintf(out, "%22" PRIu64 "       committed; failed by", site->site->commits);
	for (int i = 0; i < TM_CAUSES; i++) {
		if (!site->site->failures[i])
			continue;
		fprintf(out, "%s %s %" PRIu64, first ? "" : ",",
			tm_cause_describe((enum tm_cause)i)->name, site->site->failures[i]);
		first = false;
	}
	fprintf(out, "\n");
	for (u32 i = 0; i < r->n_lines && shown < LINES_SHOWN; i++)
		if (is_of_site(r, r->lines[i], site)) {
			print_line(out, r, r->lines[i]);
			shown++;
		}
}

static void print_sites(FILE *out, struct report *r)
{
	if (!r->n_sites)
		return;
	fprintf(out, "\nWhere transactions that failed began:\n");
	for (u32 i = 0; i < r->n_sites && i < SITES_SHOWN; i++)
		print_site(out, r, &r->sites[i]);
	if (r->n_sites > SITES_SHOWN)
		fprintf(out, "\n%22u       more places; --json has them all\n",
			r->n_sites - SITES_SHOWN);
	if (r->profile->lost)
		fprintf(out, "%22" PRIu64 "       events for which the tables had no room\n",
			r->profile->lost);
}

static bool is_of_interest(void)
{
	for (int i = 0; i < COUNTER_COUNT; i++)
		if (tm_report_has((enum counter)i) && i != COUNTER_tm_switches_avoided &&
		    counted((enum counter)i))
			return true;
	return false;
}

void tm_report_print(FILE *out, const struct profile *profile)
{
	u64 begins = counted(COUNTER_tm_begins);
	struct report *r;

	if (!is_of_interest())
		return;
	fprintf(out, "\nTransactional memory:\n\n");
	print_count(out, COUNTER_tm_begins);
	print_count(out, COUNTER_tm_rollback_only);
	print_count(out, COUNTER_tm_nested);
	print_count(out, COUNTER_tm_suspends);
	print_count(out, COUNTER_tm_commits);
	fprintf(out, "%22.1f %%    %-18s # of the transactions begun\n",
		share(counted(COUNTER_tm_commits), begins), "");
	print_count(out, COUNTER_tm_retries);
	print_footprint(out, profile);
	print_count(out, COUNTER_tm_failures);
	print_failures(out);
	if (counted(COUNTER_tm_injected))
		print_count(out, COUNTER_tm_injected);
	if (counted(COUNTER_tm_stops_late))
		print_count(out, COUNTER_tm_stops_late);
	print_kernel_half(out);
	r = profile ? make_report(profile) : NULL;
	if (r)
		print_sites(out, r);
	free_report(r);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Paths and symbols are bytes: what is no ASCII is taken for Latin-1, so that it is JSON. */
static void put_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		u8 c = (u8)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void put_place(FILE *out, struct report *r, profile_place place, bool source)
{
	const char *path = path_of(r, place);
	char name[256];

	fprintf(out, "\"address\": \"0x%" PRIx64 "\"", PROFILE_ADDRESS(place));
	if (path) {
		fprintf(out, ", \"file\": ");
		put_string(out, path);
	}
	if (*symbol_of(r, place, name, sizeof(name))) {
		fprintf(out, ", \"symbol\": ");
		put_string(out, name);
	}
	if (source && path && symbols_line(path, PROFILE_ADDRESS(place), name, sizeof(name))) {
		fprintf(out, ", \"source\": ");
		put_string(out, name);
	}
}

static void put_lines(FILE *out, struct report *r, const struct site *site)
{
	const char *comma = "";

	fprintf(out, "\"lines\": [");
	for (u32 i = 0; i < r->n_lines; i++) {
		const struct profile_line *line = r->lines[i];

		if (!is_of_site(r, line, site))
			continue;
		fprintf(out, "%s\n        {", comma);
		put_place(out, r, line->line, false);
		if (line->touched) {
			fprintf(out, ", \"touched\": {");
			put_place(out, r, line->touched, true);
			fprintf(out, "}");
		}
		fprintf(out, ", \"cause\": \"%s\", \"count\": %" PRIu64,
			tm_cause_describe((enum tm_cause)line->cause)->name, line->count);
		if (line->other) {
			fprintf(out, ", \"other\": {");
			put_place(out, r, line->other, false);
			fprintf(out, "}");
		}
		fprintf(out, "}");
		comma = ",";
	}
	fprintf(out, "]");
}

static void put_site(FILE *out, struct report *r, const struct site *site)
{
	const char *comma = "";

	fprintf(out, "      {");
	put_place(out, r, site->site->place, true);
	if (site->site->caller) {
		fprintf(out, ", \"caller\": {");
		put_place(out, r, site->site->caller, true);
		fprintf(out, "}");
	}
	fprintf(out, ",\n       \"commits\": %" PRIu64 ", \"failures\": %" PRIu64 ", \"causes\": {",
		site->site->commits, site->failures);
	for (int i = 0; i < TM_CAUSES; i++) {
		if (!site->site->failures[i])
			continue;
		fprintf(out, "%s\"%s\": %" PRIu64, comma, tm_cause_describe((enum tm_cause)i)->name,
			site->site->failures[i]);
		comma = ", ";
	}
	fprintf(out, "},\n       ");
	put_lines(out, r, site);
	fprintf(out, "}");
}

static void put_histogram(FILE *out)
{
	fprintf(out, "\"histogram\": [");
	for (int i = COUNTER_tm_lines_1; i <= COUNTER_tm_lines_32768; i++)
		fprintf(out, "%s%" PRIu64, i > COUNTER_tm_lines_1 ? ", " : "",
			counted((enum counter)i));
	fprintf(out, "]");
}

/* The causes by what perf(1) calls them. */
static void put_classes(FILE *out)
{
	static const char *const classes[] = {"sync", "async", "transaction", "capacity",
					      "conflict"};

	fprintf(out, "\"classes\": {");
	for (size_t k = 0; k < ARRAY_SIZE(classes); k++) {
		u64 n = 0;

		for (int i = 0; i < TM_CAUSES; i++)
			if (!strcmp(tm_cause_describe((enum tm_cause)i)->perf, classes[k]))
				n += counted(tm_cause_describe((enum tm_cause)i)->counter);
		fprintf(out, "%s\"%s\": %" PRIu64, k ? ", " : "", classes[k], n);
	}
	fprintf(out, "}");
}

void tm_report_json(FILE *out, const struct profile *profile)
{
	u64 commits = counted(COUNTER_tm_commits);
	struct report *r = profile ? make_report(profile) : NULL;

	fprintf(out, "  \"tm\": {\n    \"failures\": {");
	for (int i = 0; i < TM_CAUSES; i++) {
		const struct tm_cause_description *d = tm_cause_describe((enum tm_cause)i);

		fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", d->name, counted(d->counter));
	}
	fprintf(out, "},\n    ");
	put_classes(out);
	fprintf(out, ",\n    \"footprint\": {\"mean\": %.3f, \"max\": %" PRIu64 ", ",
		commits ? (double)counted(COUNTER_tm_lines) / (double)commits : 0,
		profile ? profile->lines_max : 0);
	put_histogram(out);
	fprintf(out, "},\n    \"lost\": %" PRIu64 ",\n    \"sites\": [", r ? profile->lost : 0);
	for (u32 i = 0; r && i < r->n_sites; i++) {
		fprintf(out, "%s\n", i ? "," : "");
		put_site(out, r, &r->sites[i]);
	}
	fprintf(out, "]\n  }\n");
	free_report(r);
}

/* --- conditions ------------------------------------------------------------------------------- */

/* A word of a condition says "_" where a name has another sign. */
static bool same(const char *word, size_t length, const char *name)
{
	if (strlen(name) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (word[i] != name[i] && !(word[i] == '_' && name[i] == '-') &&
		    !(word[i] == '.' && name[i] == '_'))
			return false;
	return true;
}

bool tm_report_lookup(const char *name, size_t length, double *value)
{
	static const char failures[] = "tm.failures.";
	const size_t skip = sizeof(failures) - 1;

	for (int i = 0; i < COUNTER_COUNT; i++)
		if (same(name, length, counter_describe((enum counter)i)->name)) {
			*value = (double)counted((enum counter)i);
			return true;
		}
	if (length <= skip || memcmp(name, failures, skip))
		return false;
	for (int i = 0; i < TM_CAUSES; i++) {
		const struct tm_cause_description *d = tm_cause_describe((enum tm_cause)i);

		if (same(name + skip, length - skip, d->name)) {
			*value = (double)counted(d->counter);
			return true;
		}
	}
	return false;
}
