// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/symbols.h"

#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/code_file.h"

struct symbols {
	struct code_file file;
};

struct symbols *symbols_read(const char *path)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols && !code_file_read(&symbols->file, path)) {
		if (symbols->file.symbol_count)
			return symbols;
		code_file_free(&symbols->file);
	}
	free(symbols);
	return NULL;
}

void symbols_free(struct symbols *symbols)
{
	if (symbols)
		code_file_free(&symbols->file);
	free(symbols);
}

/* A symbol without size goes on until the next one, but not far. */
#define SIZE_MAX_UNKNOWN 0x10000

static bool covers(const struct code_symbol *s, u64 address)
{
	if (s->section == SHN_UNDEF || s->section >= SHN_LORESERVE || s->type == STT_SECTION)
		return false;
	return address - s->address < (s->size ? s->size : SIZE_MAX_UNKNOWN);
}

/* Symbols before the nearest that are looked at: one may lie within another. */
#define LOOK_BACK 32

static const struct code_symbol *find(const struct code_file *file, u64 address)
{
	const struct code_symbol *found = NULL;
	size_t low = 0, high = file->symbol_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (file->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of those with the same address the first is the one to be shown. */
	for (size_t n = 0; low-- > 0 && n < LOOK_BACK; n++) {
		const struct code_symbol *s = &file->symbols[low];

		if (found && s->address != found->address)
			break;
		if (covers(s, address))
			found = s;
	}
	return found;
}

bool symbols_name(const struct symbols *symbols, u64 address, char *buffer, size_t size)
{
	const struct code_symbol *s = symbols ? find(&symbols->file, address) : NULL;

	buffer[0] = 0;
	if (!s)
		return false;
	if (address == s->address)
		snprintf(buffer, size, "%s", s->name);
	else
		snprintf(buffer, size, "%s+0x%llx", s->name,
			 (unsigned long long)(address - s->address));
	return true;
}

/* --- source lines ----------------------------------------------------------------------------- */

static struct {
	char path[512];
	int fd;
	Dwarf *dwarf; /* NULL: none */
} debug = {.fd = -1};

static void open_debug(const char *path)
{
	if (!strcmp(debug.path, path))
		return;
	if (debug.dwarf)
		dwarf_end(debug.dwarf);
	if (debug.fd >= 0)
		close(debug.fd);
	snprintf(debug.path, sizeof(debug.path), "%s", path);
	debug.fd = open(path, O_RDONLY | O_CLOEXEC);
	debug.dwarf = debug.fd >= 0 ? dwarf_begin(debug.fd, DWARF_C_READ) : NULL;
}

/* The compilation unit of an address. Not every compiler writes the table that tells. */
static bool find_unit(u64 address, Dwarf_Die *die)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	if (dwarf_addrdie(debug.dwarf, address, die))
		return true;
	for (; !dwarf_nextcu(debug.dwarf, offset, &next, &header, NULL, NULL, NULL); offset = next)
		if (dwarf_offdie(debug.dwarf, offset + header, die) &&
		    dwarf_haspc(die, address) > 0)
			return true;
	return false;
}

bool symbols_line(const char *path, u64 address, char *buffer, size_t size)
{
	const char *file, *slash;
	Dwarf_Line *line;
	Dwarf_Die unit;
	int number;

	buffer[0] = 0;
	open_debug(path);
	if (!debug.dwarf || !find_unit(address, &unit))
		return false;
	line = dwarf_getsrc_die(&unit, address);
	file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(line, &number) || !number)
		return false;
	slash = strrchr(file, '/');
	snprintf(buffer, size, "%s:%d", slash ? slash + 1 : file, number);
	return true;
}
