/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The survey, and the scan's use of it: the process and file of each sample. */
#include "config.h"

#include "report/survey/survey.h"

#include <stdio.h>

#include "common/util/alloc.h"
#include "report/scan/scan.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

/* A surveyed file with its buffers. */
struct surveyed {
	struct reader *reader;
	struct survey survey;
};

static void survey_bytes(
	const struct strbuf *file, bool full, struct surveyed *ret)
{
	assert_no_error(open_bytes(file->at, file->n, &ret->reader));
	GARBAGE(ret->survey);
	assert_no_error(survey_run(ret->reader,
		full ? SURVEY_SAMPLES : SURVEY_SIDEBAND, &ret->survey));
}

/* Writes DATA as perf's file of N events. */
static void survey_data(const struct strbuf *data, size_t n_events, bool full,
	struct surveyed *ret)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct features host;

	make_host(&host, n_events);
	make_perf_file(&host, data, &file);
	survey_bytes(&file, full, ret);
	features_deinit(&host);
}

static void surveyed_deinit(struct surveyed *surveyed)
{
	survey_deinit(&surveyed->survey);
	reader_close(surveyed->reader);
}

/* Returns the path mapped at ADDRESS of PID at TIME, "-" for none. */
static const char *path_at(const struct surveyed *surveyed, uint64_t time,
	uint32_t pid, uint64_t address)
{
	const struct maps *maps = surveyed->survey.maps;
	struct maps_context context = maps_context(maps, pid, pid, time);
	const struct mapping *mapping = maps_find(maps, context.space, address);

	return mapping ? maps_dso(maps, mapping->dso)->path : "-";
}

static const char *comm_at(
	const struct surveyed *surveyed, uint64_t time, uint32_t tid)
{
	const struct maps *maps = surveyed->survey.maps;

	return maps_comm(maps, maps_context(maps, tid, tid, time).comm);
}

/* --- replay --------------------------------------------------------------- */

static void sideband_is_applied_in_the_order_of_time(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;

	/* Ring buffers are drained one by one: the parent's is last. */
	make_mmap(&data, 2, 0x1000, 0x1000, 0, "/child", 300);
	make_fork(&data, 1, 1, 2, 2, 200);
	make_comm(&data, 1, 1, "late", false, 400);
	make_comm(&data, 1, 1, "parent", true, 100);
	make_mmap(&data, 1, 0x1000, 0x1000, 0, "/late", 410);
	make_mmap(&data, 1, 0x1000, 0x1000, 0, "/parent", 110);
	survey_data(&data, 1, false, &surveyed);
	assert_true(surveyed.survey.has_time);
	assert_string_equal(path_at(&surveyed, 150, 1, 0x1000), "/parent");
	assert_string_equal(path_at(&surveyed, 250, 2, 0x1000), "/parent");
	assert_string_equal(path_at(&surveyed, 300, 2, 0x1000), "/child");
	assert_string_equal(path_at(&surveyed, 410, 1, 0x1000), "/late");
	assert_string_equal(comm_at(&surveyed, 300, 2), "parent");
	assert_string_equal(comm_at(&surveyed, 300, 1), "parent");
	assert_string_equal(comm_at(&surveyed, 400, 1), "late");
	surveyed_deinit(&surveyed);
}

static void sideband_of_equal_times_is_applied_in_file_order(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;
	char path[32];
	unsigned i;

	for (i = 0; i < 50; i++) {
		snprintf(path, sizeof(path), "/map%u", i);
		make_mmap(&data, 1, 0x1000, 0x1000, 0, path, 100);
	}
	survey_data(&data, 1, false, &surveyed);
	assert_string_equal(path_at(&surveyed, 100, 1, 0x1000), "/map49");
	surveyed_deinit(&surveyed);
}

static void a_data_mapping_replaces_a_code_mapping(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;

	make_mmap(&data, 1, 0x1000, 0x1000, 0, "/code", 100);
	make_mmap(&data, 1, 0x1000, 0x1000, 0, "/data", 200);
	data.at[data.n / 2 + 5] = (char)(MISC_MMAP_DATA >> 8);
	survey_data(&data, 1, false, &surveyed);
	assert_string_equal(path_at(&surveyed, 150, 1, 0x1000), "/code");
	assert_string_equal(path_at(&surveyed, 300, 1, 0x1000), "/data");
	surveyed_deinit(&surveyed);
}

