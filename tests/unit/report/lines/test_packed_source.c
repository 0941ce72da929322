/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source text in a recording, and damage. */
#include "config.h"

#include "report/lines/packed_source.h"

#include "tests/unit/testing.h"

static void put_lines(
	struct packed_source_builder *builder, uint32_t first, const char *text)
{
	for (; *text; first++) {
		size_t size = strcspn(text, "\n");

		packed_source_builder_add(builder, first, text, size);
		text += size + 1;
	}
}

static void put_two(struct strbuf *out)
{
	struct packed_source_builder builder = { 0 };

	packed_source_begin(2, out);
	put_lines(&builder, 3, "int main(void)\n{\n\n}\n");
	put_lines(&builder, 10, "/* the end */\n");
	assert_int_equal(builder.stretches.n, 2);
	packed_source_put("/src/a.c", &builder, out);
	put_lines(&builder, 1, "first\nsecond\n");
	packed_source_put("/src/b", &builder, out);
}

static const char *line_of(
	const struct packed_source *packed, const char *file, uint32_t line)
{
	static char text[64];
	size_t size;
	const char *at = packed_source_find(packed, file, line, &size);

	if (!at)
		return NULL;
	assert_true(size < sizeof(text));
	snprintf(text, sizeof(text), "%.*s", (int)size, at);
	return text;
}

static void packed_source_lines_belong_to_their_file(void **state _unused_)
{
	struct strbuf section = { 0 };
	struct packed_source *packed;

	put_two(&section);
	packed = packed_source_read(&section);
	assert_null(section.at);
	assert_string_equal(line_of(packed, "/src/a.c", 3), "int main(void)");
	assert_string_equal(line_of(packed, "/src/a.c", 5), "");
	assert_string_equal(line_of(packed, "/src/a.c", 6), "}");
	assert_string_equal(line_of(packed, "/src/a.c", 10), "/* the end */");
	assert_string_equal(line_of(packed, "/src/b", 2), "second");
	assert_null(line_of(packed, "/src/a.c", 0));
	assert_null(line_of(packed, "/src/a.c", 2));
	assert_null(line_of(packed, "/src/a.c", 7));
	assert_null(line_of(packed, "/src/a.c", UINT32_MAX));
	assert_null(line_of(packed, "/src/b", 3));
	assert_null(line_of(packed, "/src/c", 1));
	packed_source_destroy(packed);
}

static void ask_damaged(
	const struct strbuf *whole, size_t size, size_t place, uint8_t change)
{
	struct strbuf section = { 0 };
	struct packed_source *packed;
	uint32_t line;
	size_t length, sum = 0;

	section.at = (char *)exact_copy(whole->at, size);
	section.n = size;
	if (place < size)
		section.at[place] = (char)(section.at[place] ^ change);
	packed = packed_source_read(&section);
	for (line = 0; line < 300; line++) {
		const char *at =
			packed_source_find(packed, "/src/a.c", line, &length);

		while (at && length)
			sum += (uint8_t)at[--length];
	}
	assert_true(sum < SIZE_MAX);
	packed_source_destroy(packed);
}

static void reading_damaged_source_sections_is_harmless(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };

	put_two(&whole);
	check_each_damage(&whole, ask_damaged);
}

/* No recording has so many lines. */
static void a_source_file_with_too_many_packed_lines_is_not_read(
	void **state _unused_)
{
	struct strbuf section = { 0 };
	struct packed_source_builder builder = { 0 };
	struct packed_source *packed;

	packed_source_begin(1, &section);
	*array_push(&builder.stretches) =
		(struct packed_stretch){ 1, PACKED_SOURCE_LINES_MAX + 1 };
	strbuf_fill(&builder.text, '\n', PACKED_SOURCE_LINES_MAX + 1);
	packed_source_put("/src/a.c", &builder, &section);
	packed = packed_source_read(&section);
	assert_null(line_of(packed, "/src/a.c", 1));
	packed_source_destroy(packed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_source_lines_belong_to_their_file),
		cmocka_unit_test(reading_damaged_source_sections_is_harmless),
		cmocka_unit_test(
			a_source_file_with_too_many_packed_lines_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
