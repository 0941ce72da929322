/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writer and reader together: the reader finds what the writer wrote, in
 * complete, truncated and damaged files. Also files as perf writes them.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/file/reader.h"
#include "common/file/writer.h"
#include "common/util/alloc.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

#define N_SAMPLES 24u

static const struct recording plain = { .n_samples = N_SAMPLES, .n_events = 2 };
static const struct recording blocks = {
	.n_samples = N_SAMPLES, .n_events = 2, .per_block = 7
};

/* Copies RECORDING without closing it. */
static struct recording left_open(const struct recording *recording)
{
	struct recording open = *recording;

	open.is_open = true;
	return open;
}

static struct reader *open_good(const struct strbuf *file)
{
	struct reader *reader = NULL;

	assert_no_error(open_bytes(file->at, file->n, &reader));
	return reader;
}

/* Asserts that all samples are as make_samples() made them. */
static void assert_samples(
	const struct found *found, size_t n, unsigned n_events)
{
	size_t i;

	assert_int_equal(found->samples.n, n);
	assert_int_equal(found->damaged, 0);
	for (i = 0; i < n; i++) {
		const struct sample *s = &found->samples.at[i].sample;

		assert_int_equal(s->ip, MADE_IP(i));
		assert_int_equal(s->time, MADE_TIME(i));
		assert_int_equal(s->tid, MADE_PID + i % 3);
		assert_int_equal(s->period, 10 + i);
		assert_int_equal(s->n_chain, 4);
		assert_int_equal(found->samples.at[i].event, i % n_events);
	}
}

/* Asserts that both passes find the first N samples, behind the sideband. */
static void assert_holds(struct reader *reader, size_t n, unsigned n_events)
{
	struct found found;

	find_all(reader, &found);
	assert_samples(&found, n, n_events);
	assert_int_equal(found.sideband, 2);
	assert_int_equal(found.sideband_after, 0);
	found_deinit(&found);
	find_again(reader, &found);
	assert_samples(&found, n, n_events);
	found_deinit(&found);
}

/* --- whole recordings ----------------------------------------------------- */

static void check_whole(const struct recording *recording)
{
	struct memory memory = { 0 };
	struct reader *reader;
	const struct event *event;

	assert_no_error(make_recording(recording, &memory));
	reader = open_good(&memory.file);
	assert_holds(reader, recording->n_samples, recording->n_events);
	assert_null(reader_damage(reader));
	assert_int_equal(reader_is_pipe(reader), recording->is_open);
	assert_false(reader_is_ordered(reader));
	assert_int_equal(reader_size(reader), memory.file.n);
	assert_int_equal(reader_n_events(reader), recording->n_events);
	event = reader_event(reader, recording->n_events - 1);
	assert_int_equal(event->attr.sample_type, make_sample_type);
	assert_int_equal(event->ids.n, 1);
	assert_string_equal(reader_event(reader, 0)->name, "event-0");
	assert_string_equal(reader_features(reader)->hostname, "made");
	assert_string_equal(reader_features(reader)->version, "7.2 (dwell)");
	reader_close(reader);
	memory_deinit(&memory);
}

static void a_closed_recording_is_read_as_it_was_written(void **state _unused_)
{
	check_whole(&plain);
	check_whole(&blocks);
}

static void a_recording_without_its_closing_tail_is_read_completely(
	void **state _unused_)
{
	struct recording open = left_open(&plain);

	check_whole(&open);
	open = left_open(&blocks);
	check_whole(&open);
}

static void closing_a_recording_adds_features_to_its_header(
	void **state _unused_)
{
	struct recording open = left_open(&blocks);
	struct memory memory = { 0 };
	struct reader *reader;

	assert_no_error(make_recording(&blocks, &memory));
	reader = open_good(&memory.file);
	assert_true(feature_is_present(
		reader_features(reader), FEATURE_SAMPLE_TIME));
	assert_int_equal(reader_features(reader)->first_time, MADE_TIME(0));
	assert_int_equal(
		reader_features(reader)->last_time, MADE_TIME(N_SAMPLES - 1));
	assert_int_equal(reader_features(reader)->events.n, 2);
	reader_close(reader);
	memory_deinit(&memory);
	memory = (struct memory){ 0 };
	assert_no_error(make_recording(&open, &memory));
	reader = open_good(&memory.file);
	assert_false(feature_is_present(
		reader_features(reader), FEATURE_SAMPLE_TIME));
	reader_close(reader);
	memory_deinit(&memory);
}

static void extents_have_the_kind_and_counts_of_their_blocks(
	void **state _unused_)
{
	struct memory memory = { 0 };
	const struct extent *extent;
	struct reader *reader;

	assert_no_error(make_recording(&blocks, &memory));
	reader = open_good(&memory.file);
	assert_holds(reader, N_SAMPLES, 2);
	/* 1 of sideband, 7 + 7 + 7 + 3 samples, the closing sections */
	assert_int_equal(reader_n_extents(reader), 6);
	extent = reader_extent(reader, 0);
	assert_int_equal(extent->coding, EXTENT_BLOCK);
	assert_int_equal(extent->info.kind, BLOCK_SIDEBAND);
	extent = reader_extent(reader, 4);
	assert_int_equal(extent->coding, EXTENT_BLOCK);
	assert_int_equal(extent->info.kind, BLOCK_SAMPLES);
	assert_int_equal(extent->info.samples, 3);
	assert_int_equal(extent->info.first_time, MADE_TIME(21));
	assert_int_equal(reader_extent(reader, 5)->coding, EXTENT_PLAIN);
	reader_close(reader);
	memory_deinit(&memory);
}

static void reader_next_skips_blocks_of_unwanted_kinds(void **state _unused_)
{
	struct memory memory = { 0 };
	struct reader *reader;
	struct reader_chunk chunk;
	struct found found;
	size_t n = 0, n_empty = 0;

	assert_no_error(make_recording(&blocks, &memory));
	reader = open_good(&memory.file);
	while (reader_next(reader, BLOCK_SIDEBAND, &chunk) == 0) {
		n += chunk.size > 0;
		n_empty += chunk.size == 0;
	}
	assert_int_equal(n, 2); /* sideband, and plain records at the end */
	assert_int_equal(n_empty, 4);
	assert_int_equal(reader_n_extents(reader), 6);
	find_again(reader, &found);
	assert_samples(&found, N_SAMPLES, 2);
	found_deinit(&found);
	reader_close(reader);
	memory_deinit(&memory);
}

