/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/section.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

static void put_noise(struct strbuf *raw, size_t n)
{
	uint64_t x = 88172645463325252; /* xorshift64, Marsaglia */

	while (n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		strbuf_putc(raw, (char)(x >> 32));
	}
}

/* Every reader skips the records of a section. */
static size_t count_records(const struct strbuf *out)
{
	struct record record;
	size_t at = 0, n = 0;

	while (at < out->n) {
		uint64_t first;

		assert_true(record_at(
			(uint8_t *)out->at + at, out->n - at, false, &record));
		assert_int_equal(record.type, RECORD_HEADER_EVENT_TYPE);
		assert_int_equal(record.size % 8, 0);
		assert_in_range(record.size, 80, RECORD_SIZE_ALIGNED);
		memcpy(&first, record.data + 8, 8);
		assert_int_equal(first, 0);
		at += record.size;
		n++;
	}
	assert_int_equal(at, out->n);
	return n;
}

static void section_wrap_splits_bytes_into_records_that_readers_skip(
	void **state _unused_)
{
	static const struct {
		size_t size, records;
	} cases[] = { { 0, 1 }, { 1, 1 }, { 64, 1 }, { 65, 1 }, { 65511, 1 },
		{ 65512, 1 }, { 65513, 2 }, { 131024, 2 }, { 131025, 3 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf raw = { 0 }, out = { 0 };

		put_noise(&raw, cases[i].size);
		assert_int_equal(section_wrap(&out, raw.at, raw.n), 16);
		assert_int_equal(count_records(&out), cases[i].records);
		assert_memory_equal(
			out.at + 16, raw.at ? raw.at : "", MIN(raw.n, 65512ul));
	}
}

static void assert_round_trip(const struct strbuf *raw)
{
	_cleanup_strbuf_ struct strbuf out = { 0 }, again = { 0 };
	struct section section;
	uint8_t *copy;

	strbuf_puts(&out, "before..");
	GARBAGE(section);
	section_write(&out, 1000, "name", 3, raw, &section);
	assert_string_equal(section.name, "name");
	assert_int_equal(section.version, 3);
	assert_int_equal(section.offset, 1008);
	assert_int_equal(section.raw_size, raw->n);
	assert_int_equal(section_span(&section), out.n - 8);
	copy = exact_copy(out.at + 8, out.n - 8);
	assert_true(section_read(&section, copy, out.n - 8, &again));
	assert_int_equal(again.n, raw->n);
	assert_memory_equal(again.at, raw->at ? raw->at : "", raw->n);
	free(copy);
}

static void a_section_is_read_as_it_was_written(void **state _unused_)
{
	static const size_t sizes[] = { 0, 1, 100, 65000, 65512, 65513, 131100,
		1000000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_strbuf_ struct strbuf raw = { 0 }, zeros = { 0 };

		put_noise(&raw, sizes[i]);
		assert_round_trip(&raw);
		strbuf_fill(&zeros, 0, sizes[i]);
		assert_round_trip(&zeros);
	}
}

static void a_section_name_is_cut_to_15_characters(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, out = { 0 };
	struct section section;

	section_write(&out, 0, "a-name-of-more-than-15", 1, &raw, &section);
	assert_string_equal(section.name, "a-name-of-more-");
}

static void damaged_sections_are_refused_without_a_crash(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, out = { 0 };
	struct section section;
	size_t i, noticed = 0;

	put_noise(&raw, 200);
	section_write(&out, 0, "name", 1, &raw, &section);
	for (i = 0; i < 8 * out.n; i++) {
		_cleanup_strbuf_ struct strbuf again = { 0 };
		bool ok;

		out.at[i / 8] ^= (char)(1u << i % 8);
		ok = section_read(&section, (uint8_t *)out.at, out.n, &again);
		out.at[i / 8] ^= (char)(1u << i % 8);
		/*
		 * Some bits have no meaning, but the data must stay the same.
		 */
		if (ok)
			assert_memory_equal(again.at, raw.at, raw.n);
		noticed += !ok;
	}
	/* All bits of the frame but one, and of the record's type. */
	assert_true(noticed >= 8 * section.stored_size + 31);
}

static void truncated_sections_are_refused_at_every_length(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, out = { 0 };
	struct section section;
	size_t size;

	put_noise(&raw, 200);
	section_write(&out, 0, "name", 1, &raw, &section);
	for (size = 0; size < out.n; size++) {
		_cleanup_strbuf_ struct strbuf again = { 0 };
		uint8_t *copy = exact_copy(out.at, size);

		assert_false(section_read(&section, copy, size, &again));
		free(copy);
	}
}

static void truncated_sections_of_many_records_are_refused(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, out = { 0 };
	struct section section;
	size_t border, size;

	put_noise(&raw, 150000);
	section_write(&out, 0, "name", 1, &raw, &section);
	assert_int_equal(count_records(&out), 3);
	for (border = 0; border < out.n; border += RECORD_SIZE_ALIGNED) {
		for (size = border; size < border + 40; size++) {
			_cleanup_strbuf_ struct strbuf again = { 0 };
			uint8_t *copy = exact_copy(out.at, size);

			assert_false(
				section_read(&section, copy, size, &again));
			free(copy);
		}
	}
}

static void a_section_whose_directory_entry_is_wrong_is_refused(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 }, out = { 0 };
	_cleanup_strbuf_ struct strbuf again = { 0 };
	struct section section, wrong;

	put_noise(&raw, 200);
	section_write(&out, 0, "name", 1, &raw, &section);
	wrong = section;
	wrong.raw_size--;
	assert_false(section_read(&wrong, (uint8_t *)out.at, out.n, &again));
	wrong = section;
	wrong.raw_size = SECTION_RAW_MAX;
	assert_false(section_read(&wrong, (uint8_t *)out.at, out.n, &again));
	wrong = section;
	wrong.checksum++;
	assert_false(section_read(&wrong, (uint8_t *)out.at, out.n, &again));
	wrong = section;
	wrong.stored_size--;
	assert_false(section_read(&wrong, (uint8_t *)out.at, out.n, &again));
}

