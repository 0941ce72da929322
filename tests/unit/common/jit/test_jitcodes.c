/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/jit/jitcodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/unit/testing.h"
#include "tests/unit/make_jitdump.h"

static const struct jitdump_clock monotonic = { .is_monotonic = true };

static struct jitcodes *read_codes(
	const struct strbuf *text, const struct jitdump_clock *clock)
{
	struct jitcodes *codes = jitcodes_create(make_jitdump_file(text));

	assert_non_null(codes);
	assert_true(jitcodes_update(codes, clock));
	return codes;
}

static void load(struct strbuf *out, uint64_t time, uint64_t start,
	uint64_t size, const char *name)
{
	static uint64_t index;

	make_jitdump_load(
		out, &(struct made_code){ time, start, size, ++index, name });
}

/* "START-END name" of the code at ADDRESS at TIME, or "-". */
static const char *name_and_range_at(
	struct jitcodes *codes, uint64_t address, uint64_t time)
{
	static char text[JITDUMP_NAME_MAX + 64];
	struct jitcodes_part part = jitcodes_find(codes, address, time);
	char name[JITDUMP_NAME_MAX] = "-";

	if (part.code)
		jitcodes_name(codes, part.code, name);
	snprintf(text, sizeof(text), "%" PRIx64 "-%" PRIx64 " %s", part.start,
		part.end, name);
	return text;
}

static void an_address_has_the_code_loaded_there_at_the_given_time(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitcodes *codes;

	(void)state;
	make_jitdump_head(&text, 0);
	load(&text, 100, 0x1000, 0x100, "first");
	load(&text, 100, 0x1200, 0x100, "beside");
	load(&text, 200, 0x1080, 0x40, "inside");
	load(&text, 300, 0x1000, 0x100, "last");
	codes = read_codes(&text, &monotonic);
	assert_string_equal(
		name_and_range_at(codes, 0x1010, 99), "0-ffffffffffffffff -");
	assert_string_equal(
		name_and_range_at(codes, 0x1010, 100), "1000-1100 first");
	assert_string_equal(
		name_and_range_at(codes, 0x1100, 100), "1100-1200 -");
	assert_string_equal(
		name_and_range_at(codes, 0x12ff, 100), "1200-1300 beside");
	assert_string_equal(name_and_range_at(codes, 0x1300, 100),
		"1300-ffffffffffffffff -");
	assert_string_equal(
		name_and_range_at(codes, 0x1010, 200), "1000-1080 first");
	assert_string_equal(
		name_and_range_at(codes, 0x1080, 250), "1080-10c0 inside");
	assert_string_equal(
		name_and_range_at(codes, 0x10c0, 250), "10c0-1100 first");
	assert_string_equal(
		name_and_range_at(codes, 0x10a0, 300), "1000-1100 last");
	assert_int_equal(jitcodes_count(codes, 99), 0);
	assert_int_equal(jitcodes_count(codes, 100), 2);
	assert_int_equal(jitcodes_count(codes, 299), 3);
	jitcodes_destroy(codes);
}

static void without_a_common_clock_an_address_has_the_code_loaded_last(
	void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const struct jitdump_clock other = { 0 };
	struct jitcodes *codes;

	(void)state;
	make_jitdump_head(&text, 0);
	load(&text, 100, 0x1000, 0x100, "first");
	load(&text, 300, 0x1000, 0x80, "last");
	codes = read_codes(&text, &other);
	assert_false(jitcodes_has_times(codes, &other));
	assert_string_equal(
		name_and_range_at(codes, 0x1000, 1), "1000-1080 last");
	assert_string_equal(
		name_and_range_at(codes, 0x1090, 1), "1080-1100 first");
	jitcodes_destroy(codes);
}