static void extents_can_be_read_in_any_order(void **state _unused_)
{
	struct memory memory = { 0 };
	struct reader *reader;
	struct cursor *cursor;
	struct found found;
	struct reader_chunk chunk;
	struct record record;
	struct sample sample;
	size_t i;

	assert_no_error(make_recording(&blocks, &memory));
	reader = open_good(&memory.file);
	find_all(reader, &found);
	found_deinit(&found);
	cursor = cursor_create(reader);
	for (i = 5; i-- > 1;) {
		cursor_load(cursor, reader_extent(reader, i));
		assert_int_equal(cursor_next(cursor, &chunk), 0);
		assert_true(record_at(chunk.data, chunk.size, false, &record));
		assert_true(sample_read(
			reader_layout(reader, 0), &record, &sample));
		assert_int_equal(sample.ip, MADE_IP(7 * (i - 1)));
		assert_true(cursor_next(cursor, &chunk) > 0);
	}
	cursor_destroy(cursor);
	reader_close(reader);
	memory_deinit(&memory);
}

static void a_recording_larger_than_a_read_window_is_read_completely(
	void **state _unused_)
{
	/* More than a megabyte, so that records cross all borders. */
	const struct recording large = { .n_samples = 12000, .n_events = 3 };
	struct recording packed = large;

	packed.per_block = 900;
	check_whole(&large);
	check_whole(&packed);
}

/* Asserts that each chunk's position is the end of the chunk before. */
static void assert_positions_grow(const struct strbuf *file)
{
	struct reader *reader = open_good(file);
	struct cursor *cursor;
	ARRAY(uint64_t) positions = { 0 };
	struct reader_chunk chunk;
	uint64_t end = 0;
	size_t i, n = 0;

	while (reader_next(reader, BLOCK_MIXED, &chunk) == 0) {
		if (positions.n)
			assert_int_equal(chunk.position, end);
		end = chunk.position + chunk.size;
		*array_push(&positions) = chunk.position;
	}
	assert_true(positions.n > 1);
	/* The second pass has the same positions. */
	cursor = cursor_create(reader);
	for (i = 0; i < reader_n_extents(reader); i++) {
		cursor_load(cursor, reader_extent(reader, i));
		while (cursor_next(cursor, &chunk) == 0)
			assert_int_equal(chunk.position, positions.at[n++]);
	}
	assert_int_equal(n, positions.n);
	cursor_destroy(cursor);
	array_free(&positions);
	reader_close(reader);
}

static void chunk_positions_increase_through_the_file(void **state _unused_)
{
	static const struct recording large = { .n_samples = 6000,
		.n_events = 1 };
	_cleanup_strbuf_ struct strbuf raw = { 0 }, data = { 0 }, file = { 0 };
	struct memory memory = { 0 };
	struct features host;

	assert_no_error(make_recording(&large, &memory));
	assert_positions_grow(&memory.file);
	memory_deinit(&memory);
	memory = (struct memory){ 0 };
	assert_no_error(make_recording(&blocks, &memory));
	assert_positions_grow(&memory.file);
	memory_deinit(&memory);
	make_host(&host, 1);
	make_sideband(&data);
	make_samples(&raw, 1, 0, 6000);
	make_perf_stream(&raw, 500000, 65000, RECORD_COMPRESSED, &data);
	make_samples(&data, 1, 6000, 6010);
	make_perf_file(&host, &data, &file);
	assert_positions_grow(&file);
	features_deinit(&host);
}

static void the_position_of_uncompressed_data_is_its_file_offset(
	void **state _unused_)
{
	struct memory memory = { 0 };
	struct reader *reader;
	struct reader_chunk chunk;

	assert_no_error(make_recording(&plain, &memory));
	reader = open_good(&memory.file);
	assert_int_equal(reader_next(reader, BLOCK_MIXED, &chunk), 0);
	assert_memory_equal(
		chunk.data, memory.file.at + chunk.position, chunk.size);
	reader_close(reader);
	memory_deinit(&memory);
}

static void all_of_5000_ids_of_an_event_are_read(void **state _unused_)
{
	struct memory memory = { 0 };
	struct sink sink = memory_sink(&memory);
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct features host, closing = { 0 };
	struct writer *writer;
	struct reader *reader;
	struct found found;
	uint64_t id;

	make_host(&host, 2);
	for (id = 1000; id < 6000; id++)
		*array_push(&host.events.at[1].ids) = id;
	make_sideband(&raw);
	make_sample(
		&raw, &(struct made_sample){ .id = 5999, .pid = 1, .tid = 1 });
	assert_no_error(writer_create(&sink, &host, &writer));
	assert_no_error(writer_put(writer, raw.at, raw.n));
	/* As a stream, */
	reader = open_good(&memory.file);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 1);
	assert_int_equal(found.samples.at[0].event, 1);
	assert_null(reader_damage(reader));
	found_deinit(&found);
	reader_close(reader);
	/* and closed. */
	assert_no_error(writer_close(writer, &closing, NULL, 0));
	reader = open_good(&memory.file);
	assert_int_equal(reader_event(reader, 1)->ids.n, 5001);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 1);
	assert_int_equal(found.samples.at[0].event, 1);
	assert_null(reader_damage(reader));
	found_deinit(&found);
	reader_close(reader);
	writer_destroy(writer);
	features_deinit(&host);
	memory_deinit(&memory);
}

/*
 * perf refuses records of sizes other than multiples of 8, and limits
 * attributes.
 */
static void event_ids_too_many_for_a_record_are_in_the_closed_file(
	void **state _unused_)
{
	struct memory memory = { 0 };
	struct sink sink = memory_sink(&memory);
	struct features host, closing = { 0 };
	struct writer *writer;
	struct reader *reader;
	struct found found;
	uint64_t id;

	make_host(&host, 1);
	for (id = 1000; id < 12000; id++)
		*array_push(&host.events.at[0].ids) = id;
	assert_no_error(writer_create(&sink, &host, &writer));
	reader = open_good(&memory.file);
	find_all(reader, &found);
	assert_null(reader_damage(reader));
	assert_int_equal(reader_n_events(reader), 1);
	found_deinit(&found);
	reader_close(reader);
	assert_no_error(writer_close(writer, &closing, NULL, 0));
	reader = open_good(&memory.file);
	assert_int_equal(reader_event(reader, 0)->ids.n, 11001);
	reader_close(reader);
	writer_destroy(writer);
	features_deinit(&host);
	memory_deinit(&memory);
}

static void make_build_ids(struct features *closing, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		*array_push(&closing->build_ids) = (struct feature_build_id){
			.pid = UINT32_MAX,
			.cpumode = MISC_USER,
			.id = { .size = 4,
				.bytes = { 1, 2, (uint8_t)(i >> 8),
					(uint8_t)i } },
			.path = xasprintf("/made/library-%u.so", i),
		};
	closing->present[FEATURE_BUILD_ID / 64] |= UINT64_C(1)
		<< FEATURE_BUILD_ID % 64;
}

