// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/private_fd.h"

u32 log_topics;

static int fd = STDERR_FILENO;

static const char *const topic_names[LOG_TOPICS] = {
	[LOG_UNIMPLEMENTED] = "unimp",
	[LOG_SYSCALL] = "syscall",
	[LOG_SIGNAL] = "signal",
	[LOG_MM] = "mm",
	[LOG_EXEC] = "exec",
	[LOG_SCHED] = "sched",
	[LOG_TM] = "tm",
};

void log_init(void)
{
	int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	if (copy < 0)
		return;
	fd = copy;
	private_fd_adopt(&fd);
}

bool log_enable(const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		bool known = false;

		for (int i = 0; i < LOG_TOPICS; i++)
			if (strlen(topic_names[i]) == length &&
			    !memcmp(topic_names[i], list, length)) {
				log_topics |= 1u << i;
				known = true;
			}
		if (length == 3 && !memcmp(list, "all", 3)) {
			log_topics = (1u << LOG_TOPICS) - 1;
			known = true;
		}
		if (!known)
			return false;
		list += length;
		list += *list == ',';
	}
	return true;
}

const char *log_topic_names(void)
{
	static char names[128];

	if (!names[0])
		for (int i = 0; i < LOG_TOPICS; i++) {
			strcat(names, topic_names[i]);
			strcat(names, i == LOG_TOPICS - 1 ? "" : ",");
		}
	return names;
}

int log_fd(void)
{
	return fd;
}

static void PRINTF(1, 0) write_line(const char *format, va_list args)
{
	char line[1024] = "powertm: ";
	size_t start = strlen(line);
	int n = vsnprintf(line + start, sizeof(line) - start - 1, format, args);
	size_t length = start + (n < 0 ? 0 : MIN((size_t)n, sizeof(line) - start - 2));
	ssize_t ignored;

	line[length++] = '\n';
	ignored = write(fd, line, length);
	(void)ignored;
}

void log_line(enum log_topic topic, const char *format, ...)
{
	va_list args;

	if (!log_enabled(topic))
		return;
	va_start(args, format);
	write_line(format, args);
	va_end(args);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args);
	va_end(args);
}

void log_fatal(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args);
	va_end(args);
	_exit(status);
}
