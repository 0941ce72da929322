/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <stdio.h>
#include <sys/mman.h>

#include "common/file/jit_section.h"
#include "common/jit/jitdump.h"
#include "common/jit/perfmap.h"

/* --- the section ----------------------------------------------------------- */

static void make_jit(struct jit_section *jit)
{
	static const struct jit_symbol by_address = {
		.start = 0x1000, .size = 0x10, .source = JIT_PERFMAP
	};
	static const struct jit_symbol by_time = { .start = 0x2000,
		.size = 0x20,
		.since = 77,
		.place = 0x40,
		.source = JIT_DUMP };
	struct jit_process *process;

	memset(jit, 0, sizeof(*jit));
	process = array_push(&jit->processes);
	process->pid = 12;
	jit_process_add(process, &by_address, "one");
	jit_process_add(process, &by_time, "two words");
	array_push(&jit->processes)->pid = 13;
}

static void a_jit_section_is_read_as_it_was_written(void **state)
{
	const struct jit_process *process;
	struct strbuf out = { 0 };
	struct jit_section jit, found;

	(void)state;
	make_jit(&jit);
	jit_section_write(&jit, &out);
	GARBAGE(found);
	assert_true(jit_section_read(bytes_of(out.at, out.n, false), &found));
	assert_null(jit_section_find(&found, 14));
	process = jit_section_find(&found, 12);
	assert_non_null(process);
	assert_int_equal(process->symbols.n, 2);
	assert_string_equal(
		jit_symbol_name(process, &process->symbols.at[0]), "one");
	assert_string_equal(
		jit_symbol_name(process, &process->symbols.at[1]), "two words");
	assert_int_equal(process->symbols.at[1].start, 0x2000);
	assert_int_equal(process->symbols.at[1].size, 0x20);
	assert_int_equal(process->symbols.at[1].since, 77);
	assert_int_equal(process->symbols.at[1].place, 0x40);
	assert_int_equal(process->symbols.at[1].source, JIT_DUMP);
	assert_int_equal(jit_section_find(&found, 13)->symbols.n, 0);
	jit_section_deinit(&jit);
	jit_section_deinit(&found);
	strbuf_free(&out);
}

/* A later version may have more fields per symbol. */
static void unknown_fields_of_symbols_in_a_jit_section_are_ignored(void **state)
{
	const struct jit_process *process;
	struct strbuf out = { 0 };
	struct jit_section found;

	(void)state;
	strbuf_put_u32(&out, 1);
	strbuf_put_u32(&out, 48);
	strbuf_put_u32(&out, 5); /* pid */
	strbuf_put_u32(&out, 1);
	strbuf_put_u32(&out, 2);
	strbuf_put_u32(&out, 0);
	strbuf_put_u64(&out, 0x1000);
	strbuf_put_u64(&out, 0x10);
	strbuf_fill(&out, 0, 32);
	strbuf_put(&out, "f", 2);
	assert_true(jit_section_read(bytes_of(out.at, out.n, false), &found));
	process = jit_section_find(&found, 5);
	assert_int_equal(process->symbols.at[0].start, 0x1000);
	assert_string_equal(
		jit_symbol_name(process, &process->symbols.at[0]), "f");
	jit_section_deinit(&found);
	strbuf_free(&out);
}

static void truncated_jit_sections_are_refused(void **state)
{
	struct strbuf out = { 0 };
	struct jit_section jit, found;
	size_t size;

	(void)state;
	make_jit(&jit);
	jit_section_write(&jit, &out);
	for (size = 0; size < out.n; size++) {
		uint8_t *copy = exact_copy(out.at, size);

		assert_false(
			jit_section_read(bytes_of(copy, size, false), &found));
		assert_int_equal(found.processes.n, 0);
		free(copy);
	}
	jit_section_deinit(&jit);
	strbuf_free(&out);
}

static void jit_sections_with_offsets_out_of_range_are_refused(void **state)
{
	struct strbuf out = { 0 };
	struct jit_section jit, found;

	(void)state;
	make_jit(&jit);
	jit.processes.at[0].symbols.at[1].name = 14;
	jit_section_write(&jit, &out);
	assert_false(jit_section_read(bytes_of(out.at, out.n, false), &found));
	jit.processes.at[0].symbols.at[1].name = 4;
	jit.processes.at[0].symbols.at[1].place = UINT64_MAX - 1;
	strbuf_clear(&out);
	jit_section_write(&jit, &out);
	assert_false(jit_section_read(bytes_of(out.at, out.n, false), &found));
	jit_section_deinit(&jit);
	strbuf_free(&out);
}

/* --- perf maps ------------------------------------------------------------- */

/* Appends the lines of the map as "START+SIZE NAME|" each. */
static void read_map(int fd, struct strbuf *found)
{
	struct perfmap *map = perfmap_open(fd);
	struct perfmap_entry entry;

	while (perfmap_next(map, &entry))
		strbuf_printf(found, "%lx+%lx %.20s|",
			(unsigned long)entry.start, (unsigned long)entry.size,
			entry.name);
	perfmap_close(map);
}

