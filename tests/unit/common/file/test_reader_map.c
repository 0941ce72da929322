/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/file/reader.h"
#include "common/util/alloc.h"
#include "tests/made/made.h"
#include "tests/unit/testing.h"

#define SAMPLES 4000u

/* Writes a recording with stack copies, at least 128 bytes per sample. */
static void make_file(char *path)
{
	_cleanup_strbuf_ struct strbuf text = { 0 }, data = { 0 };
	unsigned i;
	int fd;

	strbuf_puts(&text,
		"file\nevent name=clock type=software ids=1 "
		"sample_type=IP|TID|TIME|REGS_USER|STACK_USER "
		"sample_regs_user=0xff0fff sample_stack_user=64\n");
	for (i = 0; i < SAMPLES; i++) {
		strbuf_printf(&text,
			"record SAMPLE ip=0x400000 pid=7 time=%u "
			"regs_user_abi=none stack=\"'0123456789abcdef'\"\n",
			i);
		if (i % 3 == 0)
			strbuf_printf(
				&text, "record COMM pid=7 tid=7 comm=n%u\n", i);
		if (i % 500 == 0)
			strbuf_puts(&text, "record FINISHED_ROUND\n");
	}
	assert_null(made_file(text.at, false, &data));
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data.at, data.n), data.n);
	close(fd);
}

static size_t count_samples(struct reader *reader)
{
	struct record record;
	struct reader_chunk chunk;
	size_t n = 0, at;

	while (reader_next(reader, BLOCK_MIXED, &chunk) == 0)
		for (at = 0; record_at(
			     chunk.data + at, chunk.size - at, false, &record);
			at += record.size)
			n += record.type == RECORD_SAMPLE;
	return n;
}

static void a_mapped_file_of_many_windows_has_all_samples(void **state)
{
	char path[] = "test_reader_map.XXXXXX";
	struct reader *reader;

	(void)state;
	make_file(path);
	assert_null(reader_open(path, &reader));
	assert_int_equal(count_samples(reader), SAMPLES);
	assert_null(reader_damage(reader));
	reader_close(reader);
	unlink(path);
}

/* The content of samples differs; all records between are complete. */
static void reader_skim_keeps_all_sideband_records(void **state)
{
	struct strbuf found[2] = { 0 };
	char path[] = "test_reader_map.XXXXXX";
	struct reader *reader;
	struct record record;
	struct reader_chunk chunk;
	size_t samples[2] = { 0 }, at, i;

	(void)state;
	make_file(path);
	for (i = 0; i < 2; i++) {
		assert_null(reader_open(path, &reader));
		if (i)
			reader_skim(reader);
		while (reader_next(reader, BLOCK_SIDEBAND, &chunk) == 0)
			for (at = 0; record_at(chunk.data + at, chunk.size - at,
				     false, &record);
				at += record.size)
				if (record.type == RECORD_SAMPLE)
					samples[i]++;
				else
					strbuf_put(&found[i], record.data,
						record.size);
		assert_null(reader_damage(reader));
		reader_close(reader);
	}
	unlink(path);
	assert_int_equal(samples[1], samples[0]);
	assert_int_equal(found[1].n, found[0].n);
	assert_memory_equal(found[1].at, found[0].at, found[0].n);
	strbuf_free(&found[0]);
	strbuf_free(&found[1]);
}

static void a_file_truncated_while_it_is_read_ends_at_the_truncation(
	void **state)
{
	char path[] = "test_reader_map.XXXXXX";
	struct reader *reader;
	size_t n;

	(void)state;
	make_file(path);
	assert_null(reader_open(path, &reader));
	assert_int_equal(truncate(path, 64 * 1024), 0);
	n = count_samples(reader);
	assert_true(n > 0 && n < SAMPLES);
	assert_non_null(reader_damage(reader));
	reader_close(reader);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/*
		 * First, because each test starts with cmocka's own signal
		 * handlers.
		 */
		cmocka_unit_test(
			a_file_truncated_while_it_is_read_ends_at_the_truncation),
		cmocka_unit_test(a_mapped_file_of_many_windows_has_all_samples),
		cmocka_unit_test(reader_skim_keeps_all_sideband_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
