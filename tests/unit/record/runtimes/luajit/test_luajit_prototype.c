/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests names and lines of LuaJIT's prototypes in the memory of this process. */
#include "config.h"

#include "record/runtimes/luajit/luajit_prototype.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/testing.h"

/* Offsets of lj_obj.h, with GC64 */
#define TYPE 9
#define N_INSTRUCTIONS 12
#define CHUNK 64
#define FIRST_LINE 72
#define N_LINES 76
#define LINES 80
#define SIZE 104
#define LENGTH 20
#define OLD_LENGTH 16
#define TEXT 24

struct fixture {
	struct process_memory *memory;
	struct code_object object;
	struct strbuf name, file;
	uint8_t prototype[SIZE + 4000];
	uint8_t chunk[4000];
};

static void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put_address(uint8_t *at, const void *address)
{
	uint64_t value = (uintptr_t)address;

	memcpy(at, &value, sizeof(value));
}

/* Makes a prototype of the LINES lines from FIRST, of the chunk NAME. */
static void make_prototype(
	struct fixture *f, const char *name, uint32_t first, uint32_t lines)
{
	memset(f->prototype, 0, sizeof(f->prototype));
	memset(f->chunk, 0, sizeof(f->chunk));
	f->prototype[TYPE] = 7;
	put_u32(f->prototype + N_INSTRUCTIONS, 4);
	put_u32(f->prototype + FIRST_LINE, first);
	put_u32(f->prototype + N_LINES, lines);
	put_address(f->prototype + CHUNK, f->chunk);
	put_u32(f->chunk + LENGTH, (uint32_t)strlen(name));
	memcpy(f->chunk + TEXT, name, strlen(name) + 1);
}

static bool read_object(struct fixture *f)
{
	const struct code_language language = luajit_functions();
	bool is_read;

	free(f->object.lines);
	f->object = (struct code_object){ .address = (uintptr_t)f->prototype };
	f->name.n = f->file.n = 0;
	process_memory_forget(f->memory);
	is_read = language.read(
		language.data, f->memory, &f->object, &f->name, &f->file);
	strbuf_putc(&f->name, '\0');
	strbuf_putc(&f->file, '\0');
	return is_read;
}

/* Returns the line of the instruction with NUMBER, from 0. */
static uint32_t line_at(const struct fixture *f, uint32_t number)
{
	const struct code_language language = luajit_functions();

	return language.line(language.data, f->memory, &f->object,
		f->object.address + SIZE + 4 * (number + 1));
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->memory = process_memory_create((uint32_t)getpid());
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	process_memory_destroy(f->memory);
	free(f->object.lines);
	strbuf_free(&f->name);
	strbuf_free(&f->file);
	free(f);
	return 0;
}

static void lua_functions_are_named_by_file_and_line(void **state)
{
	static const struct {
		const char *chunk, *name, *file;
		uint32_t first, lines;
	} rows[] = {
		{ "@/a/b.lua", "function <b.lua:7>", "/a/b.lua", 7, 3 },
		{ "@b.lua", "main chunk <b.lua>", "b.lua", 0, 9 },
		{ "@/a/", "function </a/:7>", "/a/", 7, 1 },
		{ "@", "function <(string):7>", "", 7, 1 },
		{ "=name", "function <name:7>", "", 7, 1 },
		{ "=", "function <(string):7>", "", 7, 1 },
		{ "return 1", "main chunk <(string)>", "", 0, 1 },
		/* bytecode without debug information */
		{ "@b.lua", "function <b.lua>", "b.lua", 0, 0 },
		{ "foreach", "builtin:foreach", "", UINT32_MAX, 0 },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		make_prototype(f, rows[i].chunk, rows[i].first, rows[i].lines);
		assert_true(read_object(f));
		assert_string_equal(f->name.at, rows[i].name);
		assert_string_equal(f->file.at, rows[i].file);
	}
}

