/* SPDX-License-Identifier: MIT */
/*
 * For programs that test what only powerpc has: each check prints a TAP line. They give the same
 * answers on a real Linux, on which they were checked.
 */
#ifndef TAP_H
#define TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;

static int tap_count, tap_failed;

/* One check, named as printf does. */
static inline __attribute__((format(printf, 2, 3))) int ok(int condition, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %d - ", condition ? "" : "not ", ++tap_count);
	vprintf(format, args);
	printf("\n");
	va_end(args);
	tap_failed += !condition;
	return condition;
}

/* A number must be as expected; tells both if not. */
static inline int is(u64 got, u64 expected, const char *name)
{
	int same = ok(got == expected, "%s", name);

	if (!same)
		printf("#   got 0x%llx, expected 0x%llx\n", (unsigned long long)got,
		       (unsigned long long)expected);
	return same;
}

static inline int tap_end(void)
{
	printf("1..%d\n", tap_count);
	fflush(stdout);
	return tap_failed != 0;
}

#endif
