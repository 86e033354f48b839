// SPDX-License-Identifier: MIT
#include "cli/condition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 100

struct parser {
	const char *at;
	condition_lookup lookup;
	int depth;
	char *error; /* empty: none */
};

static double parse_or(struct parser *p);

/* The first error counts; afterwards nothing more is read. */
static double fail(struct parser *p, const char *what, const char *where)
{
	if (!p->error[0])
		snprintf(p->error, CONDITION_ERROR_MAX, "%s at \"%.40s\"", what,
			 *where ? where : "the end");
	p->at += strlen(p->at);
	return 0;
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

static bool accept(struct parser *p, const char *token)
{
	skip_blanks(p);
	if (strncmp(p->at, token, strlen(token)))
		return false;
	p->at += strlen(token);
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t name_length(const char *text)
{
	size_t n = 0;

	if (!is_letter(text[0]))
		return 0;
	while (is_letter(text[n]) || is_digit(text[n]) || text[n] == '_' || text[n] == '.')
		n++;
	return n;
}

static double parse_number(struct parser *p)
{
	const char *start = p->at;
	double value = 0, scale = 1;

	for (; is_digit(*p->at); p->at++)
		value = 10 * value + (*p->at - '0');
	if (*p->at == '.')
		for (p->at++; is_digit(*p->at); p->at++)
			value += (*p->at - '0') * (scale /= 10);
	if (name_length(p->at) || *p->at == '.')
		return fail(p, "no number", start);
	return value;
}

static double parse_factor(struct parser *p)
{
	double value = 0;
	size_t length;

	if (++p->depth > DEPTH_MAX)
		return fail(p, "nested too deeply", p->at);
	skip_blanks(p);
	if (strncmp(p->at, "!=", 2) && accept(p, "!")) {
		value = !parse_factor(p);
	} else if (accept(p, "-")) {
		value = -parse_factor(p);
	} else if (accept(p, "(")) {
		value = parse_or(p);
		if (!accept(p, ")"))
			fail(p, "\")\" is missing", p->at);
	} else if (is_digit(*p->at)) {
		value = parse_number(p);
	} else {
		length = name_length(p->at);
		if (!length)
			return fail(p, "a number or a name is missing", p->at);
		if (!p->lookup(p->at, length, &value))
			return fail(p, "unknown name", p->at);
		p->at += length;
	}
	p->depth--;
	return value;
}

static double parse_product(struct parser *p)
{
	double value = parse_factor(p), other;

	for (;;) {
		if (accept(p, "*")) {
			value *= parse_factor(p);
		} else if (accept(p, "/")) {
			other = parse_factor(p);
			value = other == 0 ? 0 : value / other;
		} else {
			return value;
		}
	}
}

static double parse_sum(struct parser *p)
{
	double value = parse_product(p);

	for (;;) {
		if (accept(p, "+"))
			value += parse_product(p);
		else if (accept(p, "-"))
			value -= parse_product(p);
		else
			return value;
	}
}

static double parse_relation(struct parser *p)
{
	double value = parse_sum(p);

	if (accept(p, "=="))
		return value == parse_sum(p);
	if (accept(p, "!="))
		return value != parse_sum(p);
	if (accept(p, "<="))
		return value <= parse_sum(p);
	if (accept(p, ">="))
		return value >= parse_sum(p);
	if (accept(p, "<"))
		return value < parse_sum(p);
	if (accept(p, ">"))
		return value > parse_sum(p);
	return value;
}

static double parse_and(struct parser *p)
{
	double value = parse_relation(p);

	while (accept(p, "&&")) {
		double other = parse_relation(p); /* in any case: it must be well formed */

		value = value != 0 && other != 0;
	}
	return value;
}

static double parse_or(struct parser *p)
{
	double value = parse_and(p);

	while (accept(p, "||")) {
		double other = parse_and(p);

		value = value != 0 || other != 0;
	}
	return value;
}

bool condition_evaluate(const char *text, condition_lookup lookup, double *value,
			char error[CONDITION_ERROR_MAX])
{
	struct parser p = {.at = text, .lookup = lookup, .error = error};

	error[0] = 0;
	*value = parse_or(&p);
	skip_blanks(&p);
	if (*p.at)
		fail(&p, "an operator is missing", p.at);
	return !error[0];
}

void condition_names(const char *text, void (*tell)(const char *name, size_t length, void *context),
		     void *context)
{
	while (*text) {
		size_t length = name_length(text);

		if (length)
			tell(text, length, context);
		text += length ? length : 1;
	}
}
