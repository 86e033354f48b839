/* SPDX-License-Identifier: MIT */
/*
 * The code and the symbols of an ELF file, for the disassembler. The file is read as data and may
 * be malformed in any way: nothing in it is trusted.
 */
#ifndef CLI_CODE_FILE_H
#define CLI_CODE_FILE_H

#include "base/types.h"

/* Executable bytes. */
struct code_section {
	const char *name;
	u64 address;
	const u8 *data; /* size bytes */
	u64 size;
	u32 index; /* in the file's section table */
};

struct code_symbol {
	const char *name;
	u64 address;
	u64 size;
	u32 section; /* index in the file's section table; other values mean none */
	u8 type;     /* STT_* */
	u8 binding;  /* STB_* */
};

/**
 * struct code_file - what code_file_parse() found
 * @sections: in the order of the file
 * @section_count: how many
 * @symbols: sorted by address; of those with the same address the one to be shown first
 * @symbol_count: how many
 * @by_section: the same symbols in groups by section, each in the same order
 * @relocatable: whether it is an object file, where all sections start at address 0
 * @data: the whole file, if code_file_read() read it
 */
struct code_file {
	struct code_section *sections;
	size_t section_count;
	struct code_symbol *symbols;
	size_t symbol_count;
	const struct code_symbol **by_section;
	bool relocatable;
	u8 *data;
};

/**
 * code_file_parse - find the code in an ELF file in memory
 * @file: filled; refers to @data, which must live as long
 * @data: the file
 * @size: of the file, bytes
 *
 * Return: NULL, or what is wrong with the file, to be printed behind its name. Then nothing is
 * to be freed.
 */
const char *code_file_parse(struct code_file *file, const u8 *data, size_t size);

/* The same for a file on disk. */
const char *code_file_read(struct code_file *file, const char *path);

void code_file_free(struct code_file *file);

/**
 * code_file_symbol - the symbol by which an address is to be shown
 * @file: the file
 * @section: the section that is being printed
 * @address: in it or elsewhere
 *
 * Addresses of the section get symbols of the section only: the nearest at or before the address,
 * or else the first behind it.
 *
 * Return: NULL if there is none.
 */
const struct code_symbol *code_file_symbol(const struct code_file *file,
					   const struct code_section *section, u64 address);

/* The next symbol of the section behind an address, or NULL. */
const struct code_symbol *code_file_next_symbol(const struct code_file *file,
						const struct code_section *section, u64 address);

#endif