static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}

static void assert_map(const char *text, const char *wanted)
{
	struct strbuf found = { 0 };
	int fd = file_of(text, strlen(text));

	read_map(fd, &found);
	assert_text(&found, wanted);
	strbuf_free(&found);
	close(fd);
}

static void perf_map_lines_are_read_as_start_size_and_name(void **state)
{
	(void)state;
	assert_map("7f00 10 one\n0x8000 0xff two words\r\n",
		"7f00+10 one|8000+ff two words|");
	assert_map("", "");
}

static void malformed_perf_map_lines_are_skipped(void **state)
{
	(void)state;
	assert_map("\nhello\n10\n10 20\n10 20 \r\n-10 20 x\n10 0 x\n"
		   "ffffffffffffffff 2 x\nfffffffffffffffff 2 x\n10 20 y\n",
		"10+20 y|");
	/* The runtime is still writing the line. */
	assert_map("10 20 y\n30 40 unfini", "10+20 y|");
}

static void long_perf_map_lines_are_skipped(void **state)
{
	struct strbuf text = { 0 };

	(void)state;
	strbuf_puts(&text, "10 20 ");
	strbuf_fill(&text, 'x', 100000);
	strbuf_puts(&text, "\n30 40 ");
	strbuf_fill(&text, 'y', 3000);
	strbuf_puts(&text, "\n50 60 z\n");
	strbuf_putc(&text, '\0');
	assert_map(text.at, "30+40 yyyyyyyyyyyyyyyyyyyy|50+60 z|");
	strbuf_free(&text);
}

static void a_perf_map_line_without_newline_is_not_read(void **state)
{
	struct strbuf text = { 0 }, found = { 0 };
	int fd;

	(void)state;
	strbuf_puts(&text, "10 20 one\n30 40 ");
	strbuf_fill(&text, 'x', MIB(4));
	fd = file_of(text.at, text.n);
	read_map(fd, &found);
	assert_text(&found, "10+20 one|");
	/* A line beyond the size limit is not read either. */
	assert_int_equal(pwrite(fd, "\n50 60 z\n", 9,
				 (off_t)(PERFMAP_SIZE_MAX + KIB(64))),
		9);
	found.n = 0;
	read_map(fd, &found);
	assert_text(&found, "10+20 one|");
	strbuf_free(&found);
	strbuf_free(&text);
	close(fd);
}

/* --- jitdump --------------------------------------------------------------- */

static void put_header(struct strbuf *out, uint64_t flags)
{
	strbuf_put_u32(out, 0x4a695444);
	strbuf_put_u32(out, 1);
	strbuf_put_u32(out, 40);
	strbuf_fill(out, 0, 20);
	strbuf_put_u64(out, flags);
}

static void put_prefix(
	struct strbuf *out, uint32_t id, size_t size, uint64_t time)
{
	strbuf_put_u32(out, id);
	strbuf_put_u32(out, (uint32_t)(16 + size));
	strbuf_put_u64(out, time);
}

static void put_load(struct strbuf *out, uint64_t start, const char *name)
{
	put_prefix(out, 0, 40 + strlen(name) + 1 + 4, 1000);
	strbuf_put_u64(out, 0);
	strbuf_put_u64(out, start);
	strbuf_put_u64(out, start);
	strbuf_put_u64(out, 0x10);
	strbuf_put_u64(out, 7);
	strbuf_put(out, name, strlen(name) + 1);
	strbuf_puts(out, "code");
}

static void put_move(struct strbuf *out, uint64_t start)
{
	put_prefix(out, 1, 48, 2000);
	strbuf_put_u64(out, 0);
	strbuf_put_u64(out, start);
	strbuf_put_u64(out, 0x1000);
	strbuf_put_u64(out, start);
	strbuf_put_u64(out, 0x10);
	strbuf_put_u64(out, 7);
}

static void assert_dump(const struct strbuf *raw, const char *wanted)
{
	struct strbuf found = { 0 };
	int fd = file_of(raw->at, raw->n);
	struct jitdump *dump = jitdump_open(fd);
	struct jitdump_code code;

	assert_non_null(dump);
	while (jitdump_next(dump, &code))
		strbuf_printf(&found, "%lx+%lx @%lu #%lu %s%.20s|",
			(unsigned long)code.start, (unsigned long)code.size,
			(unsigned long)code.time, (unsigned long)code.index,
			code.is_moved ? "moved" : "", code.name);
	assert_text(&found, wanted);
	jitdump_close(dump);
	strbuf_free(&found);
	close(fd);
}

