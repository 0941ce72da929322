/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/resync.h"
#include "common/util/alloc.h"
#include "tests/made/made.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

#define SAMPLES                                                           \
	"event name=cycles type=hardware sample_type=IP|TID|TIME ids=1\n" \
	"record SAMPLE ip=0x400100 pid=7 time=1 times=100\n"
#define MORE "record SAMPLE ip=0x400200 pid=7 time=2 times=50\n"
/* A record with an invalid size. */
#define SIZELESS "bytes 0900000000000000\n"
#define ZEROS_8 " 0000000000000000"
#define ZEROS_64 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8

/* Reads the file that TEXT makes. Returns the number of samples. */
static size_t count_samples(const char *text, bool is_big, char **damage_ret)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct reader *reader = NULL;
	struct found found;
	size_t n;

	assert_null(made_file(text, is_big, &data));
	assert_null(open_bytes(data.at, data.n, &reader));
	find_all(reader, &found);
	n = found.samples.n;
	found_deinit(&found);
	find_again(reader, &found);
	assert_int_equal(found.samples.n, n);
	found_deinit(&found);
	*damage_ret =
		xstrdup(reader_damage(reader) ? reader_damage(reader) : "none");
	reader_close(reader);
	return n;
}

static void assert_costs(const char *text, size_t n, const char *damage)
{
	int is_big;

	for (is_big = 0; is_big < 2; is_big++) {
		_cleanup_free_ char *damage_found = NULL;

		assert_int_equal(count_samples(text, is_big, &damage_found), n);
		assert_memory_equal(damage_found, damage, strlen(damage));
	}
}

static void an_undamaged_file_is_read_completely(void **state _unused_)
{
	assert_costs("file\n" SAMPLES MORE, 150, "none");
}

static void a_record_of_invalid_size_is_skipped(void **state _unused_)
{
	assert_costs("file\n" SAMPLES SIZELESS MORE, 150,
		"8 bytes are not records at byte 3440 of 5048");
}

static void zeros_between_records_are_skipped(void **state _unused_)
{
	assert_costs("file\n" SAMPLES "bytes" ZEROS_64 ZEROS_64 "\n" MORE, 150,
		"128 bytes are not records at byte 3440 of 5168");
}

static void zeros_at_the_end_of_a_file_lose_no_sample(void **state _unused_)
{
	assert_costs("file\n" SAMPLES "bytes" ZEROS_64 "\n", 100,
		"there is no record at byte 3440 of 3504");
}

static void compressed_records_behind_damage_are_read(void **state _unused_)
{
	assert_costs("file\n" SAMPLES "compressed 81\n" MORE "bytes" ZEROS_64
		     "\n" MORE SIZELESS MORE,
		250, "decompressed bytes are not records at byte 3440 of ");
}

/* A hole as large as a window. */
static void zeros_as_large_as_a_read_window_are_skipped(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	uint8_t records[8 * 32];
	struct reader *reader = NULL;
	struct found found;

	assert_null(made_file(
		"file data_size=0\n"
		"event name=cycles type=hardware sample_type=IP|TID|TIME\n"
		"record SAMPLE ip=1 times=10\n",
		false, &data));
	memcpy(records, data.at + data.n - sizeof(records), sizeof(records));
	strbuf_fill(&data, 0, MIB(1));
	strbuf_put(&data, records, sizeof(records));
	assert_null(open_bytes(data.at, data.n, &reader));
	find_all(reader, &found);
	assert_int_equal(found.samples.n, 18);
	found_deinit(&found);
	reader_close(reader);
}

static void no_record_is_found_in_random_bytes(void **state _unused_)
{
	uint8_t bytes[4096];
	uint64_t seed = 1;
	size_t i;

	for (i = 0; i < sizeof(bytes); i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1;
		bytes[i] = (uint8_t)(seed >> 56);
	}
	assert_int_equal(
		resync_find(bytes, sizeof(bytes), false), sizeof(bytes));
	assert_int_equal(resync_find(bytes, 1, false), 1);
	assert_int_equal(resync_find(bytes, 0, false), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_undamaged_file_is_read_completely),
		cmocka_unit_test(a_record_of_invalid_size_is_skipped),
		cmocka_unit_test(zeros_between_records_are_skipped),
		cmocka_unit_test(zeros_at_the_end_of_a_file_lose_no_sample),
		cmocka_unit_test(compressed_records_behind_damage_are_read),
		cmocka_unit_test(zeros_as_large_as_a_read_window_are_skipped),
		cmocka_unit_test(no_record_is_found_in_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
