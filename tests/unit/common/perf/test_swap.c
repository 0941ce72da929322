/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A big-endian and a little-endian recording of the same text must be read as
 * the same bytes.
 */
#include "config.h"

#include <stdio.h>

#include "common/perf/swap.h"
#include "common/util/alloc.h"
#include "tests/made/made.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

static char *read_text(const char *name)
{
	const char *source = getenv("DWELL_SOURCE");
	_cleanup_free_ char *path =
		xasprintf("%s/tests/made/%s.txt", source ? source : ".", name);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	FILE *file = fopen(path, "re");
	int c;

	if (!file)
		fail_msg("cannot open %s", path);
	while ((c = getc(file)) != EOF)
		strbuf_putc(&text, (char)c);
	fclose(file);
	return take_pointer(text.at);
}

static struct reader *open_made(const char *text, bool is_big)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct reader *reader = NULL;
	struct error *err = made_file(text, is_big, &data);

	if (!err)
		err = open_bytes(data.at, data.n, &reader);
	if (err)
		fail_msg("%s", err->text);
	return reader;
}

/* Excludes FEATURE records: sections in records are not swapped. */
static void put_records(struct reader *reader, struct strbuf *out)
{
	struct reader_chunk chunk;

	while (reader_next(reader, BLOCK_MIXED, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		while (record_at(
			chunk.data + at, chunk.size - at, false, &record)) {
			if (record.type != RECORD_HEADER_FEATURE)
				strbuf_put(out, record.data, record.size);
			at += record.size;
		}
		assert_int_equal(at, chunk.size);
	}
}

static void compare_twins(const char *name, uint32_t least)
{
	_cleanup_free_ char *text = read_text(name);
	_cleanup_strbuf_ struct strbuf little = { 0 }, big = { 0 };
	struct reader *littles = open_made(text, false);
	struct reader *bigs = open_made(text, true);

	put_records(littles, &little);
	put_records(bigs, &big);
	assert_true(little.n > least);
	assert_int_equal(little.n, big.n);
	assert_memory_equal(little.at, big.at, big.n);
	assert_null(reader_damage(littles));
	assert_null(reader_damage(bigs));
	reader_close(littles);
	reader_close(bigs);
}

static void every_record_of_a_big_endian_file_is_swapped(void **state _unused_)
{
	compare_twins("records", 1000);
}

static void every_field_of_a_big_endian_sample_is_swapped(void **state _unused_)
{
	compare_twins("fields", 500);
}

static void attributes_in_a_big_endian_stream_are_swapped(void **state _unused_)
{
	compare_twins("pipe", 500);
}

static void compressed_records_of_a_big_endian_file_are_swapped(
	void **state _unused_)
{
	compare_twins("stream", 40000);
}

static const char features[] =
	"file\n"
	"event name=cycles type=hardware sample_type=IP|TID precise_ip=1 "
	"ids=258,259 size=128 sig_data=5\n"
	"feature HOSTNAME str=made\n"
	"feature NRCPUS u32=4 u32=2\n"
	"feature CLOCK_DATA u32=1 u32=4 u64=1000000 u64=5\n"
	"feature EVENT_DESC events\n"
	"feature 200 u32=1\n"
	"record FINISHED_ROUND\n";

static void header_sections_of_a_big_endian_file_are_swapped(
	void **state _unused_)
{
	struct reader *reader = open_made(features, true);
	const struct features *read = reader_features(reader);
	const struct event *event = reader_event(reader, 0);

	assert_string_equal(read->hostname, "made");
	assert_int_equal(read->cpus_available, 4);
	assert_int_equal(read->cpus_online, 2);
	assert_int_equal(read->clock_wall, 1000000);
	assert_int_equal(event->attr.sample_type, 3);
	assert_int_equal(event->attr.precise_ip, 1);
	assert_int_equal(event->ids.at[1], 259);
	assert_string_equal(event->name, "cycles");
	assert_int_equal(read->events.at[0].ids.at[0], 258);
	assert_true(feature_is_present(read, 200));
	reader_close(reader);
}

/* If longs have 4 bytes, the halves of 8 bytes of the bitmap are swapped. */
static void a_feature_bitmap_of_a_machine_with_4_byte_longs_is_read(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct reader *reader = NULL;
	uint8_t half[4];
	size_t i;

	assert_null(made_file(features, true, &data));
	for (i = 72; i < 104; i += 8) {
		memcpy(half, data.at + i, 4);
		memmove(data.at + i, data.at + i + 4, 4);
		memcpy(data.at + i + 4, half, 4);
	}
	assert_null(open_bytes(data.at, data.n, &reader));
	assert_string_equal(reader_features(reader)->hostname, "made");
	assert_true(feature_is_present(reader_features(reader), 200));
	reader_close(reader);
}

/* A truncated record is swapped up to its end. */
static void truncated_records_are_swapped_within_bounds(void **state _unused_)
{
	static const struct perf_event_attr attr = {
		.sample_type = UINT64_MAX,
		.read_format = UINT64_MAX,
		.branch_sample_type = UINT64_MAX,
		.sample_regs_user = UINT64_MAX,
		.sample_id_all = 1,
	};
	struct sample_layout layout;
	uint16_t size;
	uint32_t type;

	sample_layout_init(&layout, &attr);
	for (type = 0; type < RECORD_END; type++)
		for (size = RECORD_HEADER_SIZE; size < 200; size++) {
			_cleanup_free_ uint8_t *data = xmalloc(size);
			struct record record = { .type = type,
				.size = size,
				.data = data,
				.swap = true };

			memset(data, 0xff, size);
			swap_record(data, &record, &layout);
			assert_int_equal(data[size - 1], 0xff);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_of_a_big_endian_file_is_swapped),
		cmocka_unit_test(every_field_of_a_big_endian_sample_is_swapped),
		cmocka_unit_test(attributes_in_a_big_endian_stream_are_swapped),
		cmocka_unit_test(
			compressed_records_of_a_big_endian_file_are_swapped),
		cmocka_unit_test(
			header_sections_of_a_big_endian_file_are_swapped),
		cmocka_unit_test(
			a_feature_bitmap_of_a_machine_with_4_byte_longs_is_read),
		cmocka_unit_test(truncated_records_are_swapped_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
