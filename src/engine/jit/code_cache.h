/* SPDX-License-Identifier: MIT */
/*
 * Memory for compiled code: one object, mapped twice, once to write and once to execute, so that no
 * page is ever both.
 */
#ifndef ENGINE_JIT_CODE_CACHE_H
#define ENGINE_JIT_CODE_CACHE_H

#include "base/types.h"

struct code_cache {
	u8 *write;   /* where it is written */
	u8 *execute; /* where the same bytes are executed */
	size_t size, used;
};

/* Within reach of powertm's own code (2 GiB). False if the host does not allow it. */
bool code_cache_create(struct code_cache *cache, size_t size);
void code_cache_destroy(struct code_cache *cache);

/* Another object at the same addresses: the contents are gone. For the child of a fork. */
bool code_cache_replace(struct code_cache *cache);

#endif
