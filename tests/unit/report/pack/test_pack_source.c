/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which source lines of a sampled function are packed. */
#include "config.h"

#include "report/pack/pack_source.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/file/line_builder.h"
#include "common/file/packed_dsos.h"
#include "common/file/symbols_section.h"
#include "report/lines/packed_lines.h"
#include "report/lines/packed_source.h"
#include "tests/unit/make_folder.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

/* Offsets in the program. */
enum { WORK = 0x100, INLINED = 0x140, WORK_END = 0x180 };

struct fixture {
	struct folder folder;
	char *paths[3]; /* work.c, call.h and inner.h; owned */
	struct reader *reader;
	struct survey survey;
};

/*
 * Makes a source file of 20 lines that is older than any recording, and that all
 * users can read: root reads no other ones.
 */
static void put_source(struct fixture *f, size_t i, const char *name)
{
	const struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	unsigned line;

	for (line = 1; line <= 20; line++)
		strbuf_printf(&text, "%s %u\n", name, line);
	folder_put(&f->folder, name, text.at);
	f->paths[i] = xasprintf("%s/%s", f->folder.path, name);
	assert_int_equal(chmod(f->paths[i], 0644), 0);
	assert_int_equal(utimensat(AT_FDCWD, f->paths[i], old, 0), 0);
}

static void put_symbols(struct strbuf *out)
{
	struct symbols_section bundle = { 0 };
	struct symbols_dso *dso = array_push(&bundle.dsos);

	dso->path = xstrdup(MADE_PATH);
	symtab_add(&dso->symbols, WORK, WORK_END, STB_GLOBAL, "work");
	symtab_finish(&dso->symbols);
	symbols_section_write(&bundle, out);
	symbols_section_deinit(&bundle);
}

/*
 * The code of work() is of line 5 of work.c, up to the inlined function inner(),
 * whose code is of line 3 of inner.h. Line 9 of work.c calls middle(), which is
 * inlined, too, and line 12 of call.h calls inner().
 */
static void put_lines(struct fixture *f, struct strbuf *out)
{
	const struct dso program = { .path = (char *)MADE_PATH };
	struct line_function function = { .qualified = LINE_NONE,
		.file = LINE_NONE };
	struct line_builder builder;
	struct line_node node = { .parent = LINE_NONE };
	struct line_unit *unit;
	uint32_t texts[3];
	size_t i;

	line_builder_init(&builder, WORK);
	for (i = 0; i < 3; i++)
		texts[i] = line_builder_text(&builder, f->paths[i]);
	line_builder_row(&builder, WORK, texts[0], 5);
	line_builder_row(&builder, INLINED, texts[2], 3);
	line_builder_row(&builder, WORK_END, LINE_NONE, 0);
	function.name = line_builder_text(&builder, "middle");
	node.function = line_builder_function(&builder, &function);
	node.call_file = texts[0];
	node.call_line = 9;
	node.parent = line_builder_node(&builder, &node);
	line_builder_stretch(&builder, INLINED, WORK_END, node.parent, 1);
	function.name = line_builder_text(&builder, "inner");
	node.function = line_builder_function(&builder, &function);
	node.call_file = texts[1];
	node.call_line = 12;
	line_builder_stretch(&builder, INLINED, WORK_END,
		line_builder_node(&builder, &node), 2);
	unit = line_builder_finish(&builder);
	packed_dsos_begin(1, out);
	packed_dsos_put(&program, &(struct build_id){ 0 }, unit,
		line_unit_size(unit), out);
	free(unit);
	line_builder_deinit(&builder);
}

/* Opens a recording of the program, which contains its symbols and lines. */
static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct memory memory = { 0 };
	struct sink sink = memory_sink(&memory);
	struct features host, closing = { 0 };
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct writer_section sections[] = {
		{ SECTION_SYMBOLS, SYMBOLS_SECTION_VERSION, { 0 } },
		{ SECTION_LINES, PACKED_LINES_VERSION, { 0 } },
	};
	struct writer *writer;

	folder_make(&f->folder);
	assert_int_equal(chmod(f->folder.path, 0755), 0);
	put_source(f, 0, "work.c");
	put_source(f, 1, "call.h");
	put_source(f, 2, "inner.h");
	put_symbols(&sections[0].raw);
	put_lines(f, &sections[1].raw);
	make_host(&host, 1);
	make_sideband(&raw);
	assert_no_error(writer_create(&sink, &host, &writer));
	assert_no_error(writer_put(writer, raw.at, raw.n));
	assert_no_error(
		writer_close(writer, &closing, sections, ARRAY_SIZE(sections)));
	writer_destroy(writer);
	strbuf_free(&sections[0].raw);
	strbuf_free(&sections[1].raw);
	features_deinit(&host);
	assert_no_error(open_bytes(memory.file.at, memory.file.n, &f->reader));
	memory_deinit(&memory);
	assert_no_error(survey_run(f->reader, SURVEY_SIDEBAND, &f->survey));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(f->paths); i++)
		free(f->paths[i]);
	survey_deinit(&f->survey);
	reader_close(f->reader);
	folder_remove(&f->folder);
	free(f);
	return 0;
}

static uint32_t program_dso(const struct fixture *f)
{
	uint32_t dso;

	for (dso = 0; dso < maps_n_dsos(f->survey.maps); dso++)
		if (string_is(maps_dso(f->survey.maps, dso)->path, MADE_PATH))
			return dso;
	fail_msg("no mapping of %s", MADE_PATH);
	return 0;
}

/* Asserts the line numbers of PATH in PACKED, such as "5 6 ". */
static void assert_packed(const struct packed_source *packed, const char *path,
	const char *expected)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	uint32_t line;
	size_t size;

	for (line = 1; line <= 20; line++)
		if (packed_source_find(packed, path, line, &size))
			strbuf_printf(&found, "%u ", line);
	assert_text(&found, expected);
}

/*
 * Only line 5 of work.c is sampled. The lines up to the call in line 9, and the
 * lines of the calls in other files, are of the same function.
 */
static void lines_that_call_inlined_functions_are_packed(void **state)
{
	struct fixture *f = *state;
	struct files *files = files_create(f->reader, &f->survey, NULL);
	struct symbols *symbols = symbols_create(f->reader, &f->survey, files);
	struct pack_hits hits = { 0 };
	struct strbuf section = { 0 };
	struct packed_source *packed;

	*array_push(&hits.at) = (struct pack_hit){ program_dso(f), WORK + 4 };
	pack_source_put(&hits, symbols, files, &section);
	packed = packed_source_read(&section);
	assert_packed(packed, f->paths[0], "5 6 7 8 9 ");
	assert_packed(packed, f->paths[1], "12 ");
	assert_packed(packed, f->paths[2], "3 ");
	packed_source_destroy(packed);
	pack_hits_deinit(&hits);
	symbols_destroy(symbols);
	files_destroy(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			lines_that_call_inlined_functions_are_packed, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
