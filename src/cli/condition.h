/* SPDX-License-Identifier: MIT */
/*
 * Conditions on numbers that have names: stat --fail-if 'tm.failures.footprint > 10 || exit != 0'.
 *
 *	or	= and { "||" and }
 *	and	= relation { "&&" relation }
 *	relation = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
 *	sum	= product { ("+" | "-") product }
 *	product	= factor { ("*" | "/") factor }
 *	factor	= "!" factor | "-" factor | "(" or ")" | NUMBER | NAME
 *
 * NUMBER is decimal, with or without fraction. NAME starts with a letter; letters, digits, "_" and
 * "." follow. Truth is 1 or 0; any number but 0 is true. Dividing by 0 gives 0, so that a share of
 * nothing is none.
 */
#ifndef CLI_CONDITION_H
#define CLI_CONDITION_H

#include "base/types.h"

/* The value of a name. Return: false if there is none of that name. */
typedef bool (*condition_lookup)(const char *name, size_t length, double *value);

#define CONDITION_ERROR_MAX 128

/**
 * condition_evaluate - the value of an expression
 * @lookup: knows the names; called for each of them, whatever the values of others
 * @value: receives it
 * @error: receives what is wrong with the expression
 *
 * Return: false if something is.
 */
bool condition_evaluate(const char *text, condition_lookup lookup, double *value,
			char error[CONDITION_ERROR_MAX]);

/* Call a function for each name in an expression that is well formed. */
void condition_names(const char *text, void (*tell)(const char *name, size_t length, void *context),
		     void *context);

#endif
