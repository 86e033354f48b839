// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/modules.h"
#include "cli/profile.h"
#include "cli/symbols.h"
#include "linux/slots.h"
#include "linux/tm_cause.h"

static struct {
	bool trace;
	struct profile *profile; /* NULL: none */
} watching;

/* --- a line for an event ---------------------------------------------------------------------- */

struct line {
	char text[1024];
	size_t length;
};

static void PRINTF(2, 3) add(struct line *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - 1 - line->length; /* and the line feed */
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->text + line->length, room, format, args);
	va_end(args);
	if (n > 0)
		line->length += MIN((size_t)n, room - 1);
}

/* "0x10000a24 <transfer+0x40>", as objdump has it. */
static void add_place(struct line *line, u64 address)
{
	const struct module *module = modules_find(address);
	char name[128];

	add(line, "0x%" PRIx64, address);
	if (module && symbols_name(module->symbols, address - module->bias, name, sizeof(name)))
		add(line, " <%s>", name);
}

static void add_failure(struct line *line, const struct tm_event *event)
{
	char words[TM_TEXASR_WORDS_MAX];
	enum tm_cause cause = tm_cause_of(event->texasr);

	add(line, ": %s", tm_texasr_words(event->texasr, words));
	if (event->line && profile_has_line(cause)) {
		add(line, "; line ");
		add_place(line, event->line);
		if (event->line_pc) {
			add(line, " touched at ");
			add_place(line, event->line_pc);
		}
	}
	if (cause == TM_CAUSE_OF_TM_CONFLICT && event->other >= 0) {
		add(line, "; cpu %d", event->other);
		if (event->other_tbegin) {
			add(line, " begun at ");
			add_place(line, event->other_tbegin);
		}
	}
	add(line, "; TEXASR 0x%016" PRIx64, event->texasr);
}

static const char *const event_names[] = {
	[TM_EVENT_BEGIN] = "begin",
	[TM_EVENT_COMMIT] = "commit",
	[TM_EVENT_FAIL] = "abort",
	[TM_EVENT_SUSPEND] = "suspend",
	[TM_EVENT_RESUME] = "resume",
	[TM_EVENT_RECLAIM] = "reclaim",
	[TM_EVENT_RECHECKPOINT] = "recheckpoint",
	[TM_EVENT_ENABLE] = "tm-on",
	[TM_EVENT_DISABLE] = "tm-off",
};

/*
 * Written at once, as the other threads' lines are: then they are in order, and none is lost if the
 * process is killed. Whoever reads them too slowly slows the program down.
 */
static void trace(const struct cpu *cpu, const struct tm_event *event)
{
	struct line line = {.length = 0};
	struct timespec now;
	ssize_t ignored;

	clock_gettime(CLOCK_MONOTONIC, &now);
	add(&line, "powertm: tm %lld.%06ld %d cpu %u %s at ", (long long)now.tv_sec,
	    now.tv_nsec / 1000, current ? current->tid : 0, cpu->id, event_names[event->kind]);
	add_place(&line, event->pc);
	switch (event->kind) {
	case TM_EVENT_BEGIN:
		if (event->texasr & TEXASR_ROT)
			add(&line, ": rollback-only");
		break;
	case TM_EVENT_COMMIT:
	case TM_EVENT_FAIL:
		add(&line, ", begun at ");
		add_place(&line, event->tbegin);
		add(&line, ", %u line%s", event->lines, event->lines == 1 ? "" : "s");
		if (event->kind == TM_EVENT_FAIL)
			add_failure(&line, event);
		break;
	case TM_EVENT_RESUME:
	case TM_EVENT_RECLAIM:
	case TM_EVENT_RECHECKPOINT:
		if (event->texasr & TEXASR_FS)
			add_failure(&line, event);
		break;
	default:
		break;
	}
	line.text[line.length++] = '\n';
	ignored = write(log_fd(), line.text, line.length);
	(void)ignored;
}

/* --- the observer ----------------------------------------------------------------------------- */

static void see_event(void *context, struct cpu *cpu, const struct tm_event *event)
{
	if (watching.profile)
		profile_event(watching.profile, cpu, event);
	if (watching.trace)
		trace(cpu, event);
}

static void see_file(void *context, int fd, u64 start, u64 end, u64 offset)
{
	char path[512];
	struct module *module = modules_note(fd, start, end, offset, path);

	if (!module)
		return;
	if (watching.profile)
		module->shared = profile_file(watching.profile, path);
	if (watching.trace)
		module->symbols = symbols_read(path);
	modules_publish();
}

static const struct run_observer observer = {.tm_event = see_event, .file_mapped = see_file};

const struct run_observer *watch_start(struct slots *slots, bool trace)
{
	size_t size;
	void *room = slots_extension(slots, &size);

	watching.trace = trace;
	watching.profile = size == sizeof(struct profile) ? room : NULL;
	return trace || watching.profile ? &observer : NULL;
}

struct profile *watch_make_profile(struct slots *slots)
{
	return slots_extend(slots, sizeof(struct profile));
}