static void processor_ticks_are_converted_to_the_recordings_clock(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const struct jitdump_clock clock = { .is_monotonic = true,
		.ticks = { { 1000, 3000 }, { 500000, 501000 } } };
	struct jitcodes *codes;

	(void)state;
	make_jitdump_head(&text, 1);
	load(&text, 900, 0x1000, 0x100, "before");
	load(&text, 2000, 0x1000, 0x100, "between");
	codes = read_codes(&text, &clock);
	assert_false(jitcodes_has_times(codes, &monotonic));
	assert_true(jitcodes_has_times(codes, &clock));
	assert_null(jitcodes_find(codes, 0x1000, 499949).code);
	assert_string_equal(
		name_and_range_at(codes, 0x1000, 499950), "1000-1100 before");
	assert_string_equal(
		name_and_range_at(codes, 0x1000, 500499), "1000-1100 before");
	assert_string_equal(
		name_and_range_at(codes, 0x1000, 500500), "1000-1100 between");
	jitcodes_destroy(codes);
}

static void new_records_of_a_growing_jitdump_are_read(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitcodes *codes;
	size_t whole, cut;
	int fd;

	(void)state;
	make_jitdump_head(&text, 0);
	load(&text, 100, 0x1000, 0x100, "first");
	whole = text.n;
	load(&text, 200, 0x2000, 0x100, "second");
	for (cut = whole; cut <= text.n; cut += 7) {
		const struct strbuf begun = { .at = text.at, .n = cut };

		fd = make_jitdump_file(&begun);
		codes = jitcodes_create(fd);
		assert_true(jitcodes_update(codes, &monotonic));
		assert_null(jitcodes_find(codes, 0x2000, 300).code);
		assert_false(jitcodes_update(codes, &monotonic));
		assert_int_equal(
			pwrite(fd, text.at + cut, text.n - cut, (off_t)cut),
			text.n - cut);
		assert_true(jitcodes_update(codes, &monotonic));
		assert_string_equal(name_and_range_at(codes, 0x2000, 300),
			"2000-2100 second");
		jitcodes_destroy(codes);
	}
}

static void each_of_3000_codes_is_found_within_its_range(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitcodes *codes;
	uint64_t i;

	(void)state;
	make_jitdump_head(&text, 0);
	/* Not sorted by address. */
	for (i = 0; i < 3000; i++)
		load(&text, i + 1, 0x100000 + (i * 7 % 3000) * 0x20, 0x10,
			"code");
	codes = read_codes(&text, &monotonic);
	for (i = 0; i < 3000; i++) {
		uint64_t start = 0x100000 + (i * 7 % 3000) * 0x20;
		struct jitcodes_part part =
			jitcodes_find(codes, start + 15, 5000);

		assert_non_null(part.code);
		assert_int_equal(part.start, start);
		assert_int_equal(part.end, start + 0x10);
		assert_null(jitcodes_find(codes, start, i).code);
		assert_null(jitcodes_find(codes, start + 0x10, 5000).code);
	}
	jitcodes_destroy(codes);
}

static void an_address_reused_3000_times_has_the_code_of_each_time(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitcodes *codes;
	char name[32], wanted[64];
	uint64_t i;

	(void)state;
	make_jitdump_head(&text, 0);
	load(&text, 1, 0x1000, 0x1000, "around");
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "code%" PRIu64, i);
		load(&text, 10 + i, 0x1800, 0x20 + i % 7 * 0x10, name);
	}
	codes = read_codes(&text, &monotonic);
	for (i = 0; i < 3000; i++) {
		snprintf(wanted, sizeof(wanted),
			"1800-%" PRIx64 " code%" PRIu64, 0x1820 + i % 7 * 0x10,
			i);
		assert_string_equal(
			name_and_range_at(codes, 0x1810, 10 + i), wanted);
	}
	assert_string_equal(
		name_and_range_at(codes, 0x1810, 9), "1000-2000 around");
	assert_string_equal(
		name_and_range_at(codes, 0x1fff, 9), "1000-2000 around");
	assert_string_equal(
		name_and_range_at(codes, 0x1fff, 5000), "1880-2000 around");
	assert_string_equal(
		name_and_range_at(codes, 0x1000, 5000), "1000-1800 around");
	jitcodes_destroy(codes);
}

/* The expected result of jitcodes_find(), by a linear search. */
static const struct made_code *linear_find(
	const struct made_code *all, size_t n, uint64_t address, uint64_t time)
{
	while (n-- > 0)
		if (all[n].time <= time && address >= all[n].start &&
			address - all[n].start < all[n].size)
			return &all[n];
	return NULL;
}

