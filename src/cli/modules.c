// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/modules.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/cpu.h"
#include "linux/range.h"

#define MODULES_MAX  512
#define SEGMENTS_MAX 64

static struct module modules[MODULES_MAX];
static u32 count;

/* Segments of an ELF file of the guest's kind. Return: how many. */
static int read_segments(int fd, Elf64_Phdr *segments)
{
	Elf64_Ehdr header;
	int n;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_PPC64 ||
	    header.e_phentsize != sizeof(*segments) || header.e_phoff > INT32_MAX)
		return 0;
	n = MIN((int)header.e_phnum, SEGMENTS_MAX);
	if (pread(fd, segments, (size_t)n * sizeof(*segments), (off_t)header.e_phoff) !=
	    (ssize_t)((size_t)n * sizeof(*segments)))
		return 0;
	return n;
}

/* Where the file lies if the page at @offset of it is at @start. */
static bool locate(const Elf64_Phdr *segments, int n, u64 start, u64 offset, struct module *module)
{
	u64 low = ~0ull, high = 0;
	bool found = false;

	for (int i = 0; i < n; i++) {
		const Elf64_Phdr *p = &segments[i];

		if (p->p_type != PT_LOAD || !p->p_memsz || p->p_vaddr >= GUEST_ADDRESS_LIMIT ||
		    p->p_memsz >= GUEST_ADDRESS_LIMIT)
			continue;
		low = MIN(low, ROUND_DOWN(p->p_vaddr, GUEST_PAGE_SIZE));
		high = MAX(high, p->p_vaddr + p->p_memsz);
		if (!found && ROUND_DOWN(p->p_offset, GUEST_PAGE_SIZE) == offset) {
			module->bias = start - ROUND_DOWN(p->p_vaddr, GUEST_PAGE_SIZE);
			found = true;
		}
	}
	module->start = module->bias + low;
	module->end = module->bias + ROUND_UP(high, GUEST_PAGE_SIZE);
	return found;
}

struct module *modules_note(int fd, u64 start, u64 end, u64 offset, char path[512])
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	struct module *module = &modules[count];
	const struct module *known = modules_find(start);
	char link[32];
	ssize_t length;

	if (count == MODULES_MAX)
		return NULL;
	*module = (struct module){0};
	if (!locate(segments, read_segments(fd, segments), start, offset, module))
		return NULL;
	/* Another segment of a file that is there already. */
	if (known && known->bias == module->bias && known->end == module->end)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, 511);
	if (length < 0)
		return NULL;
	path[length] = 0;
	return module;
}

void modules_publish(void)
{
	__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

const struct module *modules_find(u64 address)
{
	for (u32 i = __atomic_load_n(&count, __ATOMIC_ACQUIRE); i-- > 0;)
		if (address >= modules[i].start && address < modules[i].end)
			return &modules[i];
	return NULL;
}

bool modules_is_program(const struct module *module)
{
	return module == &modules[0];
}