/* Makes HOST record neither times nor trailers. */
static void make_host_without_times(struct features *host)
{
	make_host(host, 1);
	host->events.at[0].attr.sample_id_all = 0;
	host->events.at[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
}

/* Appends a record without its trailer of 32 bytes. */
static void drop_trailer(struct strbuf *record)
{
	uint16_t size = (uint16_t)(record->n - 32);

	record->n = size;
	memcpy(record->at + 6, &size, sizeof(size));
}

static void put_untimed_mmap(struct strbuf *data, const char *path)
{
	_cleanup_strbuf_ struct strbuf record = { 0 };

	make_mmap(&record, 1, 0x1000, 0x1000, 0, path, 0);
	drop_trailer(&record);
	strbuf_put(data, record.at, record.n);
}

static void put_untimed_sample(struct strbuf *data)
{
	/* IDENTIFIER, IP, TID, CPU, PERIOD, CALLCHAIN */
	const uint64_t words[] = { 100, 0x1234, UINT64_C(0x100000001), 0, 1,
		0 };

	record_write(data, RECORD_SAMPLE, MISC_USER, words, sizeof(words));
}

static uint64_t count_hits(
	const struct stacks_raw *stacks, const struct maps *maps, uint32_t dso)
{
	uint64_t samples = 0;
	uint32_t i;

	for (i = 0; i < stacks_n(&stacks->table); i++) {
		struct chain_raw chain = stacks_raw_chain(stacks, i);
		const struct frame *frame =
			&stacks->frames.at[chain_raw_next(&chain)];
		const struct mapping *mapping =
			maps_find(maps, frame->space, frame->ip);

		if (mapping && mapping->dso == dso)
			samples += stacks_at(&stacks->table, i)->samples;
	}
	return samples;
}

/* Returns the file of each sampled address: sorted, with counts. */
static void list_hits(const struct surveyed *surveyed, struct strbuf *out)
{
	const struct filter filter = { 0 };
	const struct scan_request request = { .filter = &filter };
	const struct maps *maps = surveyed->survey.maps;
	struct scan scan;
	uint32_t dso;

	scan_run(surveyed->reader, &surveyed->survey, &request, &scan);
	for (dso = 0; dso < maps_n_dsos(maps); dso++) {
		uint64_t samples = 0;

		array_each(&scan.parts, part)
			samples += count_hits(part, maps, dso);
		strbuf_printf(out, "%s %u\n", maps_dso(maps, dso)->path,
			(unsigned)samples);
	}
	scan_deinit(&scan);
}

static void records_without_times_are_applied_in_file_order(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, file = { 0 }, hits = { 0 };
	struct surveyed surveyed;
	struct features host;
	int i;

	put_untimed_mmap(&data, "/a");
	for (i = 0; i < 30; i++)
		put_untimed_sample(&data);
	put_untimed_mmap(&data, "/b");
	for (i = 0; i < 5; i++)
		put_untimed_sample(&data);
	make_host_without_times(&host);
	make_perf_file(&host, &data, &file);
	survey_bytes(&file, false, &surveyed);
	assert_false(surveyed.survey.has_time);
	list_hits(&surveyed, &hits);
	assert_text(&hits, "/a 30\n/b 5\n");
	surveyed_deinit(&surveyed);
	features_deinit(&host);
}

static void compressed_records_without_times_are_applied_in_file_order(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, raw = { 0 };
	_cleanup_strbuf_ struct strbuf file = { 0 }, hits = { 0 };
	struct surveyed surveyed;
	struct features host;
	int i;

	put_untimed_mmap(&raw, "/a");
	for (i = 0; i < 3000; i++)
		put_untimed_sample(&raw);
	make_perf_stream(&raw, 1 << 20, 65000, RECORD_COMPRESSED, &data);
	put_untimed_mmap(&data, "/b");
	for (i = 0; i < 5; i++)
		put_untimed_sample(&data);
	make_host_without_times(&host);
	make_perf_file(&host, &data, &file);
	survey_bytes(&file, false, &surveyed);
	list_hits(&surveyed, &hits);
	assert_text(&hits, "/a 3000\n/b 5\n");
	surveyed_deinit(&surveyed);
	features_deinit(&host);
}

static void samples_belong_to_the_mapping_of_their_time(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, hits = { 0 };
	struct surveyed surveyed;
	uint64_t i;

	for (i = 0; i < 1000; i++) {
		make_mmap(&data, 1, 0x1000, 0x1000, 0, i % 2 ? "/odd" : "/even",
			100 + 10 * i);
		make_sample(&data,
			&(struct made_sample){ .id = 100,
				.ip = 0x1010,
				.pid = 1,
				.tid = 1,
				.time = 105 + 10 * i,
				.period = 1 });
	}
	survey_data(&data, 1, false, &surveyed);
	list_hits(&surveyed, &hits);
	assert_text(&hits, "/even 500\n/odd 500\n");
	surveyed_deinit(&surveyed);
}

/* --- counts --------------------------------------------------------------- */

static void put_lost(
	struct strbuf *data, uint64_t id, uint64_t lost, uint64_t event_id)
{
	/* with the trailer of make_attr(): TID, TIME, CPU, IDENTIFIER */
	const uint64_t words[] = { id, lost, 0, 500, 0, event_id };

	record_write(data, RECORD_LOST, 0, words, sizeof(words));
}

static void put_lost_samples(
	struct strbuf *data, uint64_t lost, uint64_t event_id)
{
	const uint64_t trailer[] = { 0, 500, 0, event_id };

	record_write_lost_samples(data, lost, trailer, sizeof(trailer));
}

static void lost_samples_are_counted_by_event(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;

	put_lost(&data, 100, 7, 100);
	put_lost(&data, 100, 3, 100);
	put_lost(&data, 101, 1, 101);
	survey_data(&data, 2, false, &surveyed);
	assert_int_equal(surveyed.survey.by_event.n, 2);
	assert_int_equal(surveyed.survey.by_event.at[0].lost, 10);
	assert_int_equal(surveyed.survey.by_event.at[1].lost, 1);
	assert_int_equal(surveyed.survey.lost, 11);
	surveyed_deinit(&surveyed);
}

static void lost_and_lost_samples_records_do_not_count_samples_twice(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;

	/* LOST counts too few; LOST_SAMPLES, read when closing, is exact. */
	put_lost(&data, 100, 7, 100);
	put_lost_samples(&data, 9, 100);
	put_lost_samples(&data, 3, 100);
	put_lost(&data, 101, 7, 101);
	put_lost_samples(&data, 2, 101);
	survey_data(&data, 2, false, &surveyed);
	assert_int_equal(surveyed.survey.by_event.at[0].lost, 12);
	assert_int_equal(surveyed.survey.by_event.at[0].lost_reported, 7);
	assert_int_equal(surveyed.survey.by_event.at[0].lost_read, 12);
	assert_int_equal(surveyed.survey.by_event.at[1].lost, 7);
	assert_int_equal(surveyed.survey.lost, 19);
	surveyed_deinit(&surveyed);
}

static void a_full_survey_counts_every_record(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;

	make_sideband(&data);
	make_samples(&data, 2, 0, 9);
	record_write(&data, RECORD_FINISHED_ROUND, 0, NULL, 0);
	record_write(&data, 4711, 0, NULL, 0);
	survey_data(&data, 2, true, &surveyed);
	assert_int_equal(surveyed.survey.records, 13);
	assert_int_equal(surveyed.survey.by_type[RECORD_COMM], 1);
	assert_int_equal(surveyed.survey.by_type[RECORD_MMAP2], 1);
	assert_int_equal(surveyed.survey.by_type[RECORD_SAMPLE], 9);
	assert_int_equal(surveyed.survey.by_type[RECORD_FINISHED_ROUND], 1);
	assert_int_equal(surveyed.survey.by_type[0], 1);
	assert_int_equal(surveyed.survey.by_event.at[0].samples, 5);
	assert_int_equal(surveyed.survey.by_event.at[1].samples, 4);
	assert_int_equal(surveyed.survey.damaged.n, 0);
	surveyed_deinit(&surveyed);
}

static void a_quick_survey_uses_the_counts_in_block_descriptions(
	void **state _unused_)
{
	const struct recording blocks = {
		.n_samples = 30, .n_events = 1, .per_block = 10
	};
	struct memory memory = { 0 };
	struct surveyed quick, full;
	size_t i;

	assert_no_error(make_recording(&blocks, &memory));
	survey_bytes(&memory.file, false, &quick);
	survey_bytes(&memory.file, true, &full);
	assert_int_equal(quick.survey.by_type[RECORD_SAMPLE], 30);
	assert_int_equal(quick.survey.by_type[RECORD_COMPRESSED], 4);
	for (i = 0; i < RECORD_END; i++)
		assert_int_equal(
			quick.survey.by_type[i], full.survey.by_type[i]);
	assert_int_equal(quick.survey.records, full.survey.records);
	assert_int_equal(full.survey.by_event.at[0].samples, 30);
	surveyed_deinit(&quick);
	surveyed_deinit(&full);
	memory_deinit(&memory);
}

static void a_record_without_its_trailer_is_counted_as_damage(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;

	make_comm(&data, 1, 1, "good", false, 100);
	record_write(&data, RECORD_COMM, 0, "short...", 8);
	survey_data(&data, 1, false, &surveyed);
	assert_int_equal(surveyed.survey.damaged.n, 1);
	assert_string_equal(comm_at(&surveyed, 100, 1), "good");
	surveyed_deinit(&surveyed);
}

static void a_recording_without_events_is_an_error(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf pipe = { 0 };
	struct survey survey;
	struct reader *reader;
	struct error *err;

	strbuf_put(&pipe, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	make_sideband(&pipe);
	make_samples(&pipe, 1, 0, 5);
	put_lost(&pipe, 100, 5, 100);
	assert_no_error(open_bytes(pipe.at, pipe.n, &reader));
	err = survey_run(reader, SURVEY_SAMPLES, &survey);
	assert_non_null(err);
	assert_string_equal(
		strchr(err->text, ':'), ": no events in the recording");
	error_free(err);
	reader_close(reader);
}

/* If an event comes late, earlier records are skipped without harm. */
static void an_event_can_come_after_its_records(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf pipe = { 0 }, attr = { 0 };
	struct surveyed surveyed;
	struct features host;

	make_host(&host, 1);
	make_perf_pipe(&host, &(struct strbuf){ 0 }, &attr);
	strbuf_put(&pipe, attr.at, 16);
	make_sideband(&pipe);
	make_samples(&pipe, 1, 0, 5000); /* more than a chunk */
	strbuf_put(&pipe, attr.at + 16, attr.n - 16);
	make_samples(&pipe, 1, 5000, 5010);
	survey_bytes(&pipe, true, &surveyed);
	assert_int_equal(surveyed.survey.by_type[RECORD_SAMPLE], 5010);
	surveyed_deinit(&surveyed);
	features_deinit(&host);
}

/* --- scan ----------------------------------------------------------------- */

static void scan_blocks(unsigned per_block, struct scan *ret)
{
	const struct recording blocks = {
		.n_samples = 1000, .n_events = 2, .per_block = per_block
	};
	const struct filter filter = { 0 };
	const struct scan_request request = {
		.wants_tid = true, .wants_chains = true, .filter = &filter
	};
	struct memory memory = { 0 };
	struct surveyed surveyed;

	assert_no_error(make_recording(&blocks, &memory));
	survey_bytes(&memory.file, false, &surveyed);
	GARBAGE(*ret);
	scan_run(surveyed.reader, &surveyed.survey, &request, ret);
	surveyed_deinit(&surveyed);
	memory_deinit(&memory);
}

/* The stacks that pass the filter, and the samples of each. */
static uint32_t count_stacks(const struct scan *scan, uint64_t *samples_ret)
{
	uint32_t n = 0, i;

	*samples_ret = 0;
	array_each(&scan->parts, part)
		for (i = 0; i < stacks_n(&part->table); i++) {
			const struct stack *stack = stacks_at(&part->table, i);

			if (part->table.contexts.at[stack->context].is_filtered)
				continue;
			n++;
			*samples_ret += stack->samples;
		}
	return n;
}

/* Blocks are read by as many threads as there are CPUs; plain data by one. */
static void several_scan_threads_count_the_same_as_one(void **state _unused_)
{
	struct scan scan;
	unsigned per_block;
	uint64_t samples;

	for (per_block = 0; per_block <= 50; per_block += 10) {
		scan_blocks(per_block, &scan);
		assert_int_equal(scan.by_event.n, 2);
		assert_int_equal(scan.by_event.at[0].samples, 500);
		assert_int_equal(scan.by_event.at[1].samples, 500);
		/* sum of 10 + I for even I, and for odd I */
		assert_int_equal(scan.by_event.at[0].period, 254500);
		assert_int_equal(scan.by_event.at[1].period, 255000);
		assert_int_equal(scan.damaged.n, 0);
		/* Each sample has its own address. */
		assert_int_equal(count_stacks(&scan, &samples), 1000);
		assert_int_equal(samples, 1000);
		scan_deinit(&scan);
	}
}

static void damaged_samples_are_counted(void **state _unused_)
{
	const struct filter filter = { 0 };
	const struct scan_request request = { .filter = &filter };
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;
	struct scan scan;

	make_samples(&data, 1, 0, 3);
	record_write(&data, RECORD_SAMPLE, MISC_USER, "short...", 8);
	survey_data(&data, 1, false, &surveyed);
	scan_run(surveyed.reader, &surveyed.survey, &request, &scan);
	assert_int_equal(scan.damaged.n, 1);
	assert_int_equal(scan.by_event.at[0].samples, 3);
	scan_deinit(&scan);
	surveyed_deinit(&surveyed);
}

static void filtered_samples_count_only_in_the_total(void **state _unused_)
{
	struct filter filter = { 0 };
	const struct scan_request request = { .filter = &filter };
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct surveyed surveyed;
	struct scan scan;
	uint64_t shown;

	make_sideband(&data);
	make_samples(&data, 1, 0, 9);
	survey_data(&data, 1, false, &surveyed);
	*array_push(&filter.tids.numbers) = MADE_PID + 1;
	scan_run(surveyed.reader, &surveyed.survey, &request, &scan);
	assert_int_equal(scan.by_event.at[0].samples, 9);
	count_stacks(&scan, &shown);
	assert_int_equal(shown, 3);
	scan_deinit(&scan);
	surveyed_deinit(&surveyed);
	filter_deinit(&filter);
}

static void truncated_recordings_are_surveyed_and_scanned(void **state _unused_)
{
	const struct recording blocks = {
		.n_samples = 12, .n_events = 2, .per_block = 5
	};
	const struct filter filter = { 0 };
	const struct scan_request request = { .wants_chains = true,
		.filter = &filter };
	struct memory memory = { 0 };
	size_t size;

	assert_no_error(make_recording(&blocks, &memory));
	for (size = 0; size < memory.file.n; size += 3) {
		struct reader *reader = NULL;
		struct survey survey;
		struct scan scan;
		struct error *err = open_bytes(memory.file.at, size, &reader);

		if (!err)
			err = survey_run(reader, SURVEY_SIDEBAND, &survey);
		if (!err) {
			uint64_t samples = 0;

			scan_run(reader, &survey, &request, &scan);
			array_each(&scan.by_event, totals)
				samples += totals->samples;
			assert_int_equal(
				samples, survey.by_type[RECORD_SAMPLE]);
			assert_int_equal(scan.damaged.n, 0);
			scan_deinit(&scan);
			survey_deinit(&survey);
		}
		error_free(err);
		reader_close(reader);
	}
	memory_deinit(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sideband_is_applied_in_the_order_of_time),
		cmocka_unit_test(
			sideband_of_equal_times_is_applied_in_file_order),
		cmocka_unit_test(a_data_mapping_replaces_a_code_mapping),
		cmocka_unit_test(
			records_without_times_are_applied_in_file_order),
		cmocka_unit_test(
			compressed_records_without_times_are_applied_in_file_order),
		cmocka_unit_test(samples_belong_to_the_mapping_of_their_time),
		cmocka_unit_test(lost_samples_are_counted_by_event),
		cmocka_unit_test(
			lost_and_lost_samples_records_do_not_count_samples_twice),
		cmocka_unit_test(a_full_survey_counts_every_record),
		cmocka_unit_test(
			a_quick_survey_uses_the_counts_in_block_descriptions),
		cmocka_unit_test(
			a_record_without_its_trailer_is_counted_as_damage),
		cmocka_unit_test(a_recording_without_events_is_an_error),
		cmocka_unit_test(an_event_can_come_after_its_records),
		cmocka_unit_test(several_scan_threads_count_the_same_as_one),
		cmocka_unit_test(damaged_samples_are_counted),
		cmocka_unit_test(filtered_samples_count_only_in_the_total),
		cmocka_unit_test(truncated_recordings_are_surveyed_and_scanned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
