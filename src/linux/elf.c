// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/elf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/host_copy.h"
#include "linux/mm.h"
#include "linux/mman.h"

/* Bits of e_flags that hold the ABI version (64-bit ELFv2 ABI 4.1). */
#define ELF_ABI_MASK 3u

/* Linux's limit: 64 KiB of program headers. */
#define MAX_SEGMENTS (65536 / sizeof(Elf64_Phdr))

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#else
#define HOST_MACHINE EM_NONE
#endif

static bool read_at(int fd, void *buffer, size_t size, u64 offset)
{
	return offset <= INT64_MAX && pread(fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

/* Judge the ELF header. NULL: fine so far. */
static const char *judge_header(const Elf64_Ehdr *h)
{
	if (h->e_ident[EI_CLASS] == ELFCLASS32)
		return "a 32-bit program; powertm runs 64-bit little-endian ones";
	if (h->e_ident[EI_DATA] == ELFDATA2MSB)
		return "a big-endian program; powertm runs little-endian ones";
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return "a corrupt ELF file (class or byte order)";
	if (h->e_machine != EM_PPC64)
		return "a program for another machine than ppc64le";
	if ((h->e_flags & ELF_ABI_MASK) == 1)
		return "a program of the ELFv1 ABI; powertm runs ELFv2";
	if ((h->e_flags & ELF_ABI_MASK) == 3)
		return "a program of an unknown ABI version";
	if (h->e_type == ET_REL)
		return "an object file, not a program";
	if (h->e_type == ET_CORE)
		return "a core dump, not a program";
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return "a corrupt ELF file (type)";
	if (h->e_phentsize != sizeof(Elf64_Phdr))
		return "a corrupt ELF file (size of program headers)";
	if (!h->e_phnum || h->e_phnum > MAX_SEGMENTS)
		return "a corrupt ELF file (number of program headers)";
	return NULL;
}

static const char *judge_load(const Elf64_Phdr *p, u64 previous)
{
	if (p->p_filesz > p->p_memsz)
		return "a corrupt ELF file (segment larger in the file than in memory)";
	if (p->p_vaddr >= GUEST_ADDRESS_LIMIT || p->p_memsz > GUEST_ADDRESS_LIMIT - p->p_vaddr)
		return "a corrupt ELF file (segment outside the address space)";
	if (p->p_vaddr < previous)
		return "a corrupt ELF file (segments not in order)";
	if (p->p_filesz &&
	    (p->p_offset > INT64_MAX - p->p_filesz || (p->p_vaddr - p->p_offset) % GUEST_PAGE_SIZE))
		return "a corrupt ELF file (offset of a segment)";
	return NULL;
}

static const char *read_interpreter(int fd, const Elf64_Phdr *p, struct elf_file *elf)
{
	if (p->p_filesz < 2 || p->p_filesz > sizeof(elf->interpreter) ||
	    !read_at(fd, elf->interpreter, p->p_filesz, p->p_offset) ||
	    elf->interpreter[p->p_filesz - 1])
		return "a corrupt ELF file (name of the interpreter)";
	return NULL;
}

static const char *judge_segments(int fd, struct elf_file *elf)
{
	const char *reason = NULL;
	bool any = false;
	u64 previous = 0;

	for (int i = 0; i < elf->header.e_phnum && !reason; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		switch (p->p_type) {
		case PT_LOAD:
			reason = judge_load(p, previous);
			previous = p->p_vaddr + p->p_memsz;
			any |= p->p_memsz != 0;
			break;
		case PT_INTERP:
			if (!elf->interpreter[0])
				reason = read_interpreter(fd, p, elf);
			break;
		case PT_GNU_STACK:
			elf->executable_stack = p->p_flags & PF_X;
			break;
		}
	}
	if (!reason && !any)
		reason = "a corrupt ELF file (nothing to load)";
	return reason;
}

enum elf_kind elf_read(int fd, struct elf_file *elf, const char **reason)
{
	Elf64_Ehdr *h = &elf->header;
	ssize_t n;
	size_t size;

	memset(elf, 0, sizeof(*elf));
	*reason = NULL;
	n = pread(fd, h, sizeof(*h), 0);
	if (n >= 2 && h->e_ident[0] == '#' && h->e_ident[1] == '!')
		return ELF_KIND_SCRIPT;
	if (n < SELFMAG || memcmp(h->e_ident, ELFMAG, SELFMAG)) {
		*reason = n < 0 ? "not readable" : n == 0 ? "empty" : "not a program";
		return ELF_KIND_OTHER;
	}
	if (n < (ssize_t)sizeof(*h)) {
		*reason = "a corrupt ELF file (too short)";
		return ELF_KIND_OTHER;
	}
	if (h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == ELFDATA2LSB &&
	    h->e_machine == HOST_MACHINE)
		return ELF_KIND_HOST;
	*reason = judge_header(h);
	if (*reason)
		return ELF_KIND_OTHER;
	size = h->e_phnum * sizeof(Elf64_Phdr);
	elf->segments = malloc(size);
	if (!elf->segments)
		*reason = "too large for the memory";
	else if (!read_at(fd, elf->segments, size, h->e_phoff))
		*reason = "a corrupt ELF file (no program headers)";
	else
		*reason = judge_segments(fd, elf);
	if (*reason) {
		elf_release(elf);
		return ELF_KIND_OTHER;
	}
	return ELF_KIND_GUEST;
}

void elf_release(struct elf_file *elf)
{
	free(elf->segments);
	elf->segments = NULL;
}

/* --- mapping --------------------------------------------------------------------------------- */

static u32 prot_of(const Elf64_Phdr *p)
{
	return (p->p_flags & PF_R ? PROT_READ : 0u) | (p->p_flags & PF_W ? PROT_WRITE : 0u) |
	       (p->p_flags & PF_X ? PROT_EXEC : 0u);
}

/* Zero the rest of the last page of the file's part, and map what lies behind. */
static s64 map_bss(struct mm *mm, const Elf64_Phdr *p, u64 bias)
{
	u64 start = bias + p->p_vaddr + p->p_filesz, end = bias + p->p_vaddr + p->p_memsz;
	u64 page =
		p->p_filesz ? ROUND_UP(start, GUEST_PAGE_SIZE) : ROUND_DOWN(start, GUEST_PAGE_SIZE);

	if (start == end)
		return 0;
	/* Whole pages: ld.so allocates behind its .bss. Beyond the end of the file there is none.
	 */
	if (p->p_filesz && p->p_flags & PF_W && host_clear((void *)(uintptr_t)start, page - start))
		return -EFAULT;
	if (page >= end)
		return 0;
	return mm_mmap(mm, page, end - page, prot_of(p),
		       MAP_PRIVATE | GUEST_MAP_ANONYMOUS | GUEST_MAP_FIXED, -1, 0);
}

static s64 map_segment(struct mm *mm, int fd, const Elf64_Phdr *p, u64 bias)
{
	u64 in_page = p->p_vaddr % GUEST_PAGE_SIZE;
	s64 result;

	if (p->p_filesz) {
		result = mm_mmap(mm, bias + p->p_vaddr - in_page, p->p_filesz + in_page, prot_of(p),
				 MAP_PRIVATE | GUEST_MAP_FIXED, fd, p->p_offset - in_page);
		if (result < 0)
			return result;
	}
	result = map_bss(mm, p, bias);
	return result < 0 ? result : 0;
}

/* The bytes from the first to the last segment, and the largest alignment. */
static void extent(const struct elf_file *elf, u64 *low, u64 *high, u64 *alignment)
{
	*low = ~0ull;
	*high = 0;
	*alignment = GUEST_PAGE_SIZE;
	for (int i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type != PT_LOAD || !p->p_memsz)
			continue;
		*low = MIN(*low, ROUND_DOWN(p->p_vaddr, GUEST_PAGE_SIZE));
		*high = MAX(*high, p->p_vaddr + p->p_memsz);
		if (p->p_align > *alignment && !(p->p_align & (p->p_align - 1)) &&
		    p->p_align <= 1ull << 30)
			*alignment = p->p_align;
	}
	*high = ROUND_UP(*high, GUEST_PAGE_SIZE);
}

/* Find room for the whole file and leave it free. Return: 0 or a negative errno. */
static s64 find_bias(struct mm *mm, const struct elf_file *elf, enum elf_place place, u64 low,
		     u64 length, u64 alignment, u64 *bias)
{
	const u64 flags = MAP_PRIVATE | GUEST_MAP_ANONYMOUS | GUEST_MAP_NORESERVE;
	bool fixed = elf->header.e_type == ET_EXEC;
	u64 hint = fixed ? low : place == ELF_PLACE_PROGRAM ? ELF_PROGRAM_BASE : 0;
	u64 room = fixed ? length : length + alignment - GUEST_PAGE_SIZE;
	s64 start = mm_mmap(mm, hint, room, PROT_NONE,
			    flags | (fixed ? GUEST_MAP_FIXED_NOREPLACE : 0), -1, 0);

	if (start < 0)
		return start;
	/* The bias, not the address, is what has to be aligned. */
	*bias = fixed ? 0 : ROUND_UP((u64)start - low, alignment);
	return mm_munmap(mm, (u64)start, room);
}

int elf_map(struct mm *mm, int fd, const struct elf_file *elf, enum elf_place place,
	    struct elf_image *image)
{
	const Elf64_Ehdr *h = &elf->header;
	u64 low, high, alignment, bias;
	s64 result;

	extent(elf, &low, &high, &alignment);
	result = find_bias(mm, elf, place, low, high - low, alignment, &bias);
	if (result < 0)
		return (int)result;
	*image = (struct elf_image){.bias = bias, .low = bias + low, .entry = bias + h->e_entry};
	for (int i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type != PT_LOAD || !p->p_memsz)
			continue;
		result = map_segment(mm, fd, p, bias);
		if (result < 0)
			return (int)result;
		image->end = bias + p->p_vaddr + p->p_memsz;
		if (!image->headers && p->p_offset <= h->e_phoff &&
		    h->e_phoff - p->p_offset < p->p_filesz)
			image->headers = bias + p->p_vaddr + (h->e_phoff - p->p_offset);
	}
	return 0;
}
