// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/host_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Enter the parts of [start, end) that the map does not hold. */
static int note(struct range_map *map, u64 start, u64 end)
{
	while (start < end) {
		size_t i = range_map_index(map, start);
		bool more = i < map->count && map->ranges[i].start < end;
		u64 stop = more ? map->ranges[i].start : end;

		if (start < stop) {
			const struct mm_range range = {
				.start = start, .end = stop, .flags = RANGE_HOST};
			int error = range_map_set(map, &range);

			if (error)
				return error;
		}
		if (!more)
			break;
		/* The index may have moved, the address of its end has not. */
		start = range_map_find(map, stop)->end;
	}
	return 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Each line begins with "start-end " in hexadecimal. Read without stdio: it may allocate memory. */
int host_maps_note(struct range_map *map, u64 limit)
{
	enum { START, END, REST } state = START;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	u64 start = 0, end = 0;
	char buffer[4096];
	ssize_t n;
	int error = 0;

	if (fd < 0)
		return -errno;
	while (!error && (n = read(fd, buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < n && !error; i++) {
			char c = buffer[i];

			if (state == START && c == '-') {
				state = END;
			} else if (state == START) {
				start = start << 4 | (u64)digit(c);
			} else if (state == END && c == ' ') {
				state = REST;
				if (start < limit)
					error = note(map, start, MIN(end, limit));
			} else if (state == END) {
				end = end << 4 | (u64)digit(c);
			} else if (c == '\n') {
				state = START;
				start = end = 0;
			}
		}
	}
	close(fd);
	return error;
}
