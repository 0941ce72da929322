/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the mutators of the fuzz targets: most recordings that they write must
 * be undamaged, because fuzzing would otherwise stop at the checksums.
 */
#include "config.h"

#include "tests/fuzz/mutate.h"

#include "common/file/reader.h"
#include "common/util/alloc.h"
#include "tests/fuzz/parts.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

#define N_SAMPLES 40u
#define MUTATIONS 2000u
#define ROOM KIB(64)
#define SECTION "made"

/* Replaces libFuzzer's function: changes a byte, and sometimes appends one. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	static unsigned calls;

	calls++;
	if (size)
		data[calls % size] ^= (uint8_t)(1u << calls % 8);
	return calls % 3 == 0 && size < max ? size + 1 : size;
}

static void put_section_text(struct strbuf *raw)
{
	strbuf_fill(raw, 'x', 1000);
}

static void make_blocks(
	bool is_open, struct strbuf *section, struct memory *ret)
{
	struct recording recording = {
		.n_samples = N_SAMPLES,
		.n_events = 2,
		.per_block = 10,
		.is_open = is_open,
	};

	*ret = (struct memory){ 0 };
	put_section_text(section);
	recording.section = (struct writer_section){ SECTION, 1, *section };
	assert_no_error(make_recording(&recording, ret));
}

static void make_perf(bool is_pipe, struct strbuf *ret)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	struct features host;

	make_host(&host, 2);
	make_sideband(&data);
	make_samples(&data, 2, 0, N_SAMPLES);
	if (is_pipe)
		make_perf_pipe(&host, &data, ret);
	else
		make_perf_file(&host, &data, ret);
	features_deinit(&host);
}

/* --- unchanged ------------------------------------------------------------ */

static void put_again(const struct strbuf *file, struct strbuf *ret)
{
	struct parts parts;

	assert_true(parts_take((const uint8_t *)file->at, file->n, &parts));
	parts_put(&parts, ret);
	parts_deinit(&parts);
}

static void assert_same_records(const struct strbuf *a, const struct strbuf *b)
{
	const struct strbuf *files[] = { a, b };
	struct found found[2];
	size_t i;

	for (i = 0; i < 2; i++) {
		struct reader *reader = NULL;

		assert_no_error(open_bytes(files[i]->at, files[i]->n, &reader));
		find_all(reader, &found[i]);
		assert_null(reader_damage(reader));
		assert_int_equal(reader_n_events(reader), 2);
		reader_close(reader);
	}
	assert_int_equal(found[0].samples.n, N_SAMPLES);
	assert_int_equal(found[1].samples.n, N_SAMPLES);
	for (i = 0; i < N_SAMPLES; i++) {
		assert_int_equal(found[0].samples.at[i].sample.ip,
			found[1].samples.at[i].sample.ip);
		assert_int_equal(found[0].samples.at[i].event,
			found[1].samples.at[i].event);
	}
	assert_int_equal(found[0].records, found[1].records);
	found_deinit(&found[0]);
	found_deinit(&found[1]);
}

static void a_file_of_dwell_made_again_from_its_parts_is_the_same(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf section = { 0 }, again = { 0 };
	_cleanup_strbuf_ struct strbuf read = { 0 };
	struct reader *reader = NULL;
	struct memory memory;

	make_blocks(false, &section, &memory);
	put_again(&memory.file, &again);
	assert_same_records(&memory.file, &again);
	assert_no_error(open_bytes(again.at, again.n, &reader));
	assert_true(reader_section(reader, SECTION, 1, &read));
	assert_int_equal(read.n, section.n);
	assert_memory_equal(read.at, section.at, section.n);
	assert_string_equal(reader_features(reader)->hostname, "made");
	reader_close(reader);
	memory_deinit(&memory);
}

static void assert_put_again(const struct strbuf *file)
{
	_cleanup_strbuf_ struct strbuf again = { 0 };

	put_again(file, &again);
	assert_same_records(file, &again);
}

static void streams_and_files_of_perf_made_from_their_parts_are_the_same(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf section = { 0 }, perf = { 0 };
	_cleanup_strbuf_ struct strbuf pipe = { 0 };
	struct memory memory;

	make_blocks(true, &section, &memory);
	assert_put_again(&memory.file);
	memory_deinit(&memory);
	make_perf(false, &perf);
	assert_put_again(&perf);
	make_perf(true, &pipe);
	assert_put_again(&pipe);
}

/* --- changed -------------------------------------------------------------- */

/* Returns true if no block, section or table of a recording is damaged. */
static bool is_sound(const uint8_t *data, size_t size)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct reader *reader = NULL;
	struct error *err = open_bytes(data, size, &reader);
	struct found found;
	bool is_whole;
	size_t i;

	if (err) {
		error_free(err);
		return false;
	}
	find_all(reader, &found);
	is_whole = !reader_damage(reader);
	for (i = 0; is_whole && i < reader_n_sections(reader); i++) {
		const struct section *section = reader_section_at(reader, i);

		strbuf_clear(&raw);
		is_whole = reader_section(
			reader, section->name, section->version, &raw);
	}
	found_deinit(&found);
	reader_close(reader);
	return is_whole;
}