static void check_build_ids(const struct strbuf *file, unsigned n)
{
	struct reader *reader = open_good(file);
	const struct features *features = reader_features(reader);
	struct found found;

	assert_int_equal(features->build_ids.n, n);
	assert_int_equal(
		features->build_ids.at[n - 1].id.bytes[3], (n - 1) % 256);
	assert_string_equal(
		features->build_ids.at[1].path, "/made/library-1.so");
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 1);
	assert_null(reader_damage(reader));
	found_deinit(&found);
	reader_close(reader);
}

/*
 * A machine with many caches: the closed file has all of them, the stream none.
 */
static void features_too_large_for_the_head_are_written_at_the_close(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *caches = xcalloc(1, 3 * KIB(64));
	struct memory memory = { 0 };
	struct sink sink = memory_sink(&memory);
	struct features host, closing = { 0 };
	struct writer *writer;
	struct reader *reader;

	make_host(&host, 1);
	assert_true(feature_read(
		&host, FEATURE_CACHE, bytes_of(caches, 3 * KIB(64), false)));
	features_mark(&host, FEATURE_BRANCH_STACK);
	assert_no_error(writer_create(&sink, &host, &writer));
	reader = open_good(&memory.file);
	assert_false(
		feature_is_present(reader_features(reader), FEATURE_CACHE));
	reader_close(reader);
	assert_no_error(writer_close(writer, &closing, NULL, 0));
	reader = open_good(&memory.file);
	assert_int_equal(reader_features(reader)->caches.n, 3 * KIB(64));
	assert_true(feature_is_present(
		reader_features(reader), FEATURE_BRANCH_STACK));
	assert_true(
		feature_is_present(reader_features(reader), FEATURE_HOSTNAME));
	reader_close(reader);
	writer_destroy(writer);
	features_deinit(&host);
	memory_deinit(&memory);
}

/* As large as 2.7 records; the features behind it must be found. */
static void a_feature_too_large_for_a_record_is_in_the_closed_file(
	void **state _unused_)
{
	struct memory memory = { 0 };
	struct sink sink = memory_sink(&memory);
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct features host, closing = { 0 };
	struct writer *writer;
	struct reader *reader;
	struct found found;

	make_host(&host, 1);
	make_build_ids(&closing, 1801);
	make_sideband(&raw);
	make_sample(
		&raw, &(struct made_sample){ .id = 100, .pid = 1, .tid = 1 });
	assert_no_error(writer_create(&sink, &host, &writer));
	assert_no_error(writer_put(writer, raw.at, raw.n));
	assert_no_error(writer_close(writer, &closing, NULL, 0));
	check_build_ids(&memory.file, 1801);
	/* Truncated inside the feature, the file is a stream again. */
	memory.file.n -= 100000;
	reader = open_good(&memory.file);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 1);
	found_deinit(&found);
	reader_close(reader);
	writer_destroy(writer);
	features_deinit(&closing);
	features_deinit(&host);
	memory_deinit(&memory);
}

static void every_record_of_a_written_stream_has_a_multiple_of_8_bytes(
	void **state _unused_)
{
	struct recording recording = blocks;
	struct memory memory = { 0 };
	struct reader *reader;
	size_t i, at = 0;

	recording.has_tracing_data = true;
	recording.is_open = true;
	assert_no_error(make_recording(&recording, &memory));
	reader = open_good(&memory.file);
	assert_holds(reader, N_SAMPLES, 2);
	reader_close(reader);
	for (i = 16; i < memory.file.n; i += at) {
		struct record record;

		assert_true(record_at((uint8_t *)memory.file.at + i,
			memory.file.n - i, false, &record));
		assert_int_equal(record.size % 8, 0);
		at = record.size + record_extra_size(&record);
		assert_int_equal(at % 8, 0);
	}
	memory_deinit(&memory);
}

/* perf reads on behind the padding, and compares the size with it. */
static void the_size_of_tracing_data_includes_padding(void **state _unused_)
{
	struct recording recording = plain;
	struct memory memory = { 0 };
	struct reader *reader;
	struct found found;
	size_t i, n = 0;

	recording.has_tracing_data = true;
	recording.is_open = true;
	assert_no_error(make_recording(&recording, &memory));
	for (i = 16; i < memory.file.n;) {
		struct record record;
		struct bytes b;

		assert_true(record_at((uint8_t *)memory.file.at + i,
			memory.file.n - i, false, &record));
		if (record.type == RECORD_HEADER_TRACING_DATA) {
			b = record_payload(&record);
			assert_int_equal(bytes_u32(&b), 16); /* 13 of them */
			n++;
		}
		i += record.size + record_extra_size(&record);
	}
	assert_int_equal(n, 1);
	reader = open_good(&memory.file);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, N_SAMPLES);
	assert_memory_equal(reader_features(reader)->tracing_data,
		"\x17\x08\x44tracing", 10);
	found_deinit(&found);
	reader_close(reader);
	memory_deinit(&memory);
}

/* --- own sections --------------------------------------------------------- */

static void an_own_section_is_read_as_it_was_written(void **state _unused_)
{
	struct recording recording = blocks;
	struct memory memory = { 0 };
	_cleanup_strbuf_ struct strbuf raw = { 0 }, found = { 0 };
	struct reader *reader;
	size_t i;

	for (i = 0; i < 50000; i++)
		strbuf_put_u64(&raw, i * i * UINT64_C(0x9e3779b97f4a7c15));
	recording.section = (struct writer_section){ "mine", 1, raw };
	assert_no_error(make_recording(&recording, &memory));
	reader = open_good(&memory.file);
	assert_true(reader_section(reader, "mine", 1, &found));
	assert_int_equal(found.n, raw.n);
	assert_memory_equal(found.at, raw.at, raw.n);
	assert_false(reader_section(reader, "yours", 1, &found));
	assert_holds(reader, N_SAMPLES, 2);
	reader_close(reader);
	memory_deinit(&memory);
}

static void the_index_section_repeats_the_description_of_each_block(
	void **state _unused_)
{
	struct memory memory = { 0 };
	_cleanup_strbuf_ struct strbuf index = { 0 };
	struct reader *reader;
	struct bytes b;
	size_t i;

	assert_no_error(make_recording(&blocks, &memory));
	reader = open_good(&memory.file);
	assert_holds(reader, N_SAMPLES, 2);
	assert_true(reader_section(reader, SECTION_INDEX, 1, &index));
	assert_int_equal(index.n, 5 * SECTION_INDEX_ENTRY_SIZE);
	b = bytes_of(index.at, index.n, false);
	for (i = 0; i < 5; i++) {
		const struct extent *extent = reader_extent(reader, i);
		struct block_info info;

		assert_int_equal(bytes_u64(&b), extent->offset);
		assert_true(block_info_read(&b, &info));
		assert_int_equal(info.kind, extent->info.kind);
		assert_int_equal(info.samples, extent->info.samples);
		assert_int_equal(info.raw_size, extent->info.raw_size);
		assert_int_equal(info.sequence, i);
	}
	reader_close(reader);
	memory_deinit(&memory);
}

