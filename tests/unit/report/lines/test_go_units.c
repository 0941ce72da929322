/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines and inlined functions of stripped Go programs: of each version, and
 * damaged. */
#include "config.h"

#include "report/lines/go_units.h"

#include <elf.h>
#include <sys/mman.h>

#include "report/lines/line_source.h"
#include "tests/unit/make_go.h"
#include "tests/unit/testing.h"

#define ADD (MADE_GO_CODE + MADE_GO_MAIN_SIZE)
#define CODE_SIZE (MADE_GO_MAIN_SIZE + MADE_GO_ADD_SIZE)

static struct elf_file *open_program(const struct strbuf *bytes)
{
	struct elf_file *file = NULL;
	int fd = memfd_create("go", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes->at, bytes->n), bytes->n);
	error_free(elf_file_open(fd, "go", &file));
	return file;
}

static struct line_source *open_made_lines(
	enum made_go_version version, enum made_go_layout layout)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct dwarf_line_files files = { 0 };

	made_go_program(version, layout, &bytes);
	files.code = open_program(&bytes);
	assert_non_null(files.code);
	return line_source_create(&files, NULL);
}

/* Compares the frames at ADDRESS with WANTED: "leaf a.go:1;:b.go:2". */
static void assert_frames(
	struct line_source *source, uint64_t address, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t n = line_source_frames(source, address, frames), i;

	for (i = 0; i < n; i++)
		strbuf_printf(&text, "%s%s %s:%u", i ? ";" : "",
			frames[i].name ?: "", frames[i].file ?: "?",
			frames[i].line);
	assert_text(&text, wanted);
}

static void assert_plain_lines(struct line_source *source)
{
	assert_frames(source, MADE_GO_CODE - 1, "");
	assert_frames(source, MADE_GO_CODE, " /src/main.go:10");
	assert_frames(source, MADE_GO_CODE + 15, " /src/main.go:10");
	assert_frames(source, MADE_GO_CODE + 16, " /src/main.go:11");
	assert_frames(source, ADD - 9, " /src/main.go:11");
	assert_frames(source, ADD - 8, "");
	assert_frames(source, ADD - 1, "");
	assert_frames(source, ADD, " /src/main.go:20");
	assert_frames(source, ADD + 30, " /src/main.go:20");
	assert_frames(source, ADD + 31, " /src/main.go:21");
	assert_frames(source, ADD + 48, " /src/main.go:22");
	assert_frames(source, ADD + MADE_GO_ADD_SIZE - 1, " /src/main.go:22");
	assert_frames(source, ADD + MADE_GO_ADD_SIZE, "");
}

/* Begins a loop over all kinds of programs. */
#define EACH_PROGRAM(version, layout)                            \
	for (version = 0; version < MADE_GO_VERSIONS; version++) \
		for (layout = 0; layout < MADE_GO_LAYOUTS; layout++)

static void lines_of_programs_of_each_go_version_are_read(void **state _unused_)
{
	unsigned version, layout;

	EACH_PROGRAM(version, layout)
	{
		struct line_source *source = open_made_lines(version, layout);

		assert_plain_lines(source);
		line_source_destroy(source);
	}
}

static void assert_inlined(struct line_source *source)
{
	assert_frames(source, ADD + 32,
		"main.inner /src/inner.go:5; /src/main.go:21");
	assert_frames(source, ADD + 39,
		"main.inner /src/inner.go:6; /src/main.go:21");
	assert_frames(source, ADD + 40,
		"main.leaf /src/inner.go:2;main.inner /src/inner.go:6;"
		" /src/main.go:21");
	assert_frames(source, ADD + 47,
		"main.leaf /src/inner.go:2;main.inner /src/inner.go:6;"
		" /src/main.go:21");
}

static void inlined_functions_of_go_1_18_and_later_are_read(
	void **state _unused_)
{
	unsigned version, layout;

	EACH_PROGRAM(version, layout)
	{
		struct line_source *source = open_made_lines(version, layout);

		if (version >= MADE_GO_1_18)
			assert_inlined(source);
		else
			assert_frames(source, ADD + 40, " /src/inner.go:2");
		line_source_destroy(source);
	}
}

