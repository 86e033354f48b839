// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "engine/jit/code_cache.h"

#include <sys/mman.h>
#include <unistd.h>

#define REACH (1ull << 31)
#define STEP  (64ull << 20)

static int new_object(size_t size)
{
	int fd = memfd_create("powertm-code", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)size)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Find a place for @size bytes from which everything in powertm can be reached. */
static void *map_near(const u8 *self, size_t size, int fd)
{
	for (u64 distance = STEP; distance + size + STEP < REACH; distance += STEP) {
		for (int below = 0; below < 2; below++) {
			u64 at = (u64)(uintptr_t)self;
			void *p;

			at = ROUND_DOWN(below ? at - distance - size : at + distance, 4096ull);
			p = mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_EXEC,
				 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
			if (p == (void *)(uintptr_t)at)
				return p;
			if (p != MAP_FAILED)
				munmap(p, size);
		}
	}
	return NULL;
}

bool code_cache_create(struct code_cache *cache, size_t size)
{
	int fd = new_object(size);
	void *write = MAP_FAILED, *execute = NULL;

	if (fd < 0)
		return false;
	write = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (write != MAP_FAILED)
		execute = map_near((const u8 *)(uintptr_t)code_cache_create, size, fd);
	close(fd);
	if (!execute) {
		if (write != MAP_FAILED)
			munmap(write, size);
		return false;
	}
	*cache = (struct code_cache){.write = write, .execute = execute, .size = size};
	return true;
}

void code_cache_destroy(struct code_cache *cache)
{
	if (!cache->write)
		return;
	munmap(cache->write, cache->size);
	munmap(cache->execute, cache->size);
	*cache = (struct code_cache){0};
}

bool code_cache_replace(struct code_cache *cache)
{
	int fd = new_object(cache->size);
	bool ok = fd >= 0 &&
		  mmap(cache->write, cache->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		       fd, 0) == (void *)cache->write &&
		  mmap(cache->execute, cache->size, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED,
		       fd, 0) == (void *)cache->execute;

	if (fd >= 0)
		close(fd);
	cache->used = 0;
	return ok;
}
