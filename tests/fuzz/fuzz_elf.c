// SPDX-License-Identifier: MIT
/*
 * Fuzzing target: the loader of the kernel half. The input is changes to a small valid program,
 * three bytes each (offset, value). Some files are cut off where the last change says.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "linux/elf.h"
#include "linux/launch.h"
#include "linux/mm.h"

enum { SEGMENT_HEADERS, SEGMENT_INTERPRETER, SEGMENT_TEXT, SEGMENT_DATA, SEGMENT_STACK, SEGMENTS };

struct small_file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[SEGMENTS];
	char interpreter[32];
	u32 code[16];
	u8 data[64];
};

static void build(struct small_file *f, bool position_independent)
{
	u64 base = position_independent ? 0 : 0x10000000;

	memset(f, 0, sizeof(*f));
	memcpy(f->header.e_ident, ELFMAG "\2\1\1", 7);
	f->header.e_type = position_independent ? ET_DYN : ET_EXEC;
	f->header.e_machine = EM_PPC64;
	f->header.e_flags = 2;
	f->header.e_entry = base + offsetof(struct small_file, code);
	f->header.e_phoff = offsetof(struct small_file, segments);
	f->header.e_phentsize = sizeof(Elf64_Phdr);
	f->header.e_phnum = SEGMENTS;
	strcpy(f->interpreter, "/lib64/ld64.so.2");
	f->segments[SEGMENT_HEADERS] = (Elf64_Phdr){
		.p_type = PT_PHDR, .p_offset = f->header.e_phoff, .p_vaddr = base + 64};
	f->segments[SEGMENT_INTERPRETER] = (Elf64_Phdr){
		.p_type = PT_INTERP,
		.p_offset = offsetof(struct small_file, interpreter),
		.p_filesz = strlen(f->interpreter) + 1,
	};
	f->segments[SEGMENT_TEXT] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = base,
		.p_filesz = offsetof(struct small_file, data),
		.p_memsz = offsetof(struct small_file, data),
		.p_align = 0x10000,
	};
	f->segments[SEGMENT_DATA] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_offset = offsetof(struct small_file, data),
		.p_vaddr = base + 0x10000 + offsetof(struct small_file, data),
		.p_filesz = sizeof(f->data),
		.p_memsz = 0x5000,
		.p_align = 0x10000,
	};
	f->segments[SEGMENT_STACK] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
}

static struct mm *address_space(void)
{
	static struct mm *mm;

	if (!mm) {
		linux_init();
		mm = mm_create(&TM_CONFIG_POWER8);
		if (!mm)
			abort();
	}
	return mm;
}

static void load(int fd)
{
	struct mm *mm = address_space();
	struct elf_file elf;
	struct elf_image image;
	const char *reason;

	switch (elf_read(fd, &elf, &reason)) {
	case ELF_KIND_GUEST:
		if (memchr(elf.interpreter, 0, sizeof(elf.interpreter)) == NULL)
			abort();
		if (!elf_map(mm, fd, &elf,
			     elf.interpreter[0] ? ELF_PLACE_PROGRAM : ELF_PLACE_ANYWHERE, &image) &&
		    image.end > GUEST_ADDRESS_LIMIT)
			abort();
		if (mm_munmap(mm, 0, GUEST_ADDRESS_LIMIT))
			abort();
		elf_release(&elf);
		break;
	case ELF_KIND_OTHER:
		if (!reason)
			abort();
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct small_file file;
	u8 *bytes = (u8 *)&file;
	size_t length = sizeof(file), offset = 0, changes;
	int fd;

	if (size < 2)
		return 0;
	build(&file, data[0] & 1);
	changes = data[0] >> 1 & 7;
	for (size_t i = 1; i + 3 <= size && i <= 3 * changes; i += 3) {
		offset = (data[i] | (size_t)data[i + 1] << 8) % sizeof(file);
		/* Half of them where it matters most. */
		if (data[i] & 1)
			offset %= offsetof(struct small_file, interpreter);
		bytes[offset] = data[i + 2];
	}
	if (data[0] & 0x80 && data[0] & 0x40)
		length = offset;
	fd = memfd_create("elf", MFD_CLOEXEC);
	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	load(fd);
	close(fd);
	return 0;
}