static void a_recording_without_trailer_has_no_own_sections(
	void **state _unused_)
{
	struct recording open = left_open(&blocks);
	struct memory memory = { 0 };
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct reader *reader;

	assert_no_error(make_recording(&open, &memory));
	reader = open_good(&memory.file);
	assert_false(reader_section(reader, SECTION_INDEX, 1, &found));
	reader_close(reader);
	memory_deinit(&memory);
}

static void a_damaged_trailer_loses_only_the_own_sections(void **state _unused_)
{
	struct memory memory = { 0 };
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct reader *reader;

	assert_no_error(make_recording(&blocks, &memory));
	memory.file.at[memory.file.n - 20] ^= 1;
	reader = open_good(&memory.file);
	assert_false(reader_section(reader, SECTION_INDEX, 1, &found));
	assert_holds(reader, N_SAMPLES, 2);
	reader_close(reader);
	memory_deinit(&memory);
}

/* --- cut recordings ------------------------------------------------------- */

/*
 * Returns the number of samples in the first SIZE bytes. All samples found must
 * be right.
 */
static size_t count_in_cut(
	const struct strbuf *file, size_t size, unsigned n_events)
{
	struct reader *reader;
	struct found found;
	struct error *err = open_bytes(file->at, size, &reader);
	size_t n;

	if (err) {
		error_free(err);
		return 0;
	}
	find_all(reader, &found);
	n = found.samples.n;
	assert_samples(&found, n, n_events);
	assert_int_equal(found.sideband_after, 0);
	/* Each sample found has its command and its mapping. */
	if (n)
		assert_int_equal(found.sideband, 2);
	found_deinit(&found);
	find_again(reader, &found);
	assert_samples(&found, n, n_events);
	found_deinit(&found);
	reader_close(reader);
	return n;
}

/*
 * At each length, a truncated recording has the samples that the growing file
 * had.
 */
static void check_cuts(const struct recording *recording)
{
	struct recording open = left_open(recording);
	struct memory closed = { 0 }, stream = { 0 };
	size_t size, n, before = 0;

	assert_no_error(make_recording(recording, &closed));
	assert_no_error(make_recording(&open, &stream));
	for (size = 0; size <= closed.file.n; size++) {
		n = count_in_cut(&closed.file, size, recording->n_events);
		assert_in_range(n, before, recording->n_samples);
		before = n;
		/* Less than a header. */
		if (size < 104)
			assert_int_equal(n, 0);
		else if (size < stream.file.n)
			assert_int_equal(n,
				count_in_cut(&stream.file, size,
					recording->n_events));
		else
			assert_int_equal(n, recording->n_samples);
	}
	memory_deinit(&closed);
	memory_deinit(&stream);
}

static void an_uncompressed_recording_cut_at_any_length_opens(
	void **state _unused_)
{
	check_cuts(&plain);
}

static void a_compressed_recording_cut_at_any_length_opens(
	void **state _unused_)
{
	check_cuts(&blocks);
}

static void a_truncated_recording_is_reported_as_cut_off(void **state _unused_)
{
	struct memory memory = { 0 };
	struct reader *reader;
	struct found found;

	assert_no_error(make_recording(&blocks, &memory));
	assert_no_error(open_bytes(memory.file.at, memory.file.n - 1, &reader));
	assert_string_equal(reader_damage(reader), "the file is cut off");
	find_all(reader, &found);
	assert_int_equal(found.samples.n, N_SAMPLES);
	found_deinit(&found);
	reader_close(reader);
	memory_deinit(&memory);
}

/* --- sinks that fail ------------------------------------------------------ */

/* The disk is full after each byte of the closing sequence. */
static void check_full_disks(
	const struct recording *recording, bool can_not_cut)
{
	struct recording open = left_open(recording);
	struct memory closed = { 0 }, stream = { 0 };
	size_t n;

	assert_no_error(make_recording(recording, &closed));
	assert_no_error(make_recording(&open, &stream));
	/* The header of 104 bytes is written last, over existing bytes. */
	for (n = 0; n < closed.file.n - stream.file.n + 104; n++) {
		struct memory memory = { .has_limit = true,
			.left = stream.file.n + n,
			.can_not_cut = can_not_cut };
		struct error *err = make_recording(recording, &memory);
		struct reader *reader;

		assert_non_null(err);
		error_free(err);
		if (!can_not_cut)
			assert_in_range(memory.file.n, stream.file.n,
				closed.file.n - 1);
		assert_memory_equal(
			memory.file.at, stream.file.at, stream.file.n);
		reader = open_good(&memory.file);
		assert_true(reader_is_pipe(reader));
		assert_holds(reader, recording->n_samples, 2);
		if (!can_not_cut)
			assert_null(reader_damage(reader));
		reader_close(reader);
		memory_deinit(&memory);
	}
	memory_deinit(&closed);
	memory_deinit(&stream);
}

static void a_full_disk_during_the_close_leaves_a_readable_stream(
	void **state _unused_)
{
	check_full_disks(&plain, false);
	check_full_disks(&blocks, false);
}

static void a_close_that_can_neither_write_nor_truncate_keeps_all_samples(
	void **state _unused_)
{
	check_full_disks(&plain, true);
	check_full_disks(&blocks, true);
}

static void a_failed_write_leaves_the_complete_records_that_fit(
	void **state _unused_)
{
	struct memory memory = { 0 };
	struct sink sink = memory_sink(&memory);
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct features host;
	struct writer *writer;
	size_t before;

	make_host(&host, 1);
	make_samples(&raw, 1, 0, 3);
	assert_no_error(writer_create(&sink, &host, &writer));
	assert_no_error(writer_put(writer, raw.at, raw.n));
	before = memory.file.n;
	assert_int_equal(writer_size(writer), before);
	memory.has_limit = true;
	memory.left = raw.n - 1;
	assert_error(writer_put(writer, raw.at, raw.n),
		"cannot write 288 bytes: No space left on device");
	/* Two of three records fit. */
	before += raw.n / 3 * 2;
	assert_int_equal(memory.file.n, before);
	assert_int_equal(writer_size(writer), before);
	memory.left = raw.n / 3 - 1;
	assert_error(writer_put(writer, raw.at, raw.n),
		"cannot write 288 bytes: No space left on device");
	assert_int_equal(memory.file.n, before);
	/* The disk has space again, and writing continues. */
	memory.left = raw.n;
	assert_no_error(writer_put(writer, raw.at, raw.n));
	assert_int_equal(memory.file.n, before + raw.n);
	writer_destroy(writer);
	features_deinit(&host);
	memory_deinit(&memory);
}

