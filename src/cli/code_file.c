// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/code_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MALFORMED "malformed ELF file"
#define TOO_LARGE "too large"

/* A file in memory, and its section table once that is known to be inside. */
struct image {
	const u8 *data;
	size_t size;
	Elf64_Ehdr header;
	u64 section_count;
};

static bool is_inside(const struct image *image, u64 offset, u64 length)
{
	return offset <= image->size && length <= image->size - offset;
}

/* The entry of the section table; the number must be below section_count. */
static Elf64_Shdr section_header(const struct image *image, u64 number)
{
	Elf64_Shdr header;

	memcpy(&header, image->data + image->header.e_shoff + number * sizeof(header),
	       sizeof(header));
	return header;
}

static const char *check_header(struct image *image)
{
	const Elf64_Ehdr *h = &image->header;

	if (image->size < EI_NIDENT || memcmp(image->data, ELFMAG, SELFMAG) != 0)
		return "not an ELF file";
	if (image->data[EI_CLASS] != ELFCLASS64)
		return "not a 64-bit ELF file";
	if (image->data[EI_DATA] != ELFDATA2LSB)
		return "not a little-endian ELF file";
	if (image->size < sizeof(*h))
		return MALFORMED;
	memcpy(&image->header, image->data, sizeof(*h));
	if (h->e_machine != EM_PPC64)
		return "ELF file for another machine than ppc64le";
	return NULL;
}

/* Sets section_count, 0 if there is no table. */
static const char *check_section_table(struct image *image)
{
	const Elf64_Ehdr *h = &image->header;
	Elf64_Shdr first;

	image->section_count = 0;
	if (h->e_shoff == 0)
		return NULL;
	if (h->e_shentsize != sizeof(first) || !is_inside(image, h->e_shoff, sizeof(first)))
		return MALFORMED;
	first = section_header(image, 0);
	image->section_count = h->e_shnum ? h->e_shnum : first.sh_size;
	if (image->section_count > image->size / sizeof(first) ||
	    !is_inside(image, h->e_shoff, image->section_count * sizeof(first)))
		return MALFORMED;
	return NULL;
}

/* A string table: its bytes end with a NUL. */
struct strings {
	const char *start;
	u64 size;
};

static bool find_strings(const struct image *image, u64 number, struct strings *strings)
{
	Elf64_Shdr header;

	if (number >= image->section_count)
		return false;
	header = section_header(image, number);
	if (header.sh_type != SHT_STRTAB || header.sh_size == 0 ||
	    !is_inside(image, header.sh_offset, header.sh_size) ||
	    image->data[header.sh_offset + header.sh_size - 1] != 0)
		return false;
	strings->start = (const char *)image->data + header.sh_offset;
	strings->size = header.sh_size;
	return true;
}

static const char *string_at(const struct strings *strings, u64 offset)
{
	return offset < strings->size ? strings->start + offset : "";
}

static const char *find_sections(struct code_file *file, const struct image *image)
{
	const Elf64_Ehdr *h = &image->header;
	struct strings names = {"", 0};
	u64 names_number = h->e_shstrndx;

	if (names_number == SHN_XINDEX && image->section_count)
		names_number = section_header(image, 0).sh_link;
	find_strings(image, names_number, &names);
	file->sections = calloc(image->section_count, sizeof(*file->sections));
	if (!file->sections)
		return TOO_LARGE;
	for (u64 i = 0; i < image->section_count; i++) {
		Elf64_Shdr header = section_header(image, i);

		if (header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_EXECINSTR))
			continue;
		if (!is_inside(image, header.sh_offset, header.sh_size))
			return MALFORMED;
		file->sections[file->section_count++] = (struct code_section){
			.name = string_at(&names, header.sh_name),
			.address = header.sh_addr,
			.data = image->data + header.sh_offset,
			.size = header.sh_size,
			.index = (u32)i,
		};
	}
	return NULL;
}

