/* SPDX-License-Identifier: MIT */
/*
 * What powertm says beside the guest's own output: errors, and what --log asks for.
 *
 * Every line begins with "powertm: " and goes to a private copy of standard error, so the guest
 * cannot close or redirect it. Any thread may call; a line is written in one piece.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/types.h"

enum log_topic {
	LOG_UNIMPLEMENTED, /* system calls and instructions that are missing */
	LOG_SYSCALL,
	LOG_SIGNAL,
	LOG_MM,
	LOG_EXEC,
	LOG_SCHED,
	LOG_TM,
	LOG_TOPICS,
};

extern u32 log_topics; /* bit set of those asked for */

static inline bool log_enabled(enum log_topic topic)
{
	return unlikely(log_topics & 1u << topic);
}

/* Set up; once, early. */
void log_init(void);

/* Switch on topics of a comma-separated list. Return: false if one is unknown. */
bool log_enable(const char *list);

/* Names of all topics, comma-separated. */
const char *log_topic_names(void);

/* The descriptor of the private copy. */
int log_fd(void);

/* One line, if the topic is enabled. The format is without "powertm: " and line feed. */
void log_line(enum log_topic topic, const char *format, ...) PRINTF(2, 3);

/* One line, always: something is wrong. */
void log_error(const char *format, ...) PRINTF(1, 2);

/* One line, then exit with this status. */
void log_fatal(int status, const char *format, ...) PRINTF(2, 3) __attribute__((noreturn));

#endif