static void own_sections_of_a_stream_are_read(void **state _unused_)
{
	struct memory memory = { 0 };
	struct sink sink = memory_sink(&memory);
	struct writer_section section = { "words", 7, { 0 } };
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	_cleanup_strbuf_ struct strbuf words = { 0 };
	struct features host, closing = { 0 };
	struct writer *writer;
	struct reader *reader;

	sink.overwrite = NULL;
	sink.cut = NULL;
	strbuf_put(&section.raw, "some words", 11);
	make_host(&host, 1);
	make_sideband(&raw);
	make_samples(&raw, 1, 0, 3);
	assert_no_error(writer_create(&sink, &host, &writer));
	assert_no_error(writer_put(writer, raw.at, raw.n));
	assert_no_error(writer_close(writer, &closing, &section, 1));
	assert_int_equal(writer_size(writer), memory.file.n);
	reader = open_good(&memory.file);
	assert_true(reader_is_pipe(reader));
	assert_holds(reader, 3, 1);
	assert_null(reader_damage(reader));
	assert_true(reader_section(reader, "words", 7, &words));
	assert_string_equal(words.at, "some words");
	reader_close(reader);
	strbuf_free(&section.raw);
	writer_destroy(writer);
	features_deinit(&host);
	memory_deinit(&memory);
}

static void writer_create_fails_if_the_head_cannot_be_written(
	void **state _unused_)
{
	struct memory memory = { .has_limit = true, .left = 50 };
	struct sink sink = memory_sink(&memory);
	struct writer *writer = NULL;
	struct features host;
	struct error *err;

	make_host(&host, 1);
	err = writer_create(&sink, &host, &writer);
	assert_non_null(err);
	error_free(err);
	assert_int_equal(memory.file.n, 0);
	features_deinit(&host);
	memory_deinit(&memory);
}

/* --- perf's files --------------------------------------------------------- */

static void check_perf(const struct strbuf *data, unsigned n_events, size_t n)
{
	_cleanup_strbuf_ struct strbuf file = { 0 }, pipe = { 0 };
	struct features host;
	struct reader *reader;

	make_host(&host, n_events);
	make_perf_file(&host, data, &file);
	reader = open_good(&file);
	assert_holds(reader, n, n_events);
	assert_null(reader_damage(reader));
	assert_string_equal(reader_features(reader)->hostname, "made");
	reader_close(reader);
	make_perf_pipe(&host, data, &pipe);
	reader = open_good(&pipe);
	assert_holds(reader, n, n_events);
	assert_null(reader_damage(reader));
	assert_true(reader_is_pipe(reader));
	reader_close(reader);
	features_deinit(&host);
}

static void an_uncompressed_file_and_a_stream_of_perf_are_read(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };

	make_sideband(&data);
	make_samples(&data, 3, 0, 100);
	check_perf(&data, 3, 100);
}

static void a_compressed_recording_of_perf_is_read(void **state _unused_)
{
	static const size_t pieces[] = { 60, 1000, 30000, 1000000 };
	static const size_t cuts[] = { 7, 100, 65519 };
	static const uint32_t types[] = { RECORD_COMPRESSED,
		RECORD_COMPRESSED2 };
	size_t i, j, k;

	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		for (j = 0; j < ARRAY_SIZE(cuts); j++) {
			for (k = 0; k < ARRAY_SIZE(types); k++) {
				_cleanup_strbuf_ struct strbuf raw = { 0 };
				_cleanup_strbuf_ struct strbuf data = { 0 };

				make_sideband(&raw);
				make_samples(&raw, 2, 0, 300);
				make_perf_stream(&raw, pieces[i], cuts[j],
					types[k], &data);
				check_perf(&data, 2, 300);
			}
		}
	}
}

/* One record decompresses to more than any buffer. */
static void a_record_that_decompresses_to_megabytes_is_read(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, data = { 0 }, file = { 0 };
	struct features host;
	struct reader *reader;
	struct found found;
	size_t i;

	make_sideband(&raw);
	for (i = 0; i < 40000; i++)
		make_samples(&raw, 1, 0, 1);
	make_perf_stream(&raw, raw.n, 65000, RECORD_COMPRESSED, &data);
	assert_true(raw.n > 3000000 && data.n < 40000);
	make_host(&host, 1);
	make_perf_file(&host, &data, &file);
	reader = open_good(&file);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 40000);
	assert_int_equal(found.sideband, 2);
	found_deinit(&found);
	find_again(reader, &found);
	assert_int_equal(found.samples.n, 40000);
	found_deinit(&found);
	reader_close(reader);
	features_deinit(&host);
}

static void plain_records_between_compressed_ones_are_read(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, data = { 0 };

	make_sideband(&data);
	make_samples(&raw, 1, 0, 50);
	make_perf_stream(&raw, 1 << 20, 65519, RECORD_COMPRESSED, &data);
	record_write(&data, RECORD_FINISHED_ROUND, 0, NULL, 0);
	make_samples(&data, 1, 50, 60);
	check_perf(&data, 1, 60);
}

static void a_compressed_file_of_perf_can_only_be_read_in_order(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, data = { 0 }, file = { 0 };
	struct features host;
	struct reader *reader;

	make_sideband(&raw);
	make_samples(&raw, 1, 0, 20);
	make_perf_stream(&raw, 100, 80, RECORD_COMPRESSED, &data);
	make_host(&host, 1);
	make_perf_file(&host, &data, &file);
	reader = open_good(&file);
	assert_holds(reader, 20, 1);
	assert_true(reader_is_ordered(reader));
	assert_int_equal(reader_extent(reader, 0)->coding, EXTENT_STREAM);
	reader_close(reader);
	features_deinit(&host);
}

static void a_compressed_stream_of_perf_cut_at_any_length_opens(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, data = { 0 }, pipe = { 0 };
	struct features host;
	size_t size, n, before = 0;

	make_sideband(&raw);
	make_samples(&raw, 1, 0, 20);
	make_perf_stream(&raw, 100, 80, RECORD_COMPRESSED, &data);
	make_host(&host, 1);
	make_perf_pipe(&host, &data, &pipe);
	for (size = 0; size <= pipe.n; size++) {
		n = count_in_cut(&pipe, size, 1);
		assert_in_range(n, before, 20);
		before = n;
	}
	assert_int_equal(before, 20);
	features_deinit(&host);
}

static void reading_a_damaged_compressed_stream_of_perf_never_crashes(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, data = { 0 }, pipe = { 0 };
	struct features host;
	size_t at;

	make_sideband(&raw);
	make_samples(&raw, 1, 0, 20);
	make_perf_stream(&raw, 300, 200, RECORD_COMPRESSED, &data);
	make_host(&host, 1);
	make_perf_pipe(&host, &data, &pipe);
	for (at = 16; at < pipe.n; at++) {
		struct reader *reader;
		struct found found;

		pipe.at[at] ^= 0x55;
		reader = open_good(&pipe);
		pipe.at[at] ^= 0x55;
		find_all(reader, &found);
		found_deinit(&found);
		find_again(reader, &found);
		found_deinit(&found);
		reader_close(reader);
	}
	features_deinit(&host);
}

