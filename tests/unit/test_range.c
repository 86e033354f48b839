// SPDX-License-Identifier: MIT
/*
 * The range map against a model that keeps one record per page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "linux/range.h"

#define PAGE GUEST_PAGE_SIZE

static struct mm_range range(u64 first, u64 pages, u32 prot, u64 object, u64 page_offset)
{
	return (struct mm_range){.start = first * PAGE,
				 .end = (first + pages) * PAGE,
				 .prot = prot,
				 .object = object,
				 .offset = object ? page_offset * PAGE : 0};
}

static void set(struct range_map *map, struct mm_range r)
{
	assert_int_equal(range_map_set(map, &r), 0);
}

static void neighbours_merge(void **state)
{
	struct range_map map = {0};

	set(&map, range(10, 2, 3, 0, 0));
	set(&map, range(14, 2, 3, 0, 0));
	assert_int_equal(map.count, 2);
	set(&map, range(12, 2, 3, 0, 0));
	assert_int_equal(map.count, 1);
	assert_int_equal(map.ranges[0].start, 10 * PAGE);
	assert_int_equal(map.ranges[0].end, 16 * PAGE);
	range_map_destroy(&map);
}

static void other_offset_does_not_merge(void **state)
{
	struct range_map map = {0};

	set(&map, range(10, 2, 1, 7, 0));
	set(&map, range(12, 2, 1, 7, 3));
	assert_int_equal(map.count, 2);
	set(&map, range(12, 2, 1, 7, 2));
	assert_int_equal(map.count, 1);
	range_map_destroy(&map);
}

static void a_hole_splits(void **state)
{
	struct range_map map = {0};

	set(&map, range(10, 10, 1, 7, 100));
	assert_int_equal(range_map_remove(&map, 13 * PAGE, 15 * PAGE), 0);
	assert_int_equal(map.count, 2);
	assert_int_equal(map.ranges[0].end, 13 * PAGE);
	assert_int_equal(map.ranges[1].start, 15 * PAGE);
	assert_int_equal(map.ranges[1].offset, 105 * PAGE);
	assert_true(range_map_covers(&map, 10 * PAGE, 13 * PAGE));
	assert_false(range_map_covers(&map, 10 * PAGE, 16 * PAGE));
	assert_true(range_map_overlaps(&map, 12 * PAGE, 14 * PAGE));
	assert_false(range_map_overlaps(&map, 13 * PAGE, 15 * PAGE));
	assert_null(range_map_find(&map, 14 * PAGE));
	assert_non_null(range_map_find(&map, 15 * PAGE));
	range_map_destroy(&map);
}

static void gaps_are_found_from_the_top(void **state)
{
	struct range_map map = {0};

	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, 4 * PAGE), 96 * PAGE);
	set(&map, range(90, 20, 1, 0, 0));
	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, 4 * PAGE), 86 * PAGE);
	set(&map, range(80, 7, 1, 0, 0));
	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, 3 * PAGE), 87 * PAGE);
	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, 4 * PAGE), 76 * PAGE);
	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, 64 * PAGE), 16 * PAGE);
	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, 65 * PAGE), 0);
	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, 0), 0);
	assert_int_equal(range_map_gap_below(&map, 16 * PAGE, 100 * PAGE, ~0ull << 12), 0);
	range_map_destroy(&map);
}

/* Random operations on 64 pages; after each the map must say what the model says. */

#define PAGES 64

struct model {
	u32 prot[PAGES]; /* 0: unmapped */
	u64 object[PAGES], offset[PAGES];
};

static void check(const struct range_map *map, const struct model *m)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct mm_range *r = &map->ranges[i];

		assert_true(r->start < r->end);
		if (!i)
			continue;
		assert_true(r[-1].end <= r->start);
		if (r[-1].end == r->start)
			assert_false(r[-1].prot == r->prot && r[-1].object == r->object &&
				     (!r->object || r[-1].offset + r[-1].end - r[-1].start == r->offset));
	}
	for (u64 p = 0; p < PAGES; p++) {
		const struct mm_range *r = range_map_find(map, p * PAGE);

		if (!m->prot[p]) {
			assert_null(r);
			continue;
		}
		assert_non_null(r);
		assert_int_equal(r->prot, m->prot[p]);
		assert_int_equal(r->object, m->object[p]);
		if (r->object)
			assert_int_equal(r->offset + p * PAGE - r->start, m->offset[p]);
	}
}

static void agrees_with_a_page_table(void **state)
{
	struct range_map map = {0};
	struct model m = {0};

	srandom(1);
	for (int round = 0; round < 200000; round++) {
		u64 first = (u64)random() % PAGES;
		u64 pages = 1 + (u64)random() % MIN(8ull, PAGES - first);
		u32 prot = 1 + (u32)random() % 3;

		switch (random() % 3) {
		case 0: {
			u64 object = (u64)random() % 3, offset = (u64)random() % 4 + first;

			set(&map, range(first, pages, prot, object, offset));
			for (u64 p = 0; p < pages; p++) {
				m.prot[first + p] = prot;
				m.object[first + p] = object;
				m.offset[first + p] = (offset + p) * PAGE;
			}
			break;
		}
		case 1:
			range_map_remove(&map, first * PAGE, (first + pages) * PAGE);
			memset(m.prot + first, 0, pages * sizeof(m.prot[0]));
			break;
		case 2:
			range_map_protect(&map, first * PAGE, (first + pages) * PAGE, prot);
			for (u64 p = 0; p < pages; p++)
				if (m.prot[first + p])
					m.prot[first + p] = prot;
			break;
		}
		if (round % 16 == 0)
			check(&map, &m);
	}
	check(&map, &m);
	range_map_destroy(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_merge),
		cmocka_unit_test(other_offset_does_not_merge),
		cmocka_unit_test(a_hole_splits),
		cmocka_unit_test(gaps_are_found_from_the_top),
		cmocka_unit_test(agrees_with_a_page_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
