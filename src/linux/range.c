// SPDX-License-Identifier: MIT
#include "linux/range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void range_map_destroy(struct range_map *map)
{
	free(map->ranges);
	*map = (struct range_map){0};
}

size_t range_map_index(const struct range_map *map, u64 address)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (map->ranges[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct mm_range *range_map_find(const struct range_map *map, u64 address)
{
	size_t i = range_map_index(map, address);

	return i < map->count && map->ranges[i].start <= address ? &map->ranges[i] : NULL;
}

bool range_map_covers(const struct range_map *map, u64 start, u64 end)
{
	for (size_t i = range_map_index(map, start); start < end; i++) {
		if (i == map->count || map->ranges[i].start > start)
			return false;
		start = map->ranges[i].end;
	}
	return true;
}

bool range_map_overlaps(const struct range_map *map, u64 start, u64 end)
{
	size_t i = range_map_index(map, start);

	return start < end && i < map->count && map->ranges[i].start < end;
}

struct mm_range range_clip(const struct mm_range *range, u64 start, u64 end)
{
	struct mm_range part = *range;

	if (part.start < start) {
		if (part.object)
			part.offset += start - part.start;
		part.start = start;
	}
	if (part.end > end)
		part.end = end;
	return part;
}

/* Could the two, the second right behind the first, be one? */
static bool mergeable(const struct mm_range *a, const struct mm_range *b)
{
	return a->end == b->start && a->prot == b->prot && a->flags == b->flags &&
	       a->object == b->object &&
	       (!a->object || a->offset + (a->end - a->start) == b->offset);
}

static int grow(struct range_map *map, size_t count)
{
	size_t capacity = MAX(count, map->capacity * 2 + 16);
	struct mm_range *larger = realloc(map->ranges, capacity * sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	map->ranges = larger;
	map->capacity = capacity;
	return 0;
}

int range_map_reserve(struct range_map *map)
{
	/* The worst change is a range in the middle of another one. */
	return map->count + 2 > map->capacity ? grow(map, map->count + 2) : 0;
}

/* Replace n ranges at index i by others. */
static int splice(struct range_map *map, size_t i, size_t n, const struct mm_range *with,
		  size_t n_with)
{
	size_t count = map->count - n + n_with;

	if (!n && !n_with)
		return 0;
	if (count > map->capacity && grow(map, count))
		return -ENOMEM;
	memmove(map->ranges + i + n_with, map->ranges + i + n,
		(map->count - i - n) * sizeof(*map->ranges));
	memcpy(map->ranges + i, with, n_with * sizeof(*with));
	map->count = count;
	return 0;
}

/* Replace what lies in [start, end) by `with`, or by nothing. */
static int replace(struct range_map *map, u64 start, u64 end, const struct mm_range *with)
{
	size_t first = range_map_index(map, start), last = first;
	struct mm_range parts[3];
	size_t n = 0;

	if (start >= end)
		return 0;
	while (last < map->count && map->ranges[last].start < end)
		last++;
	if (first < last && map->ranges[first].start < start)
		parts[n++] = range_clip(&map->ranges[first], 0, start);
	if (with)
		parts[n++] = *with;
	if (first < last && map->ranges[last - 1].end > end)
		parts[n++] = range_clip(&map->ranges[last - 1], end, ~0ull);

	/* Merge with the neighbours on both sides, then among the parts. */
	if (with && first && mergeable(&map->ranges[first - 1], &parts[0]) &&
	    parts[0].start == start) {
		first--;
		parts[0].start = map->ranges[first].start;
		parts[0].offset = map->ranges[first].offset;
	}
	if (with && last < map->count && mergeable(&parts[n - 1], &map->ranges[last])) {
		parts[n - 1].end = map->ranges[last].end;
		last++;
	}
	for (size_t i = 0; i + 1 < n;) {
		if (mergeable(&parts[i], &parts[i + 1])) {
			parts[i].end = parts[i + 1].end;
			memmove(&parts[i + 1], &parts[i + 2], (n - i - 2) * sizeof(parts[0]));
			n--;
		} else {
			i++;
		}
	}
	return splice(map, first, last - first, parts, n);
}

int range_map_set(struct range_map *map, const struct mm_range *range)
{
	return replace(map, range->start, range->end, range);
}

int range_map_remove(struct range_map *map, u64 start, u64 end)
{
	return replace(map, start, end, NULL);
}

int range_map_protect(struct range_map *map, u64 start, u64 end, u32 prot)
{
	while (start < end) {
		size_t i = range_map_index(map, start);
		struct mm_range part;
		int error;

		if (i == map->count || map->ranges[i].start >= end)
			return 0;
		part = range_clip(&map->ranges[i], start, end);
		start = part.end;
		if (part.prot == prot)
			continue;
		part.prot = prot;
		error = range_map_set(map, &part);
		if (error)
			return error;
	}
	return 0;
}

u64 range_map_gap_below(const struct range_map *map, u64 low, u64 high, u64 length)
{
	size_t i = range_map_index(map, high - 1);
	u64 top = high;

	if (!length || high - low < length || high < low)
		return 0;
	/* Ranges from i on end behind high; those below are looked at from the top. */
	if (i < map->count && map->ranges[i].start < top)
		top = map->ranges[i].start;
	while (top >= low && top - low >= length) {
		u64 bottom = i ? map->ranges[i - 1].end : 0;

		if (bottom <= top - length)
			return top - length;
		i--;
		top = map->ranges[i].start;
	}
	return 0;
}
