/* SPDX-License-Identifier: MIT */
/*
 * Copying between memory that may fault and memory that does not. See host_access.h.
 */
#ifndef BASE_HOST_COPY_H
#define BASE_HOST_COPY_H

#include "base/types.h"

/*
 * Bytes that could not be copied: 0 if all went well, else the rest from the first that faulted.
 * Four or eight bytes are copied by one load and one store, single-copy atomic if aligned.
 */
size_t host_copy(void *to, const void *from, size_t length);

/* The same for storing zeros. */
size_t host_clear(void *to, size_t length);

#endif