static void records_of_unknown_types_are_skipped(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	static const uint64_t payload[9];

	make_sideband(&data);
	record_write(
		&data, RECORD_HEADER_EVENT_TYPE, 0, payload, sizeof(payload));
	make_samples(&data, 1, 0, 5);
	record_write(&data, 0x8000, 0xffff, payload, 8);
	record_write(&data, UINT32_MAX, 0, NULL, 0);
	make_samples(&data, 1, 5, 10);
	check_perf(&data, 1, 10);
}

static void data_behind_tracing_data_and_auxtrace_records_is_skipped(
	void **state _unused_)
{
	static const uint32_t tracing[2] = { 13, 0 };
	static const uint64_t auxtrace[5] = { 24 };
	_cleanup_strbuf_ struct strbuf data = { 0 };

	make_sideband(&data);
	record_write(
		&data, RECORD_HEADER_TRACING_DATA, 0, tracing, sizeof(tracing));
	strbuf_fill(&data, 0x11, 16);
	make_samples(&data, 1, 0, 5);
	record_write(&data, RECORD_AUXTRACE, 0, auxtrace, sizeof(auxtrace));
	strbuf_fill(&data, 0x22, 24);
	make_samples(&data, 1, 5, 10);
	check_perf(&data, 1, 10);
}

static void a_tracing_data_record_of_12_bytes_is_read(void **state _unused_)
{
	static const uint32_t tracing[1] = { 16 };
	_cleanup_strbuf_ struct strbuf data = { 0 };

	make_sideband(&data);
	record_write(
		&data, RECORD_HEADER_TRACING_DATA, 0, tracing, sizeof(tracing));
	strbuf_fill(&data, 0x11, 16);
	make_samples(&data, 1, 0, 5);
	check_perf(&data, 1, 5);
}

static void a_sample_with_an_unknown_id_belongs_to_the_first_event(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, file = { 0 };
	struct features host;
	struct reader *reader;
	struct found found;

	make_sample(&data, &(struct made_sample){ .id = 101, .ip = 1 });
	make_sample(&data, &(struct made_sample){ .id = 4711, .ip = 2 });
	make_sample(&data, &(struct made_sample){ .id = 0, .ip = 3 });
	make_host(&host, 2);
	make_perf_file(&host, &data, &file);
	reader = open_good(&file);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 3);
	assert_int_equal(found.samples.at[0].event, 1);
	assert_int_equal(found.samples.at[1].event, 0);
	assert_int_equal(found.samples.at[2].event, 0);
	found_deinit(&found);
	reader_close(reader);
	features_deinit(&host);
}

static void records_of_a_single_event_need_no_id(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, file = { 0 };
	struct features host;
	struct reader *reader;

	make_sideband(&data);
	make_samples(&data, 1, 0, 5);
	make_host(&host, 1);
	array_clear(&host.events.at[0].ids);
	make_perf_file(&host, &data, &file);
	reader = open_good(&file);
	assert_holds(reader, 5, 1);
	reader_close(reader);
	features_deinit(&host);
}

static void event_update_records_rename_events_of_a_stream(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, update = { 0 };
	_cleanup_strbuf_ struct strbuf pipe = { 0 };
	struct features host;
	struct reader *reader;
	struct found found;

	strbuf_put_u64(&update, EVENT_UPDATE_NAME);
	strbuf_put_u64(&update, 101);
	strbuf_put(&update, "sched:sched_switch\0\0\0\0\0", 24);
	record_write(&data, RECORD_EVENT_UPDATE, 0, update.at, update.n);
	make_host(&host, 2);
	make_perf_pipe(&host, &data, &pipe);
	reader = open_good(&pipe);
	find_all(reader, &found);
	assert_string_equal(reader_event(reader, 0)->name, "cpu-clock:HG");
	assert_string_equal(
		reader_event(reader, 1)->name, "sched:sched_switch");
	found_deinit(&found);
	reader_close(reader);
	features_deinit(&host);
}

/* --- damage --------------------------------------------------------------- */

static void put_u64_at(struct strbuf *file, size_t at, uint64_t value)
{
	memcpy(file->at + at, &value, sizeof(value));
}

/* Makes perf's plain file of one event and 10 samples. */
static void make_small_file(struct strbuf *file)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct features host;

	make_sideband(&data);
	make_samples(&data, 1, 0, 10);
	make_host(&host, 1);
	make_perf_file(&host, &data, file);
	features_deinit(&host);
}

/* Offset of the data of make_small_file(): behind header, ID and attribute. */
#define SMALL_DATA (104u + 8 + 128)
#define SIDEBAND_SIZE 192u
#define SAMPLE_SIZE 96u

static void a_record_of_size_zero_is_skipped(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	const size_t at = SMALL_DATA + SIDEBAND_SIZE + 4 * SAMPLE_SIZE;
	struct reader *reader;
	struct found found;
	char wanted[64];

	make_small_file(&file);
	memset(file.at + at + 6, 0, 2);
	reader = open_good(&file);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 9);
	assert_int_equal(found.samples.at[4].sample.period, 15);
	found_deinit(&found);
	snprintf(wanted, sizeof(wanted),
		"%u bytes are not records at byte %zu of %zu", SAMPLE_SIZE, at,
		file.n);
	assert_string_equal(reader_damage(reader), wanted);
	reader_close(reader);
}

static void a_record_that_exceeds_the_file_ends_the_reading(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	const size_t at = SMALL_DATA + SIDEBAND_SIZE + 9 * SAMPLE_SIZE;
	struct reader *reader;

	make_small_file(&file);
	file.at[at + 6] = (char)(SAMPLE_SIZE + 8);
	reader = open_good(&file);
	assert_holds(reader, 9, 1);
	assert_non_null(reader_damage(reader));
	reader_close(reader);
}

static void the_whole_file_is_read_if_the_header_has_no_data_size(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct reader *reader;

	make_small_file(&file);
	put_u64_at(&file, 48, 0);
	/* As perf leaves a file when it is killed: nothing follows the data. */
	file.n = SMALL_DATA + SIDEBAND_SIZE + 10 * SAMPLE_SIZE;
	reader = open_good(&file);
	assert_holds(reader, 10, 1);
	assert_string_equal(reader_damage(reader),
		"the recorder was killed: the header has no end of the data");
	reader_close(reader);
}

static void a_data_size_beyond_the_end_of_the_file_is_limited(
	void **state _unused_)
{
	static const uint64_t sizes[] = { UINT64_MAX, INT64_MAX, 1 << 20 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_strbuf_ struct strbuf file = { 0 };
		struct reader *reader;

		make_small_file(&file);
		put_u64_at(&file, 48, sizes[i]);
		file.n = SMALL_DATA + SIDEBAND_SIZE + 10 * SAMPLE_SIZE;
		reader = open_good(&file);
		assert_holds(reader, 10, 1);
		assert_non_null(reader_damage(reader));
		reader_close(reader);
	}
}

