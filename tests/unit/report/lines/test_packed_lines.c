/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines in a recording: the DSO that they belong to, and damage. */
#include "config.h"

#include "common/file/line_builder.h"
#include "common/maps/maps.h"
#include "report/lines/packed_lines.h"

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
		.inode = 5,
		.major = 8,
		.generation = 1 };
	const struct dso made = { .path = (char *)"//anon", .pid = 7 };

	packed_dsos_begin(3, out);
	put(&file, &first_id, "a", 11, out);
	put(&old, &no_id, "b", 12, out);
	put(&made, &no_id, "c", 13, out);
}

/* Returns 0 if there is none. */
static uint32_t line_of(const struct packed_dsos *packed, const struct dso *dso,
	const struct build_id *id)
{
	const struct line_unit *unit = packed_dsos_find(packed, dso, id);
	struct line_frame frames[LINE_DEPTH_MAX];

	return unit && line_unit_frames(unit, 0x1001, frames) == 1
		? frames->line
		: 0;
}

static void packed_lines_belong_to_the_dso_of_path_and_build_id(
	void **state _unused_)
{
	struct strbuf section = { 0 };
	struct packed_dsos *packed;
	struct dso dso = { .path = (char *)"/bin/a" };

	put_three(&section);
	packed = packed_lines_read(&section, PACKED_LINES_VERSION);
	assert_null(section.at);
	assert_int_equal(line_of(packed, &dso, &first_id), 11);
	assert_int_equal(line_of(packed, &dso, &other_id), 0);
	assert_int_equal(line_of(packed, &dso, &no_id), 0);
	dso = (struct dso){ .path = (char *)"/bin/b",
		.inode = 5,
		.major = 8,
		.generation = 1 };
	assert_int_equal(line_of(packed, &dso, &no_id), 12);
	dso.generation = 2;
	assert_int_equal(line_of(packed, &dso, &no_id), 0);
	dso = (struct dso){ .path = (char *)"//anon", .pid = 7 };
	assert_int_equal(line_of(packed, &dso, &no_id), 13);
	dso.pid = 8;
	assert_int_equal(line_of(packed, &dso, &no_id), 0);
	packed_dsos_destroy(packed);
}

/* --- the old version ------------------------------------------------------ */

#define OLD_TEXTS "inner\0outer\0/src/a.c"

/*
 * Appends a unit of the old version to OUT. At 0x1000, "inner" is inlined into
 * "outer" at line 3, and "outer" into the function at line 2.
 */
static void put_old_unit(struct strbuf *out)
{
	static const uint32_t counts[] = { 0, 1, 2, sizeof(OLD_TEXTS) };
	static const uint32_t piece[] = { 0, 12, 7, 1 };
	static const uint32_t nodes[] = { LINE_NONE, 6, 12, 2, 0, 0, 12, 3 };

	strbuf_put_u64(out, 0x1000);
	strbuf_put(out, counts, sizeof(counts));
	strbuf_put(out, piece, sizeof(piece));
	strbuf_put(out, nodes, sizeof(nodes));
	strbuf_put(out, OLD_TEXTS, sizeof(OLD_TEXTS));
}

static void put_old_section(struct strbuf *out)
{
	const struct dso first = { .path = (char *)"/bin/a" };
	const struct dso second = { .path = (char *)"/bin/other" };
	_cleanup_strbuf_ struct strbuf unit = { 0 };

	put_old_unit(&unit);
	packed_dsos_begin(2, out);
	packed_dsos_put(&first, &first_id, unit.at, unit.n, out);
	packed_dsos_put(&second, &other_id, unit.at, unit.n, out);
}

static void assert_old_frames(const struct packed_dsos *packed,
	const char *path, const struct build_id *id)
{
	const struct dso dso = { .path = (char *)path };
	const struct line_unit *unit = packed_dsos_find(packed, &dso, id);
	struct line_frame frames[LINE_DEPTH_MAX];

	assert_non_null(unit);
	assert_int_equal(line_unit_frames(unit, 0x1000, frames), 3);
	assert_string_equal(frames[0].name, "inner");
	assert_int_equal(frames[0].line, 7);
	assert_null(frames[0].declared.qualified);
	assert_null(frames[0].declared.file);
	assert_int_equal(frames[0].declared.line, 0);
	assert_string_equal(frames[1].name, "outer");
	assert_int_equal(frames[1].line, 3);
	assert_string_equal(frames[2].file, "/src/a.c");
	assert_int_equal(frames[2].line, 2);
}

static void packed_lines_of_the_old_version_are_read(void **state _unused_)
{
	struct strbuf section = { 0 };
	struct packed_dsos *packed;

	put_old_section(&section);
	packed = packed_lines_read(&section, PACKED_LINES_OLD_VERSION);
	assert_null(section.at);
	assert_old_frames(packed, "/bin/a", &first_id);
	assert_old_frames(packed, "/bin/other", &other_id);
	packed_dsos_destroy(packed);
}

/* --- damage --------------------------------------------------------------- */

/* Damaged units must not contain invalid offsets. */
static void ask_damaged(
	const struct strbuf *whole, size_t size, size_t at, uint8_t change)
{
	const struct dso dso = { .path = (char *)"/bin/a" };
	struct strbuf section = { 0 };
	struct packed_dsos *packed;

	strbuf_put(&section, whole->at, size);
	if (at < size)
		section.at[at] = (char)(section.at[at] ^ change);
	packed = packed_lines_read(&section, PACKED_LINES_VERSION);
	line_of(packed, &dso, &first_id);
	packed_dsos_destroy(packed);
}

static void damaged_packed_lines_are_left_out(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };

	put_three(&whole);
	check_each_damage(&whole, ask_damaged);
}

static void ask_old_damaged(
	const struct strbuf *whole, size_t size, size_t at, uint8_t change)
{
	const struct dso dso = { .path = (char *)"/bin/a" };
	struct line_frame frames[LINE_DEPTH_MAX];
	struct strbuf section = { 0 };
	struct packed_dsos *packed;
	const struct line_unit *unit;

	strbuf_put(&section, whole->at, size);
	if (at < size)
		section.at[at] = (char)(section.at[at] ^ change);
	packed = packed_lines_read(&section, PACKED_LINES_OLD_VERSION);
	unit = packed_dsos_find(packed, &dso, &first_id);
	if (unit)
		line_unit_frames(unit, 0x1000, frames);
	packed_dsos_destroy(packed);
}

static void damaged_packed_lines_of_the_old_version_are_left_out(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };

	put_old_section(&whole);
	check_each_damage(&whole, ask_old_damaged);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			packed_lines_belong_to_the_dso_of_path_and_build_id),
		cmocka_unit_test(packed_lines_of_the_old_version_are_read),
		cmocka_unit_test(damaged_packed_lines_are_left_out),
		cmocka_unit_test(
			damaged_packed_lines_of_the_old_version_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
