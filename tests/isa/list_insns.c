/* SPDX-License-Identifier: MIT */
/*
 * Prints the instruction table, one JSON object a line, for the differential tests: so they know
 * an instruction as soon as the decoder does.
 */
#include <stdio.h>

#include "isa/insn.h"

static const struct {
	const char *name, *class;
	unsigned int shift, width, high_shift, high_width;
} operands[] = {
	[OPERAND_NONE] = {"NONE", "none", 0, 0, 0, 0},
#define OPERAND(name, class, shift, width, high_shift, high_width)                                 \
	[OPERAND_##name] = {#name, #class, shift, width, high_shift, high_width},
#include "isa/operands.def"
#undef OPERAND
};

static const struct {
	u32 flag;
	const char *name;
} flags[] = {
	{INSN_PRIVILEGED, "privileged"},
	{INSN_NOT_IN_TM, "not-in-tm"},
	{INSN_ENDS_BLOCK, "ends-block"},
	{INSN_LOAD, "load"},
	{INSN_STORE, "store"},
	{INSN_FP, "fp"},
	{INSN_VEC, "vec"},
	{INSN_VSX, "vsx"},
	{INSN_TM, "tm"},
	{INSN_DFP, "dfp"},
	{INSN_RC, "rc"},
	{INSN_FP_OR_VEC, "fp-or-vec"},
	{INSN_LE_ALIGN, "le-align"},
	{INSN_UPDATE, "update"},
};

static void print_row(const struct insn *insn)
{
	const char *comma = "";

	printf("{\"name\": \"%s\", \"mnemonic\": \"%s\", \"value\": %u, \"mask\": %u, ", insn->name,
	       insn->mnemonic, insn->value, insn->mask);
	printf("\"level\": %u, \"flags\": [", insn->level);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(insn->flags & flags[i].flag))
			continue;
		printf("%s\"%s\"", comma, flags[i].name);
		comma = ", ";
	}
	comma = "";
	printf("], \"operands\": [");
	for (int i = 0; i < INSN_MAX_OPERANDS && insn->operands[i] != OPERAND_NONE; i++) {
		u8 o = insn->operands[i];

		printf("%s[\"%s\", \"%s\", %u, %u, %u, %u]", comma, operands[o].name,
		       operands[o].class, operands[o].shift, operands[o].width,
		       operands[o].high_shift, operands[o].high_width);
		comma = ", ";
	}
	printf("]}\n");
}

int main(void)
{
	isa_init();
	for (enum form form = FORM_invalid + 1; form < FORM_ROWS_END; form++)
		print_row(isa_form_insn(form));
	return 0;
}