#define assert_open_error(file, size, wanted)                               \
	({                                                                  \
		struct reader *opened = NULL;                               \
		struct error *open_error = open_bytes(file, size, &opened); \
		assert_non_null(open_error);                                \
		assert_string_equal(                                        \
			strstr(open_error->text, ": "), ": " wanted);       \
		error_free(open_error);                                     \
	})

static void a_header_that_points_outside_of_the_file_is_refused(
	void **state _unused_)
{
	/* the header's fields: attr size, attrs, their size, data */
	static const size_t fields[] = { 16, 24, 32, 40 };
	static const uint64_t values[] = { UINT64_MAX, UINT64_C(1) << 63,
		1 << 20 };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			_cleanup_strbuf_ struct strbuf file = { 0 };

			make_small_file(&file);
			put_u64_at(&file, fields[i], values[j]);
			assert_open_error(file.at, file.n,
				"the header points outside of the file");
		}
	}
}

static void a_header_with_invalid_attribute_sizes_is_refused(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };

	make_small_file(&file);
	put_u64_at(&file, 16, 0);
	assert_open_error(
		file.at, file.n, "the header points outside of the file");
	put_u64_at(&file, 16, 128);
	put_u64_at(&file, 32, 0);
	assert_open_error(file.at, file.n, "the header has 0 events");
	put_u64_at(&file, 16, 101);
	put_u64_at(&file, 32, 101);
	assert_open_error(file.at, file.n,
		"event 0 has an invalid attribute of 85 bytes");
}

static void a_header_whose_event_ids_are_outside_of_the_file_is_refused(
	void **state _unused_)
{
	static const uint64_t places[][2] = { { UINT64_MAX, 8 },
		{ 104, UINT64_MAX }, { 104, UINT64_C(1) << 27 },
		{ UINT64_C(1) << 40, 0 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_strbuf_ struct strbuf file = { 0 };

		make_small_file(&file);
		put_u64_at(&file, 104 + 8 + 112, places[i][0]);
		put_u64_at(&file, 104 + 8 + 120, places[i][1]);
		assert_open_error(file.at, file.n,
			"the ID list of event 0 is outside of the file");
	}
}

static void header_sections_outside_of_the_file_are_ignored(
	void **state _unused_)
{
	static const uint64_t places[][2] = { { UINT64_MAX, 8 },
		{ 104, UINT64_MAX }, { 0, UINT64_C(1) << 62 } };
	const size_t table = SMALL_DATA + SIDEBAND_SIZE + 10 * SAMPLE_SIZE;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_strbuf_ struct strbuf file = { 0 };
		struct reader *reader;

		make_small_file(&file);
		put_u64_at(&file, table, places[i][0]);
		put_u64_at(&file, table + 8, places[i][1]);
		reader = open_good(&file);
		assert_null(reader_features(reader)->hostname);
		assert_string_equal(
			reader_features(reader)->version, "7.2 (dwell)");
		assert_holds(reader, 10, 1);
		reader_close(reader);
	}
}

static void an_old_header_without_a_feature_bitmap_is_read(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct reader *reader;

	make_small_file(&file);
	put_u64_at(&file, 8, 72);
	reader = open_good(&file);
	assert_null(reader_features(reader)->hostname);
	assert_holds(reader, 10, 1);
	reader_close(reader);
}

static void reading_a_file_with_any_damaged_byte_never_crashes(
	void **state _unused_)
{
	static const uint8_t flips[] = { 0xff, 0x80, 0x01 };
	_cleanup_strbuf_ struct strbuf file = { 0 };
	size_t at, i;

	make_small_file(&file);
	for (at = 0; at < file.n; at++) {
		for (i = 0; i < ARRAY_SIZE(flips); i++) {
			struct reader *reader;
			struct error *err;
			struct found found;

			file.at[at] ^= (char)flips[i];
			err = open_bytes(file.at, file.n, &reader);
			file.at[at] ^= (char)flips[i];
			error_free(err);
			if (err)
				continue;
			find_all(reader, &found);
			found_deinit(&found);
			find_again(reader, &found);
			found_deinit(&found);
			reader_close(reader);
		}
	}
}

static void damaged_blocks_are_skipped(void **state _unused_)
{
	struct memory memory = { 0 };
	const struct extent *extent;
	struct reader *reader;
	struct found found;
	size_t at;

	assert_no_error(make_recording(&blocks, &memory));
	reader = open_good(&memory.file);
	assert_holds(reader, N_SAMPLES, 2);
	extent = reader_extent(reader, 2);
	at = extent->offset + extent->size - 3;
	reader_close(reader);
	memory.file.at[at] ^= 1;
	reader = open_good(&memory.file);
	find_all(reader, &found);
	assert_int_equal(found.samples.n, N_SAMPLES - 7);
	assert_non_null(
		strstr(reader_damage(reader), "compressed data are damaged"));
	found_deinit(&found);
	find_again(reader, &found);
	assert_int_equal(found.samples.n, N_SAMPLES - 7);
	found_deinit(&found);
	reader_close(reader);
	memory_deinit(&memory);
}

/* Samples that hardly compress. */
static void make_random_samples(struct strbuf *out, size_t n)
{
	uint64_t seed = 1;
	size_t i, j;

	for (i = 0; i < n; i++) {
		uint64_t chain[16];

		for (j = 0; j < ARRAY_SIZE(chain); j++) {
			seed = seed * UINT64_C(6364136223846793005) + 99;
			chain[j] = seed >> 1 ^ seed << 40;
		}
		make_sample(out,
			&(struct made_sample){
				.id = 100,
				.ip = chain[0],
				.pid = MADE_PID,
				.tid = MADE_PID,
				.time = MADE_TIME(i),
				.chain = chain,
				.n_chain = ARRAY_SIZE(chain),
			});
	}
}

/*
 * perf 6.16 wrote records of 65,536 bytes and more, with sizes modulo 65,536.
 */
static void perf_records_whose_16_bit_size_wrapped_are_read(
	void **state _unused_)
{
	static const size_t cuts[] = { 65519, 65520, 65521, 65528, 65535 };
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct features host;
	size_t i;

	make_random_samples(&raw, 2000);
	make_host(&host, 1);
	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		_cleanup_strbuf_ struct strbuf stream = { 0 }, file = { 0 };
		struct reader *reader;
		struct found found;

		make_perf_stream(
			&raw, raw.n, cuts[i], RECORD_COMPRESSED2, &stream);
		assert_true(stream.n > 3 * cuts[i]);
		make_perf_file(&host, &stream, &file);
		reader = open_good(&file);
		find_all(reader, &found);
		assert_int_equal(found.samples.n, 2000);
		assert_null(reader_damage(reader));
		found_deinit(&found);
		reader_close(reader);
	}
	features_deinit(&host);
}

