/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/address_ranges.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tests/unit/testing.h"

static void put(struct address_ranges *ranges, uint64_t start, uint64_t end)
{
	size_t number = ranges->ranges.n;

	*array_push(&ranges->ranges) =
		(struct address_range){ start, end, number };
}

static void ranges_added_later_replace_overlapping_earlier_ones(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct address_ranges ranges = { 0 };

	put(&ranges, 10, 50);
	put(&ranges, 60, 70);
	put(&ranges, 20, 30);
	put(&ranges, 0, 12);
	put(&ranges, 65, 65 + 10);
	put(&ranges, 40, 50);
	address_ranges_flatten(&ranges);
	array_each(&ranges.ranges, part)
		strbuf_printf(&found, "%" PRIu64 "-%" PRIu64 ":%zu ",
			part->start, part->end, part->number);
	strbuf_putc(&found, '\0');
	assert_string_equal(found.at,
		"0-12:3 12-20:0 20-30:2 30-40:0 40-50:5 60-65:1 65-75:4 ");
	address_ranges_free(&ranges);
}

static void flattening_no_ranges_gives_no_ranges(void **state _unused_)
{
	struct address_ranges ranges = { 0 };

	address_ranges_flatten(&ranges);
	assert_int_equal(ranges.ranges.n, 0);
	address_ranges_free(&ranges);
}

/* Compares with an array in which each range overwrites its elements. */
static void random_ranges_are_flattened_as_in_an_array_of_addresses(
	void **state _unused_)
{
	unsigned round, i;

	srand(1);
	for (round = 0; round < 300; round++) {
		size_t painted[64] = { 0 }, found[64] = { 0 };
		struct address_ranges ranges = { 0 };
		uint64_t before = 0;

		for (i = 0; i < 12; i++) {
			uint64_t start = (uint64_t)rand() % 60;
			uint64_t end = start + 1 + (uint64_t)rand() % 4 * i;
			uint64_t at;

			end = MIN(end, (uint64_t)64);
			put(&ranges, start, end);
			for (at = start; at < end; at++)
				painted[at] = i + 1;
		}
		address_ranges_flatten(&ranges);
		array_each(&ranges.ranges, part) {
			uint64_t at;

			assert_true(part->start >= before);
			assert_true(part->start < part->end);
			before = part->end;
			for (at = part->start; at < part->end; at++)
				found[at] = part->number + 1;
		}
		assert_memory_equal(painted, found, sizeof(found));
		address_ranges_free(&ranges);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			ranges_added_later_replace_overlapping_earlier_ones),
		cmocka_unit_test(flattening_no_ranges_gives_no_ranges),
		cmocka_unit_test(
			random_ranges_are_flattened_as_in_an_array_of_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
