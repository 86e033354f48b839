/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses of a guest's ELF file: of functions and data, and source lines. The file may
 * be malformed in any way.
 */
#ifndef CLI_SYMBOLS_H
#define CLI_SYMBOLS_H

#include "base/types.h"

struct symbols;

/* Symbols of a file of the host; NULL if it cannot be read or has none. */
struct symbols *symbols_read(const char *path);
void symbols_free(struct symbols *symbols);

/**
 * symbols_name - "transfer+0x40"
 * @symbols: may be NULL
 * @address: as in the file
 * @buffer: receives the name, cut off if there is no room; may be empty afterwards
 *
 * Return: whether there is one. Takes no lock and no memory: for any thread at any time.
 */
bool symbols_name(const struct symbols *symbols, u64 address, char *buffer, size_t size);

/*
 * The same for "bank.c:88", from the debug information of the file itself. One thread; @path may be
 * another file than the last time, but few should be.
 */
bool symbols_line(const char *path, u64 address, char *buffer, size_t size);

#endif