/* For files without section table: the executable segments. */
static const char *find_segments(struct code_file *file, const struct image *image)
{
	const Elf64_Ehdr *h = &image->header;

	if (h->e_phentsize != sizeof(Elf64_Phdr) ||
	    !is_inside(image, h->e_phoff, (u64)h->e_phnum * sizeof(Elf64_Phdr)))
		return MALFORMED;
	file->sections = calloc(MAX(h->e_phnum, 1), sizeof(*file->sections));
	if (!file->sections)
		return TOO_LARGE;
	for (u32 i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, image->data + h->e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if (!is_inside(image, segment.p_offset, segment.p_filesz))
			return MALFORMED;
		file->sections[file->section_count++] = (struct code_section){
			.name = "load",
			.address = segment.p_vaddr,
			.data = image->data + segment.p_offset,
			.size = segment.p_filesz,
			.index = SHN_ABS,
		};
	}
	return NULL;
}

/* --- symbols --------------------------------------------------------------------------------- */

/* Order of symbols at one address, best first: as objdump has it. */
static int compare_symbols(const void *left, const void *right)
{
	const struct code_symbol *a = left, *b = right;
	const u64 keys[][2] = {
		{a->address, b->address},
		{a->type == STT_SECTION, b->type == STT_SECTION},
		{a->type != STT_FUNC, b->type != STT_FUNC},
		{a->type == STT_OBJECT, b->type == STT_OBJECT},
		{~a->size, ~b->size}, /* the larger one first */
		{a->binding == STB_WEAK, b->binding == STB_WEAK},
		{a->binding != STB_GLOBAL, b->binding != STB_GLOBAL},
		{a->name[0] == '.', b->name[0] == '.'},
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return strcmp(a->name, b->name);
}

static const char *section_name(const struct code_file *file, u32 index)
{
	size_t low = 0, high = file->section_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->sections[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < file->section_count && file->sections[low].index == index
		       ? file->sections[low].name
		       : "";
}

static int compare_by_section(const void *left, const void *right)
{
	const struct code_symbol *a = *(const struct code_symbol *const *)left;
	const struct code_symbol *b = *(const struct code_symbol *const *)right;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a < b ? -1 : a > b;
}

static const char *sort_symbols(struct code_file *file)
{
	qsort(file->symbols, file->symbol_count, sizeof(*file->symbols), compare_symbols);
	file->by_section = calloc(MAX(file->symbol_count, 1), sizeof(*file->by_section));
	if (!file->by_section)
		return TOO_LARGE;
	for (size_t i = 0; i < file->symbol_count; i++)
		file->by_section[i] = &file->symbols[i];
	qsort(file->by_section, file->symbol_count, sizeof(*file->by_section), compare_by_section);
	return NULL;
}

static const char *read_symbols(struct code_file *file, const struct image *image,
				const Elf64_Shdr *table)
{
	u64 count = table->sh_size / sizeof(Elf64_Sym);
	struct strings names;

	if (table->sh_entsize != sizeof(Elf64_Sym) ||
	    !is_inside(image, table->sh_offset, table->sh_size) ||
	    !find_strings(image, table->sh_link, &names))
		return MALFORMED;
	file->symbols = calloc(MAX(count, 1), sizeof(*file->symbols));
	if (!file->symbols)
		return TOO_LARGE;
	for (u64 i = 0; i < count; i++) {
		Elf64_Sym symbol;
		const char *name;
		u8 type;

		memcpy(&symbol, image->data + table->sh_offset + i * sizeof(symbol),
		       sizeof(symbol));
		type = ELF64_ST_TYPE(symbol.st_info);
		name = string_at(&names, symbol.st_name);
		if (type == STT_SECTION && table->sh_type == SHT_SYMTAB)
			name = section_name(file, symbol.st_shndx);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
		    type == STT_FILE || type == STT_TLS || !*name)
			continue;
		file->symbols[file->symbol_count++] = (struct code_symbol){
			.name = name,
			.address = symbol.st_value,
			.size = symbol.st_size,
			.section = symbol.st_shndx,
			.type = type,
			.binding = ELF64_ST_BIND(symbol.st_info),
		};
	}
	return sort_symbols(file);
}

/* The full symbol table, or if the file was stripped, that of the dynamic linker. */
static const char *find_symbols(struct code_file *file, const struct image *image)
{
	static const u32 types[] = {SHT_SYMTAB, SHT_DYNSYM};

	for (size_t t = 0; t < ARRAY_SIZE(types); t++)
		for (u64 i = 0; i < image->section_count; i++) {
			Elf64_Shdr header = section_header(image, i);

			if (header.sh_type == types[t])
				return read_symbols(file, image, &header);
		}
	return NULL;
}

/*
 * How many symbols are before those of the section that are behind the address: an index into
 * by_section.
 */
static size_t find_in_section(const struct code_file *file, u32 section, u64 address)
{
	size_t low = 0, high = file->symbol_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct code_symbol *symbol = file->by_section[middle];

		if (symbol->section < section ||
		    (symbol->section == section && symbol->address <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct code_symbol *code_file_next_symbol(const struct code_file *file,
						const struct code_section *section, u64 address)
{
	size_t i = find_in_section(file, section->index, address);

	if (i == file->symbol_count || file->by_section[i]->section != section->index)
		return NULL;
	return file->by_section[i];
}

static const struct code_symbol *symbol_of_section(const struct code_file *file,
						   const struct code_section *section, u64 address)
{
	size_t i = find_in_section(file, section->index, address);
	const struct code_symbol *symbol = i ? file->by_section[i - 1] : NULL;

	if (!symbol || symbol->section != section->index)
		return code_file_next_symbol(file, section, address);
	while (i > 1 && file->by_section[i - 2]->section == section->index &&
	       file->by_section[i - 2]->address == symbol->address)
		i--;
	return file->by_section[i - 1];
}

static const struct code_symbol *symbol_anywhere(const struct code_file *file, u64 address)
{
	size_t low = 0, high = file->symbol_count;

	if (!file->symbol_count)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return file->symbols;
	address = file->symbols[low - 1].address;
	while (low > 1 && file->symbols[low - 2].address == address)
		low--;
	return &file->symbols[low - 1];
}

const struct code_symbol *code_file_symbol(const struct code_file *file,
					   const struct code_section *section, u64 address)
{
	if (file->relocatable || address - section->address < section->size)
		return symbol_of_section(file, section, address);
	return symbol_anywhere(file, address);
}

/* --- the file -------------------------------------------------------------------------------- */

const char *code_file_parse(struct code_file *file, const u8 *data, size_t size)
{
	struct image image = {.data = data, .size = size};
	const char *problem;

	memset(file, 0, sizeof(*file));
	problem = check_header(&image);
	if (!problem)
		problem = check_section_table(&image);
	if (!problem && image.section_count)
		problem = find_sections(file, &image);
	else if (!problem)
		problem = find_segments(file, &image);
	if (!problem)
		problem = find_symbols(file, &image);
	file->relocatable = image.header.e_type == ET_REL;
	if (problem)
		code_file_free(file);
	return problem;
}

static const char *read_all(const char *path, u8 **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *problem = NULL;
	struct stat st;
	size_t done = 0;
	ssize_t got = 1;

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) != 0)
		problem = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		problem = "not an ordinary file";
	*data = problem ? NULL : malloc((size_t)st.st_size + 1);
	if (!problem && !*data)
		problem = TOO_LARGE;
	while (!problem && got > 0 && done < (size_t)st.st_size) {
		got = read(fd, *data + done, (size_t)st.st_size - done);
		if (got < 0)
			problem = strerror(errno);
		else
			done += (size_t)got;
	}
	close(fd);
	*size = done;
	if (problem)
		free(*data);
	return problem;
}

const char *code_file_read(struct code_file *file, const char *path)
{
	const char *problem;
	size_t size;
	u8 *data;

	problem = read_all(path, &data, &size);
	if (problem)
		return problem;
	problem = code_file_parse(file, data, size);
	if (problem)
		free(data);
	else
		file->data = data;
	return problem;
}

void code_file_free(struct code_file *file)
{
	free(file->sections);
	free(file->symbols);
	free(file->by_section);
	free(file->data);
	memset(file, 0, sizeof(*file));
}