static void a_section_of_invalid_size_spans_no_bytes(void **state _unused_)
{
	struct section section = { .stored_size = 0 };

	assert_int_equal(section_span(&section), 0);
	section.stored_size = SECTION_RAW_MAX + 1;
	assert_int_equal(section_span(&section), 0);
	section.stored_size = UINT64_MAX;
	assert_int_equal(section_span(&section), 0);
	section.stored_size = 100;
	section.raw_size = SECTION_RAW_MAX + 1;
	assert_int_equal(section_span(&section), 0);
	section.raw_size = 100;
	assert_int_equal(section_span(&section), 120);
}

static void a_section_directory_is_read_as_it_was_written(void **state _unused_)
{
	const struct section sections[2] = {
		{ "symbols", 1, 1000, 2000, 3000, 4000 },
		{ "fifteen-letters", 7, UINT64_MAX, 2, 3, 4 },
	};
	struct section found[SECTIONS_MAX];
	_cleanup_strbuf_ struct strbuf out = { 0 };

	section_directory_write(sections, 2, &out);
	GARBAGE(found);
	assert_int_equal(
		section_directory_read(bytes_of(out.at, out.n, false), found),
		2);
	assert_string_equal(found[0].name, "symbols");
	assert_int_equal(found[0].version, 1);
	assert_int_equal(found[0].offset, 1000);
	assert_int_equal(found[0].stored_size, 2000);
	assert_int_equal(found[0].raw_size, 3000);
	assert_int_equal(found[0].checksum, 4000);
	assert_string_equal(found[1].name, "fifteen-letters");
	assert_true(found[1].offset == UINT64_MAX);
}

static void a_section_directory_of_a_wrong_size_is_refused(
	void **state _unused_)
{
	struct section sections[SECTIONS_MAX + 1] = { 0 };
	struct section found[SECTIONS_MAX];
	_cleanup_strbuf_ struct strbuf out = { 0 };

	section_directory_write(sections, SECTIONS_MAX + 1, &out);
	assert_int_equal(
		section_directory_read(bytes_of(out.at, out.n, false), found),
		-1);
	assert_int_equal(
		section_directory_read(bytes_of(out.at, 57, false), found), -1);
	assert_int_equal(
		section_directory_read(bytes_of(out.at, 0, false), found), 0);
	assert_int_equal(
		section_directory_read(
			bytes_of(out.at,
				out.n / (SECTIONS_MAX + 1) * SECTIONS_MAX,
				false),
			found),
		SECTIONS_MAX);
}

