/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines in a recording: the DSO that they belong to, and damage. */
#include "config.h"

#include "common/maps/maps.h"
#include "report/lines/line_builder.h"
#include "report/lines/lines.h"

#include "tests/unit/testing.h"

static const struct build_id first_id = { .size = 20, .bytes = { 1, 2, 3 } };
static const struct build_id other_id = { .size = 20, .bytes = { 1, 2, 4 } };
static const struct build_id no_id;

/* Adds code from START on: line LINE of /src/NAME.c. */
static struct line_unit *make_unit(
	uint64_t start, const char *name, uint32_t line)
{
	_cleanup_free_ char *file = xasprintf("/src/%s.c", name);
	struct line_builder builder;
	struct line_unit *unit;

	line_builder_init(&builder, start);
	line_builder_row(
		&builder, start, line_builder_text(&builder, file), line);
	unit = line_builder_finish(&builder);
	line_builder_deinit(&builder);
	return unit;
}

static void put(const struct dso *dso, const struct build_id *id,
	const char *name, uint32_t line, struct strbuf *out)
{
	_cleanup_free_ struct line_unit *unit = make_unit(0x1000, name, line);

	packed_dsos_put(dso, id, unit, line_unit_size(unit), out);
}

static void put_three(struct strbuf *out)
{
	const struct dso file = { .path = (char *)"/bin/a" };
	const struct dso old = { .path = (char *)"/bin/b",
		.inode = 5, .major = 8, .generation = 1 };
	const struct dso made = { .path = (char *)"//anon", .pid = 7 };

	packed_dsos_begin(3, out);
	put(&file, &first_id, "a", 11, out);
	put(&old, &no_id, "b", 12, out);
	put(&made, &no_id, "c", 13, out);
}

/* Returns 0 if there is none. */
static uint32_t line_of(const struct packed_dsos *packed,
	const struct dso *dso, const struct build_id *id)
{
	const struct line_unit *unit = packed_dsos_find(packed, dso, id);
	struct line_frame frames[LINE_DEPTH_MAX];

	return unit && line_unit_frames(unit, 0x1001, frames) == 1
		? frames->line
		: 0;
}

static void units_belong_to_their_dso(void **state _unused_)
{
	struct strbuf section = { 0 };
	struct packed_dsos *packed;
	struct dso dso = { .path = (char *)"/bin/a" };

	put_three(&section);
	packed = packed_lines_read(&section);
	assert_null(section.at);
	assert_int_equal(line_of(packed, &dso, &first_id), 11);
	assert_int_equal(line_of(packed, &dso, &other_id), 0);
	assert_int_equal(line_of(packed, &dso, &no_id), 0);
	dso = (struct dso){ .path = (char *)"/bin/b",
		.inode = 5, .major = 8, .generation = 1 };
	assert_int_equal(line_of(packed, &dso, &no_id), 12);
	dso.generation = 2;
	assert_int_equal(line_of(packed, &dso, &no_id), 0);
	dso = (struct dso){ .path = (char *)"//anon", .pid = 7 };
	assert_int_equal(line_of(packed, &dso, &no_id), 13);
	dso.pid = 8;
	assert_int_equal(line_of(packed, &dso, &no_id), 0);
	packed_dsos_destroy(packed);
}

/* Damaged units must not contain invalid offsets. */
static void ask_damaged(const struct strbuf *whole, size_t size, size_t at,
	uint8_t change)
{
	const struct dso dso = { .path = (char *)"/bin/a" };
	struct strbuf section = { 0 };
	struct packed_dsos *packed;

	strbuf_put(&section, whole->at, size);
	if (at < size)
		section.at[at] = (char)(section.at[at] ^ change);
	packed = packed_lines_read(&section);
	line_of(packed, &dso, &first_id);
	packed_dsos_destroy(packed);
}

static void damaged_units_are_left_out(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };

	put_three(&whole);
	check_each_damage(&whole, ask_damaged);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_belong_to_their_dso),
		cmocka_unit_test(damaged_units_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