static void the_length_of_a_chunk_name_is_read_at_either_of_two_offsets(
	void **state)
{
	struct fixture *f = *state;

	make_prototype(f, "@b.lua", 7, 3);
	put_u32(f->chunk + OLD_LENGTH, 6);
	put_u32(f->chunk + LENGTH, 0x12345);
	assert_true(read_object(f));
	assert_string_equal(f->name.at, "function <b.lua:7>");
	/* The text has one NUL. */
	put_u32(f->chunk + LENGTH, 20);
	assert_true(read_object(f));
	assert_string_equal(f->name.at, "function <b.lua:7>");
}

static void a_long_chunk_name_is_shown_as_string(void **state)
{
	struct fixture *f = *state;
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	make_prototype(f, text, 7, 3);
	assert_true(read_object(f));
	assert_string_equal(f->name.at, "function <(string):7>");
	text[0] = '@';
	make_prototype(f, text, 7, 3);
	assert_false(read_object(f));
}

/* A table has numbers of 1, 2 or 4 bytes, and none for the head of the
 * function. */
static void lines_are_read_from_tables_of_1_2_or_4_byte_numbers(void **state)
{
	static const uint32_t counts[] = { 200, 30000, 70000 };
	struct fixture *f = *state;
	uint8_t *table = f->prototype + SIZE + 100;
	size_t size, i;

	for (i = 0, size = 1; i < ARRAY_SIZE(counts); i++, size *= 2) {
		make_prototype(f, "@b.lua", 10, counts[i]);
		put_address(f->prototype + LINES, table);
		memcpy(table + size, &counts[i], size);
		memcpy(table + 2 * size, &(uint32_t){ 5 }, size);
		assert_true(read_object(f));
		assert_int_equal(line_at(f, 0), 10);
		assert_int_equal(line_at(f, 1), 10);
		assert_int_equal(line_at(f, 2), 10 + counts[i]);
		assert_int_equal(line_at(f, 3), 15);
		assert_int_equal(line_at(f, 4), 0);
		assert_int_equal(line_at(f, UINT32_MAX / 8), 0);
		/* The table can be freed after it was read. */
		memset(table, 0xff, 100);
		assert_int_equal(line_at(f, 3), 15);
	}
	/* lines behind the end of the function */
	make_prototype(f, "@b.lua", 10, 20);
	memset(table, 0xff, 100);
	put_address(f->prototype + LINES, table);
	assert_true(read_object(f));
	assert_int_equal(line_at(f, 1), 0);
}

static void invalid_prototypes_are_refused(void **state)
{
	struct fixture *f = *state;

	make_prototype(f, "@b.lua", 7, 3);
	f->prototype[TYPE] = 8;
	assert_false(read_object(f));
	make_prototype(f, "@b.lua", 7, 3);
	put_u32(f->prototype + N_INSTRUCTIONS, 0);
	assert_false(read_object(f));
	make_prototype(f, "@b.lua", 7, UINT32_MAX);
	assert_false(read_object(f));
	make_prototype(f, "@b.lua", 7, 3);
	put_u32(f->chunk + LENGTH, UINT32_MAX);
	assert_false(read_object(f));
	make_prototype(f, "@b.lua", 7, 3);
	put_address(f->prototype + CHUNK, NULL);
	assert_false(read_object(f));
	/* Without a table that can be read, the name is known. */
	make_prototype(f, "@b.lua", 7, 3);
	put_address(f->prototype + LINES, (const void *)8);
	assert_true(read_object(f));
	assert_int_equal(line_at(f, 1), 0);
	make_prototype(f, "@b.lua", 7, 3);
	put_address(f->prototype + LINES, f->prototype);
	put_u32(f->prototype + N_INSTRUCTIONS, UINT32_MAX);
	assert_true(read_object(f));
	assert_int_equal(line_at(f, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lua_functions_are_named_by_file_and_line),
		cmocka_unit_test(
			the_length_of_a_chunk_name_is_read_at_either_of_two_offsets),
		cmocka_unit_test(a_long_chunk_name_is_shown_as_string),
		cmocka_unit_test(
			lines_are_read_from_tables_of_1_2_or_4_byte_numbers),
		cmocka_unit_test(invalid_prototypes_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
