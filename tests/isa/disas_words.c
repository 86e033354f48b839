// SPDX-License-Identifier: MIT
/*
 * Words for the comparison of the disassembler with objdump (tests/isa/disas).
 *
 *	disas_words SEED PER_ROW RANDOM IMAGE
 *
 * writes words to the file IMAGE, in little-endian order and as if at address 0, and for each
 * one line "row<TAB>text" to standard output. There are PER_ROW words for every row of the
 * instruction table, with random operands of which some are likely to be 0 or equal so that
 * extended mnemonics come up, and one in four with some reserved bits set; then RANDOM random
 *words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/insn.h"

static u64 state;

/* splitmix64 */
static u64 next_random(void)
{
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Replace the operand bits of a 5-bit field by a value. */
static u32 set_field(u32 word, u32 operand_bits, u32 shift, u32 value)
{
	u32 bits = operand_bits & 31u << shift;

	return (word & ~bits) | (value << shift & bits);
}

static u32 random_word(const struct insn *insn)
{
	u32 operand_bits = ~(insn->mask | insn->reserved);
	u32 word = insn->value | ((u32)next_random() & operand_bits);

	if (next_random() % 4 == 0) /* a few of them */
		word |= (u32)(next_random() & next_random() & next_random()) & insn->reserved;

	for (u32 shift = 6; shift <= 21; shift += 5) {
		u64 choice = next_random() % 16;

		if (choice < 2)
			word = set_field(word, operand_bits, shift, 0);
		else if (choice == 2)
			word = set_field(word, operand_bits, shift, word >> 21);
		else if (choice == 3)
			word = set_field(word, operand_bits, shift, word >> 16);
		else if (choice == 4)
			word = set_field(word, operand_bits, shift, 31);
	}
	if (next_random() % 16 == 0)
		word &= ~(operand_bits & 0x03ff0000);
	return word;
}

static void emit(FILE *image, const char *row, u32 word)
{
	const u8 bytes[4] = {(u8)word, (u8)(word >> 8), (u8)(word >> 16), (u8)(word >> 24)};
	static u64 pc;
	char text[96];

	fwrite(bytes, 1, sizeof(bytes), image);
	isa_disassemble(word, pc, text, sizeof(text));
	printf("%s\t%s\n", row, text);
	pc += 4;
}

int main(int argc, char **argv)
{
	u64 per_row, random;
	FILE *image;

	if (argc != 5) {
		fprintf(stderr, "usage: disas_words SEED PER_ROW RANDOM IMAGE\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 0);
	per_row = strtoull(argv[2], NULL, 0);
	random = strtoull(argv[3], NULL, 0);
	image = fopen(argv[4], "wb");
	if (!image) {
		perror(argv[4]);
		return 2;
	}
	isa_init();
	for (u32 form = FORM_invalid + 1; form < FORM_ROWS_END; form++) {
		const struct insn *insn = isa_form_insn(form);

		for (u64 i = 0; i < per_row; i++)
			emit(image, insn->name, random_word(insn));
	}
	for (u64 i = 0; i < random; i++) {
		u32 word = (u32)next_random();
		struct decoded d;

		emit(image, isa_decode(word, &d) ? d.insn->name : "none", word);
	}
	if (fclose(image) || fflush(stdout)) {
		perror(argv[4]);
		return 2;
	}
	return 0;
}
