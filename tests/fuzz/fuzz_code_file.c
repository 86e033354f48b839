// SPDX-License-Identifier: MIT
/*
 * Fuzzing target: the ELF reader of powertm disas. The input is the number of changes to a
 * small valid file, then the changes, three bytes each (offset, value). Of some, the file is cut
 * off where the last change says.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "cli/code_file.h"
#include "fuzz.h"

#define SECTIONS 4
#define SYMBOLS	 6

struct small_file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	u32 code[8];
	char names[32];
	Elf64_Sym symbols[SYMBOLS];
	Elf64_Shdr sections[SECTIONS];
};

static void build(struct small_file *f)
{
	static const char names[32] = "\0.text\0.symtab\0main\0loop";

	memset(f, 0, sizeof(*f));
	memcpy(f->names, names, sizeof(names));
	memcpy(f->header.e_ident, ELFMAG "\2\1\1", 7);
	f->header.e_type = ET_EXEC;
	f->header.e_machine = EM_PPC64;
	f->header.e_phoff = offsetof(struct small_file, segment);
	f->header.e_phentsize = sizeof(Elf64_Phdr);
	f->header.e_phnum = 1;
	f->header.e_shoff = offsetof(struct small_file, sections);
	f->header.e_shentsize = sizeof(Elf64_Shdr);
	f->header.e_shnum = SECTIONS;
	f->header.e_shstrndx = 2;
	f->segment = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_X, .p_filesz = sizeof(*f)};
	f->sections[1] = (Elf64_Shdr){
		.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_EXECINSTR | SHF_ALLOC,
		.sh_addr = 0x10000000,
		.sh_offset = offsetof(struct small_file, code),
		.sh_size = sizeof(f->code),
	};
	f->sections[2] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct small_file, names),
		.sh_size = sizeof(f->names),
	};
	f->sections[3] = (Elf64_Shdr){
		.sh_name = 7,
		.sh_type = SHT_SYMTAB,
		.sh_link = 2,
		.sh_offset = offsetof(struct small_file, symbols),
		.sh_size = sizeof(f->symbols),
		.sh_entsize = sizeof(Elf64_Sym),
	};
	for (u32 i = 0; i < SYMBOLS; i++)
		f->symbols[i] = (Elf64_Sym){
			.st_name = i % 2 ? 15 : 20,
			.st_info = ELF64_ST_INFO(i % 3, i % 4),
			.st_shndx = 1,
			.st_value = 0x10000000 + 8 * (i / 2),
		};
}

/* Everything that the file says may be used. */
static void use(const struct code_file *file)
{
	volatile u64 sum = 0;

	for (size_t i = 0; i < file->section_count; i++) {
		const struct code_section *section = &file->sections[i];
		const u64 addresses[] = {0, section->address, section->address + section->size / 2,
					 section->address + section->size, ~0ull};

		sum += strlen(section->name);
		for (u64 j = 0; j < section->size; j++)
			sum += section->data[j];
		for (size_t j = 0; j < ARRAY_SIZE(addresses); j++) {
			const struct code_symbol *symbol =
				code_file_symbol(file, section, addresses[j]);
			const struct code_symbol *next =
				code_file_next_symbol(file, section, addresses[j]);

			sum += symbol ? strlen(symbol->name) : 0;
			if (next && next->address <= addresses[j])
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct small_file original;
	size_t length = sizeof(original);
	struct code_file file;
	u8 *copy;

	build(&original);
	for (size_t i = 1; i + 3 <= size && i < 3ull * (data[0] % 16); i += 3) {
		u32 offset = data[i] | (u32)data[i + 1] << 8;

		((u8 *)&original)[offset % sizeof(original)] = data[i + 2];
		if (size % 4 == 0)
			length = offset % (sizeof(original) + 1);
	}
	copy = malloc(length ? length : 1); /* so that a sanitizer sees the end */
	if (!copy)
		abort();
	memcpy(copy, &original, length);
	if (!code_file_parse(&file, copy, length)) {
		use(&file);
		code_file_free(&file);
	}
	free(copy);
	return 0;
}
