/* SPDX-License-Identifier: MIT */
/*
 * For test programs that run natively and under powertm and must print the same both times: values
 * that do not depend on the machine, flags by name, errors by name.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is it so? Prints the text of the condition when not. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			printf("FAIL line %d: %s (errno %s)\n", __LINE__, #condition,              \
			       strerrorname_np(errno));                                            \
	} while (0)

/* Call that must give a value that is no error; prints it if it does not. */
#define MUST(call)                                                                                 \
	({                                                                                         \
		long result__ = (long)(call);                                                      \
		if (result__ == -1)                                                                \
			printf("FAIL line %d: %s: %s\n", __LINE__, #call, strerrorname_np(errno)); \
		result__;                                                                          \
	})

/* Call whose result is printed: the value, or the error. */
#define SHOW(call)                                                                                 \
	do {                                                                                       \
		long result__;                                                                     \
		errno = 0;                                                                         \
		result__ = (long)(call);                                                           \
		if (result__ == -1 && errno)                                                       \
			printf("%s: %s\n", #call, strerrorname_np(errno));                         \
		else                                                                               \
			printf("%s: %ld\n", #call, result__);                                      \
	} while (0)

/* Go to a new empty directory. */
static inline void fresh_directory(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/guest-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(path) || chdir(path)) {
		printf("FAIL: no directory to work in\n");
		exit(1);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
}

#endif