static void jitdump_records_are_read(void **state)
{
	struct strbuf raw = { 0 };

	(void)state;
	put_header(&raw, 0);
	put_load(&raw, 0x1000, "one");
	put_prefix(&raw, 2, 64, 1500); /* JIT_CODE_DEBUG_INFO */
	strbuf_fill(&raw, 0xff, 64);
	put_move(&raw, 0x3000);
	put_load(&raw, 0x2000, "two");
	put_prefix(&raw, 3, 0, 3000); /* JIT_CODE_CLOSE */
	put_load(&raw, 0x4000, "behind the end");
	assert_dump(&raw,
		"1000+10 @1000 #7 one|3000+10 @2000 #7 moved|"
		"2000+10 @1000 #7 two|");
	strbuf_free(&raw);
}

static void an_incomplete_jitdump_record_is_not_read(void **state)
{
	struct strbuf raw = { 0 };

	(void)state;
	put_header(&raw, 0);
	put_load(&raw, 0x1000, "one");
	put_prefix(&raw, 0, 40, 1000);
	assert_dump(&raw, "1000+10 @1000 #7 one|");
	raw.n -= 16;
	put_prefix(&raw, 0, (size_t)-16, 1000); /* the size overflows */
	put_load(&raw, 0x1000, "two");
	assert_dump(&raw, "1000+10 @1000 #7 one|");
	strbuf_free(&raw);
}

static void the_complete_records_of_a_truncated_jitdump_are_read(void **state)
{
	struct strbuf raw = { 0 };
	size_t one, two, size;

	(void)state;
	put_header(&raw, 0);
	put_load(&raw, 0x1000, "one");
	one = raw.n;
	put_load(&raw, 0x2000, "two");
	two = raw.n;
	for (size = two; size >= 40; size--) {
		raw.n = size;
		assert_dump(&raw,
			size < one	     ? ""
				: size < two ? "1000+10 @1000 #7 one|"
					     : "1000+10 @1000 #7 one|"
					       "2000+10 @1000 #7 two|");
	}
	strbuf_free(&raw);
}

static void a_long_jitdump_name_does_not_hide_the_next_record(void **state)
{
	struct strbuf raw = { 0 }, name = { 0 };

	(void)state;
	strbuf_fill(&name, 'x', 5000);
	strbuf_putc(&name, '\0');
	put_header(&raw, 0);
	put_load(&raw, 0x1000, name.at);
	put_load(&raw, 0x2000, "two");
	assert_dump(&raw,
		"1000+10 @1000 #7 xxxxxxxxxxxxxxxxxxxx|"
		"2000+10 @1000 #7 two|");
	strbuf_free(&raw);
	strbuf_free(&name);
}

static void the_header_flags_of_a_jitdump_select_its_clock(void **state)
{
	uint64_t flags;

	(void)state;
	for (flags = 0; flags < 2; flags++) {
		struct strbuf raw = { 0 };
		struct jitdump *dump;
		int fd;

		put_header(&raw, flags);
		fd = file_of(raw.at, raw.n);
		dump = jitdump_open(fd);
		assert_non_null(dump);
		assert_int_equal(jitdump_is_monotonic(dump), !flags);
		jitdump_close(dump);
		close(fd);
		strbuf_free(&raw);
	}
}

static void files_without_a_valid_jitdump_header_are_refused(void **state)
{
	struct strbuf raw = { 0 };
	size_t size;
	int other;

	(void)state;
	put_header(&raw, 0);
	for (size = 0; size <= raw.n; size++) {
		int fd = file_of(raw.at, size);
		struct jitdump *dump = jitdump_open(fd);

		assert_int_equal(!dump, size < raw.n);
		jitdump_close(dump);
		close(fd);
	}
	raw.at[4] = 2; /* version */
	other = file_of(raw.at, raw.n);
	assert_null(jitdump_open(other));
	close(other);
	strbuf_free(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jit_section_is_read_as_it_was_written),
		cmocka_unit_test(
			unknown_fields_of_symbols_in_a_jit_section_are_ignored),
		cmocka_unit_test(truncated_jit_sections_are_refused),
		cmocka_unit_test(
			jit_sections_with_offsets_out_of_range_are_refused),
		cmocka_unit_test(
			perf_map_lines_are_read_as_start_size_and_name),
		cmocka_unit_test(malformed_perf_map_lines_are_skipped),
		cmocka_unit_test(long_perf_map_lines_are_skipped),
		cmocka_unit_test(a_perf_map_line_without_newline_is_not_read),
		cmocka_unit_test(jitdump_records_are_read),
		cmocka_unit_test(an_incomplete_jitdump_record_is_not_read),
		cmocka_unit_test(
			the_complete_records_of_a_truncated_jitdump_are_read),
		cmocka_unit_test(
			a_long_jitdump_name_does_not_hide_the_next_record),
		cmocka_unit_test(
			the_header_flags_of_a_jitdump_select_its_clock),
		cmocka_unit_test(
			files_without_a_valid_jitdump_header_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
