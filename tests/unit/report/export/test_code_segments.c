/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/code_segments.h"

#include "common/maps/maps.h"
#include "report/scan/inputs.h"
#include "tests/unit/testing.h"

static void add_map(struct maps *maps, struct record_mmap map)
{
	map.path = map.path ?: "/lib/libz.so";
	maps_add_mmap(maps, &map, 1);
}

/* Returns the start of the segment of PLACE in DSO, or 0. */
static uint64_t found_start(
	const struct code_segments *segments, uint32_t dso, uint64_t place)
{
	size_t i = code_segments_find(segments, 0, dso, place);

	return i == CODE_SEGMENT_NONE ? 0 : segments->at.at[i].start;
}

static void begin(struct inputs *inputs)
{
	*inputs = (struct inputs){ 0 };
	array_push(&inputs->at)->survey.maps = maps_create();
}

static void end(struct inputs *inputs, struct code_segments *segments)
{
	code_segments_deinit(segments);
	maps_destroy(inputs->at.at[0].survey.maps);
	array_free(&inputs->at);
}

static void the_first_of_overlapping_mappings_is_used(void **state _unused_)
{
	struct inputs inputs;
	struct code_segments segments;
	struct maps *maps;

	begin(&inputs);
	maps = inputs.at.at[0].survey.maps;
	add_map(maps,
		(struct record_mmap){ .pid = 7,
			.start = 0x71000,
			.size = 0x2000,
			.offset = 0x1000 });
	add_map(maps,
		(struct record_mmap){ .pid = 8,
			.start = 0x81000,
			.size = 0x2000,
			.offset = 0x1000 });
	add_map(maps,
		(struct record_mmap){ .pid = 9,
			.start = 0x92000,
			.size = 0x4000,
			.offset = 0x2000 });
	add_map(maps,
		(struct record_mmap){ .pid = 9,
			.start = 0xa2000,
			.size = 0x1000,
			.offset = 0x2000 });
	code_segments_init(&segments, &inputs);
	assert_int_equal(segments.at.n, 2);
	assert_int_equal(found_start(&segments, 0, 0xfff), 0);
	assert_int_equal(found_start(&segments, 0, 0x1000), 0x71000);
	assert_int_equal(found_start(&segments, 0, 0x2fff), 0x71000);
	assert_int_equal(found_start(&segments, 0, 0x3000), 0x92000);
	assert_int_equal(found_start(&segments, 0, 0x5fff), 0x92000);
	assert_int_equal(found_start(&segments, 0, 0x6000), 0);
	assert_int_equal(found_start(&segments, 1, 0x1000), 0);
	assert_int_equal(code_segments_first(&segments, 0, 0), 0);
	assert_int_equal(
		code_segments_first(&segments, 0, 1), CODE_SEGMENT_NONE);
	assert_int_equal(
		code_segments_first(&segments, 1, 0), CODE_SEGMENT_NONE);
	end(&inputs, &segments);
}

static void code_mappings_are_preferred_to_data_mappings(void **state _unused_)
{
	struct inputs inputs;
	struct code_segments segments;
	struct maps *maps;

	begin(&inputs);
	maps = inputs.at.at[0].survey.maps;
	add_map(maps,
		(struct record_mmap){ .pid = 7,
			.start = 0x70000,
			.size = 0x3000,
			.is_data = true });
	add_map(maps,
		(struct record_mmap){ .pid = 7,
			.start = 0x81000,
			.size = 0x1000,
			.offset = 0x1000 });
	code_segments_init(&segments, &inputs);
	assert_int_equal(found_start(&segments, 0, 0x800), 0x70000);
	assert_int_equal(found_start(&segments, 0, 0x1800), 0x81000);
	assert_int_equal(found_start(&segments, 0, 0x2800), 0x70000);
	end(&inputs, &segments);
}

static void kernel_code_is_found_by_address(void **state _unused_)
{
	struct inputs inputs;
	struct code_segments segments;
	size_t i;

	begin(&inputs);
	add_map(inputs.at.at[0].survey.maps,
		(struct record_mmap){ .pid = MAPS_KERNEL_PID,
			.start = UINT64_MAX - 0xfff,
			.size = 0x1000,
			.offset = 0x5000,
			.path = "[module]" });
	code_segments_init(&segments, &inputs);
	assert_int_equal(found_start(&segments, 0, 0x5000), 0);
	i = code_segments_find(&segments, 0, 0, UINT64_MAX - 0xf);
	assert_int_equal(i, 0);
	assert_true(segments.at.at[i].is_kernel);
	assert_int_equal(
		code_segment_address(&segments.at.at[i], UINT64_MAX - 0xf),
		UINT64_MAX - 0xf);
	end(&inputs, &segments);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_overlapping_mappings_is_used),
		cmocka_unit_test(code_mappings_are_preferred_to_data_mappings),
		cmocka_unit_test(kernel_code_is_found_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