static void inlined_functions_have_file_and_line_of_their_declaration(
	void **state _unused_)
{
	struct line_source *source =
		open_made_lines(MADE_GO_1_20, MADE_GO_FIXED);
	struct line_frame frames[LINE_DEPTH_MAX];

	assert_int_equal(line_source_frames(source, ADD + 40, frames), 3);
	assert_string_equal(frames[0].declared.file, "/src/inner.go");
	assert_int_equal(frames[0].declared.line, 1);
	assert_string_equal(frames[1].declared.file, "/src/inner.go");
	assert_int_equal(frames[1].declared.line, 4);
	line_source_destroy(source);
}

static void a_line_range_ends_where_the_next_line_begins(void **state _unused_)
{
	struct line_source *source = open_made_lines(MADE_GO_1_20, MADE_GO_PIE);

	assert_int_equal(line_source_until(source, ADD), ADD + 31);
	assert_int_equal(line_source_until(source, ADD + 40), ADD + 48);
	line_source_destroy(source);
}

/* --- damage --------------------------------------------------------------- */

static Elf64_Shdr *find_header(const struct strbuf *bytes, unsigned number)
{
	const Elf64_Ehdr *start = (const void *)bytes->at;

	return (Elf64_Shdr *)(void *)(bytes->at + start->e_shoff) + number;
}

/* Reads the frames of all code of the program BYTES. */
static void read_all_frames(const struct strbuf *bytes)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	struct dwarf_line_files files = { .code = open_program(bytes) };
	struct line_source *source;
	uint64_t i;

	if (!files.code)
		return;
	source = line_source_create(&files, NULL);
	for (i = 0; i < CODE_SIZE; i += 8)
		line_source_frames(source, MADE_GO_CODE + i, frames);
	line_source_destroy(source);
}

/* Changes each byte of a section, and cuts the section after each byte. */
static void damage_section(struct strbuf *bytes, Elf64_Shdr *header)
{
	static const uint8_t changes[] = { 0x01, 0x80, 0xff };
	uint64_t size = header->sh_size, i;
	size_t j;

	for (i = 0; i < size; i++) {
		char *at = bytes->at + header->sh_offset + i;

		for (j = 0; j < ARRAY_SIZE(changes); j++) {
			*at = (char)(*at ^ changes[j]);
			read_all_frames(bytes);
			*at = (char)(*at ^ changes[j]);
		}
		header->sh_size = i;
		read_all_frames(bytes);
		header->sh_size = size;
	}
}

/* Between .text and .shstrtab are the sections with the table and the calls. */
static void reading_damaged_line_tables_never_crashes(void **state _unused_)
{
	unsigned version, i;

	for (version = 0; version < MADE_GO_VERSIONS; version++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		unsigned n;

		made_go_program(version, MADE_GO_FIXED, &bytes);
		n = ((const Elf64_Ehdr *)(void *)bytes.at)->e_shnum;
		for (i = 2; i < n - 1; i++)
			damage_section(&bytes, find_header(&bytes, i));
	}
}

/* The call of main.inner is in main.leaf, which is inlined into main.inner. */
static void reading_a_cycle_of_inlined_calls_ends(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct dwarf_line_files files = { 0 };
	struct line_source *source;
	char *call;

	made_go_program(MADE_GO_1_20, MADE_GO_FIXED, &bytes);
	/* .rodata: 16 bytes, then kind, name, place and line of main.inner. */
	call = bytes.at + find_header(&bytes, 2)->sh_offset + 16;
	assert_int_equal(call[8], 31);
	call[8] = 40;
	files.code = open_program(&bytes);
	source = line_source_create(&files, NULL);
	assert_frames(
		source, ADD + 40, "main.leaf /src/inner.go:2; /src/inner.go:6");
	line_source_destroy(source);
}