static void check_part(struct jitcodes *codes, const struct made_code *all,
	size_t n, uint64_t address, uint64_t time)
{
	const struct made_code *wanted = linear_find(all, n, address, time);
	struct jitcodes_part part = jitcodes_find(codes, address, time);
	char name[JITDUMP_NAME_MAX] = "";
	uint64_t at[] = { part.start, address - 3, address + 3, part.end - 1 };
	size_t i;

	assert_int_equal(part.code != NULL, wanted != NULL);
	if (part.code)
		jitcodes_name(codes, part.code, name);
	assert_string_equal(name, wanted ? wanted->name : "");
	assert_true(part.start <= address && address < part.end);
	for (i = 0; i < ARRAY_SIZE(at); i++)
		if (at[i] >= part.start && at[i] < part.end)
			assert_ptr_equal(
				linear_find(all, n, at[i], time), wanted);
}

static void overlapping_codes_are_found_as_by_a_linear_search(void **state)
{
	static struct made_code all[4000];
	static char names[ARRAY_SIZE(all)][16];
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitcodes *codes;
	uint32_t random = 1;
	size_t i;

	(void)state;
	make_jitdump_head(&text, 0);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		random = random * 1103515245u + 12345u;
		snprintf(names[i], sizeof(names[i]), "code%zu", i);
		/* Times sometimes go back. */
		all[i] = (struct made_code){ 100 + i - (random >> 28),
			0x10000 + (random >> 8 & 0x7f0),
			1 + (random >> 16) % 60, i + 1, names[i] };
		make_jitdump_load(&text, &all[i]);
	}
	codes = read_codes(&text, &monotonic);
	for (i = 0; i < 20000; i++) {
		random = random * 1103515245u + 12345u;
		check_part(codes, all, ARRAY_SIZE(all),
			0xfff8 + (random >> 8 & 0x7ff),
			60 + (random >> 16) % 4200);
	}
	jitcodes_destroy(codes);
}

static int offset_at(struct jitcodes *codes, uint64_t address, uint64_t time)
{
	struct jitcodes_part part = jitcodes_find(codes, address, time);
	struct cfi *cfi = jitcodes_rules(codes, part.code);

	assert_ptr_equal(jitcodes_rules(codes, part.code), cfi);
	return cfi ? (int)cfi_x86_offset(cfi_rule(cfi, address)) : -1;
}

static void unwind_rules_move_with_their_code(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitcodes *codes;

	(void)state;
	make_jitdump_head(&text, 0);
	make_jitdump_rules(&text, 60, 3);
	make_jitdump_load(
		&text, &(struct made_code){ 100, 0x1000, 60, 7, "moved" });
	make_jitdump_load(
		&text, &(struct made_code){ 100, 0x2000, 60, 8, "without" });
	make_jitdump_move(&text, &(struct made_code){ 200, 0x3001, 60, 7, "" });
	make_jitdump_move(&text, &(struct made_code){ 200, 0x4000, 60, 9, "" });
	/* The index now names another code. */
	make_jitdump_rules(&text, 60, 5);
	make_jitdump_load(
		&text, &(struct made_code){ 300, 0x1000, 60, 7, "again" });
	codes = read_codes(&text, &monotonic);
	assert_int_equal(offset_at(codes, 0x1000, 100), 24);
	assert_int_equal(offset_at(codes, 0x2000, 100), -1);
	assert_int_equal(offset_at(codes, 0x3001, 200), 24);
	assert_int_equal(offset_at(codes, 0x303c, 200), 24);
	assert_int_equal(offset_at(codes, 0x4000, 200), -1);
	assert_int_equal(offset_at(codes, 0x1000, 300), 40);
	assert_string_equal(
		name_and_range_at(codes, 0x3001, 200), "3001-303d moved");
	assert_string_equal(
		name_and_range_at(codes, 0x4000, 200), "4000-403c ");
	jitcodes_destroy(codes);
}