static void names_in_a_section_directory_are_always_terminated(
	void **state _unused_)
{
	const struct section section = { "name", 1, 2, 3, 4, 5 };
	struct section found[SECTIONS_MAX];
	_cleanup_strbuf_ struct strbuf out = { 0 };

	section_directory_write(&section, 1, &out);
	memset(out.at, 'x', SECTION_NAME_MAX);
	assert_int_equal(
		section_directory_read(bytes_of(out.at, out.n, false), found),
		1);
	assert_string_equal(found[0].name, "xxxxxxxxxxxxxxx");
}

static const struct section_trailer some_trailer = {
	.directory_offset = 1,
	.directory_size = 2,
	.data_offset = 3,
	.data_size = UINT64_C(0x123456789a),
};

static void a_trailer_is_read_as_it_was_written(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct section_trailer found;

	strbuf_puts(&out, "before");
	section_trailer_write(&some_trailer, &out);
	assert_int_equal(out.n, 6 + TRAILER_SIZE);
	GARBAGE(found);
	assert_true(section_trailer_read(
		bytes_of(out.at + 6, TRAILER_SIZE, false), &found));
	assert_int_equal(found.directory_offset, 1);
	assert_int_equal(found.directory_size, 2);
	assert_int_equal(found.data_offset, 3);
	assert_int_equal(found.data_size, 0x123456789a);
}

static void a_trailer_with_a_changed_bit_is_refused(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct section_trailer found;
	unsigned i;

	section_trailer_write(&some_trailer, &out);
	for (i = 0; i < 8 * TRAILER_SIZE; i++) {
		out.at[i / 8] ^= (char)(1u << i % 8);
		assert_false(section_trailer_read(
			bytes_of(out.at, TRAILER_SIZE, false), &found));
		out.at[i / 8] ^= (char)(1u << i % 8);
	}
}

static void a_trailer_of_another_size_is_refused(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct section_trailer found;

	section_trailer_write(&some_trailer, &out);
	strbuf_fill(&out, 0, 8);
	assert_false(section_trailer_read(bytes_of(out.at, 0, false), &found));
	assert_false(section_trailer_read(
		bytes_of(out.at, TRAILER_SIZE - 1, false), &found));
	assert_false(section_trailer_read(
		bytes_of(out.at, TRAILER_SIZE + 1, false), &found));
}

static void the_checksum_of_a_section_is_fnv_1a(void **state _unused_)
{
	assert_true(section_checksum("", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(section_checksum("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(
		section_checksum("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			section_wrap_splits_bytes_into_records_that_readers_skip),
		cmocka_unit_test(a_section_is_read_as_it_was_written),
		cmocka_unit_test(a_section_name_is_cut_to_15_characters),
		cmocka_unit_test(damaged_sections_are_refused_without_a_crash),
		cmocka_unit_test(
			truncated_sections_are_refused_at_every_length),
		cmocka_unit_test(
			truncated_sections_of_many_records_are_refused),
		cmocka_unit_test(
			a_section_whose_directory_entry_is_wrong_is_refused),
		cmocka_unit_test(a_section_of_invalid_size_spans_no_bytes),
		cmocka_unit_test(a_section_directory_is_read_as_it_was_written),
		cmocka_unit_test(
			a_section_directory_of_a_wrong_size_is_refused),
		cmocka_unit_test(
			names_in_a_section_directory_are_always_terminated),
		cmocka_unit_test(a_trailer_is_read_as_it_was_written),
		cmocka_unit_test(a_trailer_with_a_changed_bit_is_refused),
		cmocka_unit_test(a_trailer_of_another_size_is_refused),
		cmocka_unit_test(the_checksum_of_a_section_is_fnv_1a),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
