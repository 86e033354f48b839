/* SPDX-License-Identifier: MIT */
/*
 * What stat says about transactional memory.
 */
#ifndef CLI_TM_REPORT_H
#define CLI_TM_REPORT_H

#include <stdio.h>

#include "base/counters.h"

struct profile;

/* Does this counter appear in the report, and need not be listed with the others? */
bool tm_report_has(enum counter counter);

/* For people; nothing if nobody used transactional memory. */
void tm_report_print(FILE *out, const struct profile *profile);

/* A member "tm" of a JSON object, without a comma behind it. */
void tm_report_json(FILE *out, const struct profile *profile);

/*
 * The value of a name for conditions (condition.h): a counter, also with dots for underscores, and
 * tm.failures.CAUSE with underscores for dashes.
 */
bool tm_report_lookup(const char *name, size_t length, double *value);

#endif