static void a_jitdump_without_a_machine_is_of_this_machine(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitcodes *codes;
	struct utsname here;

	(void)state;
	uname(&here);
	if (!string_is(here.machine, "x86_64"))
		skip_without("x86_64");
	make_jitdump_head(&text, 0);
	make_jitdump_rules(&text, 60, 3);
	make_jitdump_load(
		&text, &(struct made_code){ 100, 0x1000, 60, 1, "code" });
	memset(text.at + 12, 0, 4);
	codes = read_codes(&text, &monotonic);
	assert_int_equal(offset_at(codes, 0x1000, 100), 24);
	jitcodes_destroy(codes);
}

static void a_code_with_invalid_source_file_names_has_no_line(void **state)
{
	static const struct made_line lines[] = { { 0x1000, 10, "a.js" },
		{ 0x1020, 12, "\x03N\x01" } };
	_cleanup_strbuf_ struct strbuf text = { 0 }, file = { 0 };
	struct jitcodes *codes;
	uint32_t line;

	(void)state;
	make_jitdump_head(&text, 0);
	make_jitdump_lines(&text, lines, ARRAY_SIZE(lines));
	make_jitdump_load(
		&text, &(struct made_code){ 100, 0x1000, 0x40, 1, "code" });
	codes = read_codes(&text, &monotonic);
	assert_false(jitcodes_line(codes,
		jitcodes_find(codes, 0x1000, 100).code, 0, &file, &line));
	jitcodes_destroy(codes);
}

static void source_lines_of_a_code_are_found_also_after_a_move(void **state)
{
	static const struct made_line lines[] = { { 0x1000, 10, "a.js" },
		{ 0x1020, 12, "\xff" }, { 0x1010, 11, "\xff" },
		{ 0x1030, 3, "b.js" } };
	_cleanup_strbuf_ struct strbuf text = { 0 }, file = { 0 };
	struct jitcodes_part part;
	struct jitcodes *codes;
	uint32_t line = 0;

	(void)state;
	make_jitdump_head(&text, 0);
	make_jitdump_lines(&text, lines, ARRAY_SIZE(lines));
	make_jitdump_load(
		&text, &(struct made_code){ 100, 0x1000, 0x40, 1, "code" });
	make_jitdump_load(
		&text, &(struct made_code){ 100, 0x2000, 0x40, 2, "none" });
	make_jitdump_move(
		&text, &(struct made_code){ 200, 0x3000, 0x40, 1, "" });
	codes = read_codes(&text, &monotonic);
	part = jitcodes_find(codes, 0x3000, 200);
	assert_true(jitcodes_line(codes, part.code, 0x1f, &file, &line));
	strbuf_putc(&file, '\0');
	assert_string_equal(file.at, "a.js");
	assert_int_equal(line, 11);
	strbuf_clear(&file);
	assert_true(jitcodes_line(codes, part.code, 0x3f, &file, &line));
	strbuf_putc(&file, '\0');
	assert_string_equal(file.at, "b.js");
	assert_int_equal(line, 3);
	part = jitcodes_find(codes, 0x2000, 200);
	assert_false(jitcodes_line(codes, part.code, 0, &file, &line));
	jitcodes_destroy(codes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_address_has_the_code_loaded_there_at_the_given_time),
		cmocka_unit_test(
			without_a_common_clock_an_address_has_the_code_loaded_last),
		cmocka_unit_test(
			processor_ticks_are_converted_to_the_recordings_clock),
		cmocka_unit_test(new_records_of_a_growing_jitdump_are_read),
		cmocka_unit_test(each_of_3000_codes_is_found_within_its_range),
		cmocka_unit_test(
			an_address_reused_3000_times_has_the_code_of_each_time),
		cmocka_unit_test(
			overlapping_codes_are_found_as_by_a_linear_search),
		cmocka_unit_test(unwind_rules_move_with_their_code),
		cmocka_unit_test(
			a_jitdump_without_a_machine_is_of_this_machine),
		cmocka_unit_test(
			source_lines_of_a_code_are_found_also_after_a_move),
		cmocka_unit_test(
			a_code_with_invalid_source_file_names_has_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