static void assert_first_frame(const struct strbuf *bytes, const char *wanted)
{
	struct dwarf_line_files files = { .code = open_program(bytes) };
	struct line_source *source = line_source_create(&files, NULL);

	assert_frames(source, MADE_GO_CODE, wanted);
	line_source_destroy(source);
}

/* The number of bytes of main.main's first line has five or six bytes. */
static void a_number_of_more_than_five_bytes_is_damage(void **state _unused_)
{
	static const char lines[] = "\x16\x90\0\x02\xa8\0";
	static const char five[] = "\x16\x90\x80\x80\x80\0";
	static const char six[] = "\x16\x90\x80\x80\x80\x80";
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	char *at;

	made_go_program(MADE_GO_1_20, MADE_GO_FIXED, &bytes);
	at = memmem(bytes.at, bytes.n, lines, sizeof(lines));
	assert_non_null(at);
	memcpy(at, five, sizeof(five) - 1);
	assert_first_frame(&bytes, " /src/main.go:10");
	memcpy(at, six, sizeof(six) - 1);
	assert_first_frame(&bytes, " /src/main.go:0");
}

/* --- limits --------------------------------------------------------------- */

/* Adds the pieces of all units of the program MANY, and those with a file. */
static void read_many(const struct made_go_many *many, uint64_t *size_ret,
	uint64_t *pieces_ret, uint64_t *files_ret)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct elf_file *file;
	struct go_units *units;
	uint32_t i, j;

	made_go_many(many, &bytes);
	*size_ret = bytes.n;
	*pieces_ret = *files_ret = 0;
	file = open_program(&bytes);
	units = go_units_create(file);
	for (i = 0; i < many->functions; i += 64) {
		struct line_unit *unit = go_units_read(
			units, MADE_GO_CODE + (uint64_t)i * many->size);

		assert_non_null(unit);
		*pieces_ret += unit->n_pieces;
		for (j = 0; j < unit->n_pieces; j++)
			*files_ret +=
				line_unit_pieces(unit)[j].file != LINE_NONE;
		free(unit);
	}
	go_units_destroy(units);
	elf_file_close(file);
}

/* Names of 1 MiB are damage; they make the table large. */
static void the_rows_of_one_unit_are_limited(void **state _unused_)
{
	const struct made_go_many many = { .functions = 64,
		.size = 10000,
		.name_size = 1u << 20,
		.changes = 10000 };
	uint64_t size, pieces, files;

	read_many(&many, &size, &pieces, &files);
	assert_in_range(pieces, 1u << 17, (1u << 18) + many.functions);
	assert_int_equal(files, 0);
}

static void the_rows_of_all_units_are_limited(void **state _unused_)
{
	const struct made_go_many many = {
		.functions = 1024, .size = 1000, .name_size = 8, .changes = 1000
	};
	uint64_t size, pieces, files;

	read_many(&many, &size, &pieces, &files);
	assert_in_range(pieces, many.changes, size);
}

/* Each text is read, compared and hashed. */
static void file_names_are_read_up_to_a_total_size(void **state _unused_)
{
	const struct made_go_many many = { .functions = 1,
		.size = 5000,
		.name_size = 60000,
		.changes = 5000 };
	uint64_t size, pieces, files;

	read_many(&many, &size, &pieces, &files);
	assert_in_range(files, 2, 8 * size / many.name_size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_programs_of_each_go_version_are_read),
		cmocka_unit_test(
			inlined_functions_of_go_1_18_and_later_are_read),
		cmocka_unit_test(
			inlined_functions_have_file_and_line_of_their_declaration),
		cmocka_unit_test(a_line_range_ends_where_the_next_line_begins),
		cmocka_unit_test(reading_a_cycle_of_inlined_calls_ends),
		cmocka_unit_test(reading_damaged_line_tables_never_crashes),
		cmocka_unit_test(a_number_of_more_than_five_bytes_is_damage),
		cmocka_unit_test(the_rows_of_one_unit_are_limited),
		cmocka_unit_test(the_rows_of_all_units_are_limited),
		cmocka_unit_test(file_names_are_read_up_to_a_total_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
