// SPDX-License-Identifier: MIT
/*
 * powertm disas: the instructions of an ELF file, as objdump -d prints them.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/code_file.h"
#include "isa/insn.h"

/* A run of zero bytes at least as long is shown as "...". */
#define SHORTEST_GAP 8

struct listing {
	const struct code_file *file;
	const char *section_name; /* the only one to print, or NULL */
	u64 start, stop;	  /* addresses; stop is the first that is not printed */
	bool printed;		  /* anything at all */
};

/* "<main+0x10>", or the section's name where there is no symbol. */
static void print_symbol(const struct code_file *file, const struct code_section *section,
			 u64 address)
{
	const struct code_symbol *symbol = code_file_symbol(file, section, address);
	const char *name = symbol ? symbol->name : section->name;
	u64 start = symbol ? symbol->address : section->address;

	if (start == address)
		printf("<%s>", name);
	else if (start < address)
		printf("<%s+0x%" PRIx64 ">", name, address - start);
	else
		printf("<%s-0x%" PRIx64 ">", name, start - address);
}

static void print_instruction(const struct code_file *file, const struct code_section *section,
			      u32 word, u64 pc)
{
	char text[96];
	char *printed_target = NULL;
	u64 target;

	isa_disassemble(word, pc, text, sizeof(text));
	if (file->symbol_count && isa_branch_target(word, pc, &target))
		printed_target = strstr(text, "0x");
	if (!printed_target || text[0] == '.') {
		printf("%s\n", text);
		return;
	}
	target = strtoull(printed_target, NULL, 16);
	*printed_target = 0;
	printf("%s%" PRIx64 " ", text, target);
	print_symbol(file, section, target);
	putchar('\n');
}

/* Width of the address column: a multiple of 4, more than the end of the section has digits. */
static int address_width(const struct code_section *section, u64 stop)
{
	u64 end = MIN(stop, section->address + section->size);
	int width = 4;

	while (width < 16 && end >> (4 * width - 4))
		width += 4;
	return width;
}

static u64 count_zeros(const u8 *bytes, u64 limit)
{
	u64 count = 0;

	while (count < limit && bytes[count] == 0)
		count++;
	return count;
}

/* What is left of a section after its last whole word. */
static void print_bytes(const u8 *bytes, u64 count)
{
	for (u64 i = 0; i < count; i++)
		printf("%02x ", bytes[i]);
	for (u64 i = count; i < 4; i++)
		printf("   ");
	printf("\t.byte 0x%x\n", bytes[0]);
}

/* The instructions from one symbol to the next. */
static void print_region(const struct code_file *file, const struct code_section *section,
			 u64 start, u64 end, int width)
{
	printf("\n%016" PRIx64 " ", start);
	print_symbol(file, section, start);
	printf(":\n");
	for (u64 pc = start; pc < end;) {
		const u8 *bytes = section->data + (pc - section->address);
		u64 zeros = count_zeros(bytes, end - pc);
		u32 word;

		if (zeros >= SHORTEST_GAP) {
			if (zeros < end - pc)
				zeros = ROUND_DOWN(zeros, 4);
			printf("\t...\n");
			pc += zeros;
			continue;
		}
		printf("%*" PRIx64 ":\t", width, pc);
		if (end - pc < sizeof(word)) {
			print_bytes(bytes, 1);
			pc++;
			continue;
		}
		memcpy(&word, bytes, sizeof(word));
		printf("%02x %02x %02x %02x \t", bytes[0], bytes[1], bytes[2], bytes[3]);
		print_instruction(file, section, word, pc);
		pc += sizeof(word);
	}
}

static void print_section(struct listing *listing, const struct code_section *section)
{
	u64 end = section->address + section->size;
	u64 start = MAX(section->address, listing->start);
	u64 stop = MIN(end, listing->stop);
	int width = address_width(section, stop);

	if (start >= stop)
		return;
	listing->printed = true;
	printf("\nDisassembly of section %s:\n", section->name);
	while (start < stop) {
		const struct code_symbol *next =
			code_file_next_symbol(listing->file, section, start);
		u64 region_end = next && next->address < stop ? next->address : stop;

		print_region(listing->file, section, start, region_end, width);
		start = region_end;
	}
}

static int print_file(const struct listing *options, const char *path)
{
	struct code_file file;
	const char *problem = code_file_read(&file, path);
	struct listing listing = *options;

	if (problem) {
		log_error("%s: %s", path, problem);
		return EXIT_FAILURE;
	}
	listing.file = &file;
	printf("\n%s:     file format elf64-powerpcle\n\n", path);
	for (size_t i = 0; i < file.section_count; i++) {
		const struct code_section *section = &file.sections[i];

		if (!listing.section_name || !strcmp(listing.section_name, section->name))
			print_section(&listing, section);
	}
	code_file_free(&file);
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	if (!listing.printed && listing.section_name) {
		log_error("%s: no code in a section %s", path, listing.section_name);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

static bool parse_address(const char *text, u64 *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 0);
	if (errno || *end || !isdigit((unsigned char)*text)) {
		log_error("disas: not an address: %s", text);
		return false;
	}
	return true;
}

static int usage(void)
{
	fprintf(stderr, "usage: powertm disas [--section NAME] [--start-address ADDRESS]\n"
			"                     [--stop-address ADDRESS] FILE...\n");
	return EXIT_USAGE;
}

int command_disas(int argc, char **argv)
{
	static const struct option options[] = {
		{"section", required_argument, NULL, 'j'},
		{"start-address", required_argument, NULL, 'a'},
		{"stop-address", required_argument, NULL, 'o'},
		{NULL, 0, NULL, 0},
	};
	struct listing listing = {.stop = UINT64_MAX};
	int option, status = EXIT_SUCCESS;

	isa_init();
	while ((option = getopt_long(argc, argv, "j:", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			listing.section_name = optarg;
			break;
		case 'a':
			if (!parse_address(optarg, &listing.start))
				return EXIT_USAGE;
			break;
		case 'o':
			if (!parse_address(optarg, &listing.stop))
				return EXIT_USAGE;
			break;
		default:
			return usage();
		}
	}
	if (optind == argc)
		return usage();
	for (int i = optind; i < argc; i++)
		if (print_file(&listing, argv[i]) != EXIT_SUCCESS)
			status = EXIT_FAILURE;
	return status;
}
