// SPDX-License-Identifier: MIT
/* Fuzzing target: decoder and disassembler on arbitrary instruction words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/cpu.h"
#include "isa/insn.h"
#include "fuzz.h"

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "0x%08x: %s\n", word, #condition);                         \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static void check_decoder(u32 word)
{
	struct decoded d, again;

	if (!isa_decode(word, &d)) {
		REQUIRE(d.form == FORM_invalid && !d.insn);
		return;
	}
	REQUIRE(d.form > FORM_invalid && d.form < FORM_COUNT);
	REQUIRE(isa_form_insn(d.form) == d.insn);
	/* The CPU does not look at bit 31 of the instructions for transactions. */
	REQUIRE(((word ^ d.insn->value) & d.insn->mask & ~(d.insn->flags & INSN_TM ? 1u : 0u)) == 0);
	REQUIRE(d.t < sizeof(struct cpu) && d.a < sizeof(struct cpu));
	REQUIRE(d.b < sizeof(struct cpu) && d.c < sizeof(struct cpu));
	/* Reserved bits are ignored. */
	REQUIRE(isa_decode(word & ~d.insn->reserved, &again));
	REQUIRE(!memcmp(&d, &again, sizeof(d)));
}

static void check_disassembler(u32 word, u64 pc)
{
	char text[96];
	size_t length;

	isa_disassemble(word, pc, text, sizeof(text));
	length = strnlen(text, sizeof(text));
	REQUIRE(length > 0 && length < sizeof(text) - 1); /* nothing was cut off */
	REQUIRE(text[length - 1] != ' ');
	for (size_t i = 0; i < length; i++)
		REQUIRE(text[i] >= ' ' && text[i] < 0x7f);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	isa_init();
	for (size_t i = 0; i + 4 <= size; i += 4) {
		u32 word;

		memcpy(&word, data + i, 4);
		check_decoder(word);
		check_disassembler(word, word * 0x100000001ull);
	}
	return 0;
}