/* --- what is no recording ------------------------------------------------- */

static void files_that_are_no_recordings_are_refused_with_a_reason(
	void **state _unused_)
{
	static const uint8_t odd_header[104] = "PERFILE2\x32";

	assert_open_error("", 0, "the file is empty: nothing was recorded");
	assert_open_error("PERFILE", 7, "not a recording of dwell or perf");
	assert_open_error("#!/bin/sh\nls -l /tmp\n", 21,
		"not a recording of dwell or perf");
	assert_open_error("2ELIFREP\0\0\0\0\0\0\0\x68", 16,
		"the file ends inside its header");
	assert_open_error("PERFFILE\x68\0\0\0\0\0\0\0", 16,
		"the file ends inside its header");
	assert_open_error(odd_header, sizeof(odd_header),
		"the header has an unknown size: 50 bytes");
}

static void paths_that_cannot_be_opened_are_refused_with_a_reason(
	void **state _unused_)
{
	struct reader *reader;

	assert_error(reader_open("/nonexistent/dwell.data", &reader),
		"/nonexistent/dwell.data: cannot open the file: No such file "
		"or "
		"directory");
	assert_error(reader_open("/", &reader),
		"/: the directory contains no recording: data: No such "
		"file or directory");
	assert_error(reader_open("/dev/null", &reader),
		"/dev/null: not a regular file. To read a stream: -i -");
}

static void an_empty_stream_has_no_events(void **state _unused_)
{
	struct reader *reader;
	struct found found;

	assert_no_error(open_bytes("PERFILE2\x10\0\0\0\0\0\0\0", 16, &reader));
	find_all(reader, &found);
	assert_int_equal(reader_n_events(reader), 0);
	assert_int_equal(found.records, 0);
	assert_null(reader_damage(reader));
	found_deinit(&found);
	reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_closed_recording_is_read_as_it_was_written),
		cmocka_unit_test(
			a_recording_without_its_closing_tail_is_read_completely),
		cmocka_unit_test(
			closing_a_recording_adds_features_to_its_header),
		cmocka_unit_test(
			extents_have_the_kind_and_counts_of_their_blocks),
		cmocka_unit_test(reader_next_skips_blocks_of_unwanted_kinds),
		cmocka_unit_test(extents_can_be_read_in_any_order),
		cmocka_unit_test(
			a_recording_larger_than_a_read_window_is_read_completely),
		cmocka_unit_test(chunk_positions_increase_through_the_file),
		cmocka_unit_test(
			the_position_of_uncompressed_data_is_its_file_offset),
		cmocka_unit_test(all_of_5000_ids_of_an_event_are_read),
		cmocka_unit_test(
			event_ids_too_many_for_a_record_are_in_the_closed_file),
		cmocka_unit_test(
			features_too_large_for_the_head_are_written_at_the_close),
		cmocka_unit_test(
			a_feature_too_large_for_a_record_is_in_the_closed_file),
		cmocka_unit_test(
			every_record_of_a_written_stream_has_a_multiple_of_8_bytes),
		cmocka_unit_test(the_size_of_tracing_data_includes_padding),
		cmocka_unit_test(an_own_section_is_read_as_it_was_written),
		cmocka_unit_test(
			the_index_section_repeats_the_description_of_each_block),
		cmocka_unit_test(
			a_recording_without_trailer_has_no_own_sections),
		cmocka_unit_test(
			perf_records_whose_16_bit_size_wrapped_are_read),
		cmocka_unit_test(a_damaged_trailer_loses_only_the_own_sections),
		cmocka_unit_test(
			an_uncompressed_recording_cut_at_any_length_opens),
		cmocka_unit_test(
			a_compressed_recording_cut_at_any_length_opens),
		cmocka_unit_test(a_truncated_recording_is_reported_as_cut_off),
		cmocka_unit_test(
			a_full_disk_during_the_close_leaves_a_readable_stream),
		cmocka_unit_test(
			a_close_that_can_neither_write_nor_truncate_keeps_all_samples),
		cmocka_unit_test(
			a_failed_write_leaves_the_complete_records_that_fit),
		cmocka_unit_test(own_sections_of_a_stream_are_read),
		cmocka_unit_test(
			writer_create_fails_if_the_head_cannot_be_written),
		cmocka_unit_test(
			an_uncompressed_file_and_a_stream_of_perf_are_read),
		cmocka_unit_test(a_compressed_recording_of_perf_is_read),
		cmocka_unit_test(
			a_record_that_decompresses_to_megabytes_is_read),
		cmocka_unit_test(
			plain_records_between_compressed_ones_are_read),
		cmocka_unit_test(
			a_compressed_file_of_perf_can_only_be_read_in_order),
		cmocka_unit_test(
			a_compressed_stream_of_perf_cut_at_any_length_opens),
		cmocka_unit_test(
			reading_a_damaged_compressed_stream_of_perf_never_crashes),
		cmocka_unit_test(records_of_unknown_types_are_skipped),
		cmocka_unit_test(
			data_behind_tracing_data_and_auxtrace_records_is_skipped),
		cmocka_unit_test(a_tracing_data_record_of_12_bytes_is_read),
		cmocka_unit_test(
			a_sample_with_an_unknown_id_belongs_to_the_first_event),
		cmocka_unit_test(records_of_a_single_event_need_no_id),
		cmocka_unit_test(
			event_update_records_rename_events_of_a_stream),
		cmocka_unit_test(a_record_of_size_zero_is_skipped),
		cmocka_unit_test(
			a_record_that_exceeds_the_file_ends_the_reading),
		cmocka_unit_test(
			the_whole_file_is_read_if_the_header_has_no_data_size),
		cmocka_unit_test(
			a_data_size_beyond_the_end_of_the_file_is_limited),
		cmocka_unit_test(
			a_header_that_points_outside_of_the_file_is_refused),
		cmocka_unit_test(
			a_header_with_invalid_attribute_sizes_is_refused),
		cmocka_unit_test(
			a_header_whose_event_ids_are_outside_of_the_file_is_refused),
		cmocka_unit_test(
			header_sections_outside_of_the_file_are_ignored),
		cmocka_unit_test(
			an_old_header_without_a_feature_bitmap_is_read),
		cmocka_unit_test(
			reading_a_file_with_any_damaged_byte_never_crashes),
		cmocka_unit_test(damaged_blocks_are_skipped),
		cmocka_unit_test(
			files_that_are_no_recordings_are_refused_with_a_reason),
		cmocka_unit_test(
			paths_that_cannot_be_opened_are_refused_with_a_reason),
		cmocka_unit_test(an_empty_stream_has_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
