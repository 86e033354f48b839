// SPDX-License-Identifier: MIT
#include "cli/tm_options.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/option.h"
#include "linux/tm_cause.h"

const char *const tm_option_names[] = {"--tm",	     "--tm-syscall", "--load-tm",
				       "--tm-lines", "--inject",     NULL};

static const struct {
	const char *name;
	enum tm_facility facility;
} facilities[] = {
	{"off", TM_FACILITY_OFF},
	{"eager", TM_FACILITY_EAGER},
	{"lazy", TM_FACILITY_LAZY},
	{"lazy+skip-tabort", TM_FACILITY_SKIP_TABORT},
	{"lazy+patch-libc", TM_FACILITY_PATCH_LIBC},
	{"nosuspend", TM_FACILITY_NO_SUSPEND},
	{"synthetic", TM_FACILITY_SYNTHETIC},
};

static bool set_facility(struct run_options *options, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(facilities); i++) {
		if (strcmp(facilities[i].name, value))
			continue;
		options->tm.facility = facilities[i].facility;
		options->tm_config.no_suspend = facilities[i].facility == TM_FACILITY_NO_SUSPEND;
		options->tm_config.synthetic = facilities[i].facility == TM_FACILITY_SYNTHETIC;
		return true;
	}
	log_error("--tm %s: known are off, eager, lazy, lazy+skip-tabort, lazy+patch-libc, "
		  "nosuspend, synthetic",
		  value);
	return false;
}

static bool set_syscall(struct run_options *options, const char *value)
{
	if (!strcmp(value, "abort")) {
		options->tm.syscall = TM_SYSCALL_ABORT;
		return true;
	}
	if (!strcmp(value, "suspend")) {
		options->tm.syscall = TM_SYSCALL_SUSPEND;
		return true;
	}
	log_error("--tm-syscall %s: known are abort, suspend", value);
	return false;
}

#define LINES_MAX (1u << 24) /* 2 GiB */

static bool set_lines(struct run_options *options, const char *value)
{
	if (!strcmp(value, "unlimited")) {
		options->tm_config.lines = 0;
		return true;
	}
	return option_number("--tm-lines", value, 1, LINES_MAX, &options->tm_config.lines);
}

static const char inject_form[] = "--inject needs cause=NAME,every=N";

static bool tell_causes(const char *name, size_t length)
{
	char list[512] = "";

	for (int i = 0; i < TM_CAUSES; i++) {
		strcat(list, i ? ", " : "");
		strcat(list, tm_cause_describe((enum tm_cause)i)->name);
	}
	log_error("--inject: no cause %.*s; known are %s, and codes from 0 to 0xff", (int)length,
		  name, list);
	return false;
}

static bool set_inject(struct run_options *options, const char *value)
{
	struct tm_config *config = &options->tm_config;
	bool has_cause = false;
	enum counter counter;
	char number[16];

	config->inject_every = 1;
	while (*value) {
		size_t length = strcspn(value, ",");

		if (!strncmp(value, "cause=", 6)) {
			if (!tm_cause_parse(value + 6, length - 6, &config->inject_cause, &counter))
				return tell_causes(value + 6, length - 6);
			config->inject_counter = counter;
			has_cause = true;
		} else if (!strncmp(value, "every=", 6)) {
			snprintf(number, sizeof(number), "%.*s", (int)(length - 6), value + 6);
			if (!option_number("--inject every=", number, 1, 1000000000,
					   &config->inject_every))
				return false;
		} else {
			log_error("%s, not %.*s", inject_form, (int)length, value);
			return false;
		}
		value += length + (value[length] == ',');
	}
	if (!has_cause)
		log_error("%s: no cause", inject_form);
	return has_cause;
}

bool tm_option_set(struct run_options *options, const char *name, const char *value)
{
	if (!strcmp(name, "--tm"))
		return set_facility(options, value);
	if (!strcmp(name, "--tm-syscall"))
		return set_syscall(options, value);
	if (!strcmp(name, "--load-tm"))
		return option_number(name, value, 1, 1u << 30, &options->tm.load_tm);
	if (!strcmp(name, "--tm-lines"))
		return set_lines(options, value);
	return set_inject(options, value);
}

/* --- the variable ----------------------------------------------------------------------------- */

/* "load-tm=10" with or without dashes, and the value's name for itself. */
static bool set_word(struct run_options *options, const char *word)
{
	char name[32];
	const char *equals;

	while (*word == '-')
		word++;
	equals = strchr(word, '=');
	if (!equals)
		return tm_option_set(options, "--tm", word);
	snprintf(name, sizeof(name), "--%.*s", (int)(equals - word), word);
	for (int i = 0; tm_option_names[i]; i++)
		if (!strcmp(tm_option_names[i], name))
			return tm_option_set(options, name, equals + 1);
	log_error("unknown option %s", name);
	return false;
}

bool tm_options_from_variable(struct run_options *options, const char *text)
{
	char word[256];

	while (text && *text) {
		size_t length = strcspn(text, " \t\n");

		if (length >= sizeof(word)) {
			log_error(TM_OPTIONS_VARIABLE ": a word is too long");
			return false;
		}
		memcpy(word, text, length);
		word[length] = 0;
		if (length && !set_word(options, word)) {
			log_error("the environment has " TM_OPTIONS_VARIABLE "=%s", text);
			return false;
		}
		text += length;
		text += strspn(text, " \t\n");
	}
	return true;
}

/* --- for another process ---------------------------------------------------------------------- */

static const char *facility_name(enum tm_facility facility)
{
	for (size_t i = 0; i < ARRAY_SIZE(facilities); i++)
		if (facilities[i].facility == facility)
			return facilities[i].name;
	return "lazy";
}

/* As a code: any record that can be asked for is one of these or of the table. */
static void name_cause(const struct tm_config *config, char *buffer, size_t size)
{
	enum tm_cause cause = tm_cause_of(config->inject_cause);

	if (config->inject_cause == tm_cause_describe(cause)->texasr)
		snprintf(buffer, size, "%s", tm_cause_describe(cause)->name);
	else
		snprintf(buffer, size, "0x%02x", (u32)(config->inject_cause >> 56));
}

int tm_options_words(const struct run_options *options, char **words)
{
	static char load[16], lines[16], cause[32], inject[64];
	const struct tm_config *config = &options->tm_config;
	int n = 0;

	snprintf(load, sizeof(load), "%u", options->tm.load_tm);
	snprintf(lines, sizeof(lines), "%u", config->lines);
	words[n++] = "--tm";
	words[n++] = (char *)(uintptr_t)facility_name(options->tm.facility);
	words[n++] = "--tm-syscall";
	words[n++] = options->tm.syscall == TM_SYSCALL_SUSPEND ? "suspend" : "abort";
	words[n++] = "--load-tm";
	words[n++] = load;
	words[n++] = "--tm-lines";
	words[n++] = config->lines ? lines : "unlimited";
	if (!config->inject_every)
		return n;
	name_cause(config, cause, sizeof(cause));
	snprintf(inject, sizeof(inject), "cause=%s,every=%u", cause, config->inject_every);
	words[n++] = "--inject";
	words[n++] = inject;
	return n;
}
