// SPDX-License-Identifier: MIT
/*
 * The expressions of stat --fail-if.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/condition.h"

static bool lookup(const char *name, size_t length, double *value)
{
	static const struct {
		const char *name;
		double value;
	} names[] = {{"zero", 0}, {"one", 1}, {"tm.commits", 100}, {"tm.failures.footprint", 7}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == length && !memcmp(names[i].name, name, length)) {
			*value = names[i].value;
			return true;
		}
	return false;
}

static void is(const char *text, double expected)
{
	char error[CONDITION_ERROR_MAX];
	double value;

	if (!condition_evaluate(text, lookup, &value, error))
		fail_msg("%s: %s", text, error);
	if (value < expected || value > expected)
		fail_msg("%s is %f, not %f", text, value, expected);
}

static void is_refused(const char *text, const char *why)
{
	char error[CONDITION_ERROR_MAX];
	double value;

	if (condition_evaluate(text, lookup, &value, error))
		fail_msg("%s is %f", text, value);
	assert_string_equal(error, why);
}

static void numbers_and_names(void **state)
{
	is("0", 0);
	is(" 12.5 ", 12.5);
	is("0.25", 0.25);
	is("18446744073709551616", 18446744073709551616.0);
	is("tm.commits", 100);
	is("-tm.commits", -100);
	is("--one", 1);
	is("!zero", 1);
	is("!!tm.commits", 1);
}

static void all_relations(void **state)
{
	static const struct {
		const char *relation;
		bool less, equal, greater;
	} cases[] = {{"==", 0, 1, 0}, {"!=", 1, 0, 1}, {"<", 1, 0, 0},
		     {"<=", 1, 1, 0}, {">", 0, 0, 1},  {">=", 0, 1, 1}};
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "1%s2", cases[i].relation);
		is(text, cases[i].less);
		snprintf(text, sizeof(text), "2 %s 2", cases[i].relation);
		is(text, cases[i].equal);
		snprintf(text, sizeof(text), "3%s 2", cases[i].relation);
		is(text, cases[i].greater);
	}
}

static void operators_bind_as_in_c(void **state)
{
	is("1+2*3", 7);
	is("(1+2)*3", 9);
	is("10-2-3", 5);
	is("12/2/3", 2);
	is("1 || 0 && 0", 1);
	is("(1 || 0) && 0", 0);
	is("0 && 0 || 1", 1);
	is("1 + 1 == 2 && 3 > 2", 1);
	is("!one == 0", 1);
	is("!(one == 0)", 1);
	is("2 - -2", 4);
	is("tm.failures.footprint > 10 || zero != 0", 0);
	is("tm.failures.footprint/tm.commits>0.05", 1);
}

static void a_share_of_nothing_is_none(void **state)
{
	is("tm.commits / zero", 0);
	is("tm.commits / zero > 0.5", 0);
}

static void what_is_not_well_formed_is_refused(void **state)
{
	is_refused("", "a number or a name is missing at \"the end\"");
	is_refused("1 +", "a number or a name is missing at \"the end\"");
	is_refused("1 2", "an operator is missing at \"2\"");
	is_refused("(1", "\")\" is missing at \"the end\"");
	is_refused("1)", "an operator is missing at \")\"");
	is_refused("tm.commit == 0", "unknown name at \"tm.commit == 0\"");
	is_refused("1 || nothing", "unknown name at \"nothing\"");
	is_refused("0 && nothing", "unknown name at \"nothing\"");
	is_refused("one = 1", "an operator is missing at \"= 1\"");
	is_refused("one & one", "an operator is missing at \"& one\"");
	is_refused("1 < 2 < 3", "an operator is missing at \"< 3\"");
	is_refused("1.2.3", "no number at \"1.2.3\"");
	is_refused("12ab", "no number at \"12ab\"");
	is_refused("!= 2", "a number or a name is missing at \"!= 2\"");
	is_refused("\"", "a number or a name is missing at \"\"\"");
}

static void deep_nesting_is_refused_and_not_a_crash(void **state)
{
	const size_t n = 1000000;
	char *text = malloc(n + 1), error[CONDITION_ERROR_MAX];
	double value;

	memset(text, '(', n);
	text[n] = 0;
	assert_false(condition_evaluate(text, lookup, &value, error));
	assert_non_null(strstr(error, "nested too deeply"));
	memset(text, '-', n);
	assert_false(condition_evaluate(text, lookup, &value, error));
	memset(text, '!', n);
	assert_false(condition_evaluate(text, lookup, &value, error));
	free(text);
}

/* Whatever the words, an answer comes. */
static void random_words_never_hurt(void **state)
{
	static const char *const words[] = {"1",  "zero", "(", ")", "&&", "||", "!", "==", "!=",
					    "<=", ">",	  "+", "-", "*",  "/",	" ", "2.", "x"};
	char text[256], error[CONDITION_ERROR_MAX];
	double value;

	srand(207);
	for (int round = 0; round < 100000; round++) {
		text[0] = 0;
		for (int n = rand() % 20; n > 0; n--)
			strcat(text, words[(size_t)rand() % ARRAY_SIZE(words)]);
		condition_evaluate(text, lookup, &value, error);
	}
}

static void remember(const char *name, size_t length, void *context)
{
	strncat(context, name, length);
	strcat(context, ",");
}

static void names_are_told(void **state)
{
	char names[128] = "";

	condition_names("tm.commits==0 || !one&&(2<tm.x_y)", remember, names);
	assert_string_equal(names, "tm.commits,one,tm.x_y,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_names),
		cmocka_unit_test(all_relations),
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(a_share_of_nothing_is_none),
		cmocka_unit_test(what_is_not_well_formed_is_refused),
		cmocka_unit_test(deep_nesting_is_refused_and_not_a_crash),
		cmocka_unit_test(random_words_never_hurt),
		cmocka_unit_test(names_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
