/* SPDX-License-Identifier: MIT */
/*
 * The ELF files that the guest process has mapped, for naming addresses. A list that only grows, so
 * that it can be read without a lock: inside transactions nobody may wait for that of the address
 * space.
 */
#ifndef CLI_MODULES_H
#define CLI_MODULES_H

#include "base/types.h"

struct symbols;

/**
 * struct module - an ELF file in memory
 * @start: of its first segment; in memory
 * @end: of its last one, zeroed data included
 * @bias: what to subtract from an address in memory to get that of the file
 * @shared: number of its path in the profile (profile.h); 0 = none
 * @symbols: NULL if they were not asked for, or there are none
 */
struct module {
	u64 start, end, bias;
	u32 shared;
	const struct symbols *symbols;
};

/**
 * modules_note - part of a file was mapped
 *
 * Once for each file with program headers; others are ignored. The caller holds the lock of the
 * address space. Return: the new module, to be completed with modules_publish(); NULL if there is
 * none, or no room. @path receives the file's path of the host.
 */
struct module *modules_note(int fd, u64 start, u64 end, u64 offset, char path[512]);
void modules_publish(void);

/* The program itself, which is mapped first. */
bool modules_is_program(const struct module *module);

/* The module of an address, the one mapped last; NULL if there is none. Any thread. */
const struct module *modules_find(u64 address);

#endif
