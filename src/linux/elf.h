/* SPDX-License-Identifier: MIT */
/*
 * Program files: ELF for ppc64le, ELFv2 ABI.
 *
 * A file is first read and judged (elf_read), without touching the address space; only then is it
 * mapped (elf_map). Nothing in a file is trusted. The rules are those of fs/binfmt_elf.c.
 */
#ifndef LINUX_ELF_H
#define LINUX_ELF_H

#include <elf.h>
#include <limits.h>

#include "base/types.h"

struct mm;

/* Where position-independent programs go: ELF_ET_DYN_BASE of asm/elf.h. */
#define ELF_PROGRAM_BASE 0x100000000ull

/* What a file is. */
enum elf_kind {
	ELF_KIND_GUEST,	 /* one that powertm runs */
	ELF_KIND_HOST,	 /* a program of the host */
	ELF_KIND_SCRIPT, /* begins with #! */
	ELF_KIND_OTHER,	 /* anything else; the reason is told */
};

struct elf_file {
	Elf64_Ehdr header;
	Elf64_Phdr *segments;	    /* header.e_phnum of them */
	char interpreter[PATH_MAX]; /* "" if there is none */
	bool executable_stack;
};

/* Where a file was mapped. */
struct elf_image {
	u64 bias; /* what was added to its addresses */
	u64 low;  /* lowest address */
	u64 end;  /* behind its highest byte, .bss included */
	u64 entry;
	u64 headers; /* program headers in memory; 0 if they are not mapped */
};

/**
 * elf_read - read the headers of a program file and judge them
 * @fd: open for reading; the offset is not used
 * @elf: filled if the file is ELF_KIND_GUEST; then to be released with elf_release()
 * @reason: why a file of ELF_KIND_OTHER cannot be run: "a big-endian program"; static storage
 */
enum elf_kind elf_read(int fd, struct elf_file *elf, const char **reason);

void elf_release(struct elf_file *elf);

/* Where a position-independent file goes. */
enum elf_place {
	ELF_PLACE_PROGRAM,  /* low, so that the heap has room behind it */
	ELF_PLACE_ANYWHERE, /* among the mappings: interpreters, static-pie */
};

/**
 * elf_map - map the segments
 * @mm: address space
 * @fd: the file
 * @elf: from elf_read()
 * @place: for ET_DYN
 * @image: filled
 *
 * Return: 0 or a negative errno; then some segments may be mapped.
 */
int elf_map(struct mm *mm, int fd, const struct elf_file *elf, enum elf_place place,
	    struct elf_image *image);

#endif
