// SPDX-License-Identifier: MIT
#include "base/counters.h"

#include <inttypes.h>
#include <string.h>

static u64 own_counters[COUNTER_COUNT];

u64 *counters = own_counters;

void counters_move(u64 *memory)
{
	for (int i = 0; i < COUNTER_COUNT; i++)
		__atomic_fetch_add(&memory[i], counters[i], __ATOMIC_RELAXED);
	counters = memory;
}

static const struct counter_description descriptions[COUNTER_COUNT] = {
#define COUNTER(name_, unit_, meaning_)                                                            \
	[COUNTER_##name_] = {.name = #name_, .unit = unit_, .meaning = meaning_},
#include "base/counters.def"
#undef COUNTER
};

const struct counter_description *counter_describe(enum counter counter)
{
	return &descriptions[counter];
}

/* 1234567 as "1,234,567". */
static void format_grouped(u64 value, char *buffer)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*buffer++ = ',';
		*buffer++ = digits[i];
	}
	*buffer = '\0';
}

void counters_print_row(FILE *out, enum counter counter)
{
	char value[40];

	format_grouped(__atomic_load_n(&counters[counter], __ATOMIC_RELAXED), value);
	fprintf(out, "%22s %-4s %-18s # %s\n", value, descriptions[counter].unit,
		descriptions[counter].name, descriptions[counter].meaning);
}

void counters_print_json(FILE *out, const char *indent)
{
	for (int i = 0; i < COUNTER_COUNT; i++)
		fprintf(out, "%s\"%s\": %" PRIu64 "%s\n", indent, descriptions[i].name,
			__atomic_load_n(&counters[i], __ATOMIC_RELAXED),
			i + 1 < COUNTER_COUNT ? "," : "");
}