struct outcome {
	size_t changed, sound;
};

static struct outcome mutate_often(const struct strbuf *file)
{
	_cleanup_free_ uint8_t *data = xmalloc(ROOM);
	struct outcome outcome = { 0 };
	unsigned seed;

	for (seed = 0; seed < MUTATIONS; seed++) {
		size_t size;

		memcpy(data, file->at, file->n);
		size = mutate_recording(data, file->n, ROOM, seed);
		assert_in_range(size, 1, ROOM);
		outcome.changed +=
			size != file->n || memcmp(data, file->at, size) != 0;
		outcome.sound += is_sound(data, size);
	}
	print_message("%zu of %u changed, %zu sound\n", outcome.changed,
		MUTATIONS, outcome.sound);
	return outcome;
}

/* One change in eight is of a random byte, which usually damages the file. */
static void assert_mostly_sound(struct outcome outcome)
{
	assert_in_range(outcome.changed, MUTATIONS * 9 / 10, MUTATIONS);
	assert_in_range(outcome.sound, MUTATIONS * 6 / 10, MUTATIONS);
}

static void most_mutated_recordings_are_undamaged(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf section = { 0 }, section2 = { 0 };
	_cleanup_strbuf_ struct strbuf perf = { 0 };
	struct memory file, stream;

	make_blocks(false, &section, &file);
	assert_mostly_sound(mutate_often(&file.file));
	make_blocks(true, &section2, &stream);
	assert_mostly_sound(mutate_often(&stream.file));
	make_perf(false, &perf);
	assert_mostly_sound(mutate_often(&perf));
	memory_deinit(&file);
	memory_deinit(&stream);
}

/* Counts recordings whose section was changed and is still read. */
static void mutated_sections_have_a_valid_checksum(void **state _unused_)
{
	_cleanup_free_ uint8_t *data = xmalloc(ROOM);
	_cleanup_strbuf_ struct strbuf section = { 0 };
	struct memory memory;
	unsigned seed, reached = 0;

	make_blocks(false, &section, &memory);
	for (seed = 0; seed < MUTATIONS; seed++) {
		_cleanup_strbuf_ struct strbuf raw = { 0 };
		struct reader *reader = NULL;
		struct error *err;
		size_t size;

		memcpy(data, memory.file.at, memory.file.n);
		size = mutate_recording(data, memory.file.n, ROOM, seed);
		err = open_bytes(data, size, &reader);
		if (!err && reader_section(reader, SECTION, 1, &raw))
			reached += raw.n != section.n ||
				memcmp(raw.at, section.at, raw.n) != 0;
		error_free(err);
		reader_close(reader);
	}
	assert_in_range(reached, MUTATIONS / 4, MUTATIONS);
	memory_deinit(&memory);
}

static void crossed_recordings_have_records_of_both(void **state _unused_)
{
	_cleanup_free_ uint8_t *data = xmalloc(ROOM);
	_cleanup_strbuf_ struct strbuf section = { 0 }, perf = { 0 };
	struct memory memory;
	unsigned seed, with_section = 0;

	make_blocks(false, &section, &memory);
	make_perf(false, &perf);
	for (seed = 0; seed < 100; seed++) {
		_cleanup_strbuf_ struct strbuf raw = { 0 };
		struct reader *reader = NULL;
		size_t size = mutate_cross((const uint8_t *)perf.at, perf.n,
			(const uint8_t *)memory.file.at, memory.file.n, data,
			ROOM, seed);

		assert_true(is_sound(data, size));
		assert_no_error(open_bytes(data, size, &reader));
		with_section += reader_section(reader, SECTION, 1, &raw);
		reader_close(reader);
	}
	assert_in_range(with_section, 10, 90);
	memory_deinit(&memory);
}

static void bytes_that_are_no_recording_are_mutated_too(void **state _unused_)
{
	uint8_t data[16] = "no recording";

	assert_in_range(
		mutate_recording(data, 12, sizeof(data), 1), 1, sizeof(data));
	assert_memory_not_equal(data, "no recording", 12);
	assert_int_equal(mutate_cross(data, 12, data, 12, data, 16, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_file_of_dwell_made_again_from_its_parts_is_the_same),
		cmocka_unit_test(
			streams_and_files_of_perf_made_from_their_parts_are_the_same),
		cmocka_unit_test(most_mutated_recordings_are_undamaged),
		cmocka_unit_test(mutated_sections_have_a_valid_checksum),
		cmocka_unit_test(crossed_recordings_have_records_of_both),
		cmocka_unit_test(bytes_that_are_no_recording_are_mutated_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
