/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/dwarf_lines.h"

#include <dwarf.h>

#include "common/util/alloc.h"
#include "report/lines/debug_check.h"
#include "report/lines/debug_package.h"
#include "report/lines/debug_part.h"
#include "report/lines/die.h"
#include "report/lines/line_program.h"
#include "report/lines/line_reading.h"

/*
 * Limit of the address ranges that are searched for an address. Ranges of units
 * overlap if the linker folded equal functions into one.
 */
#define OVERLAPS_MAX 16u
/* Limit of the address ranges of all units of a file. */
#define SPANS_MAX (UINT32_C(1) << 26)

struct dwarf_lines {
	struct elf_file *file;	 /* file with the debug information; borrowed */
	struct line_files files; /* borrowed; .file is .debug or .code of
				    .files */
	struct debug_part
		*part; /* data of .file; NULL: libdw reads the whole file */
	uint64_t start, end;	       /* address range of the code in the
					  file */
	Dwarf *dwarf, *alt;	       /* libdw handles of .file and of the dwz
					  file; .alt may be NULL */
	struct missing_files *missing; /* borrowed */
	bool has_package;	       /* .package has been opened */
	struct debug_package *package; /* the .dwp file; NULL: there is none */
	struct die_scopes scopes;
	ARRAY(struct unit_span {
		uint64_t start, end;
		Dwarf_Off unit; /* offset of the unit's DIE */
	})
	spans; /* code ranges of all units, sorted by start */
};

static int compare_spans(const void *a, const void *b)
{
	const struct unit_span *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->unit, right->unit);
}

static void add_span(struct dwarf_lines *reader, Dwarf_Off unit, uint64_t start,
	uint64_t end)
{
	/* Code that the linker removed has ranges that begin at 0. */
	if (reader->spans.n < SPANS_MAX && start < end &&
		start >= reader->start && end <= reader->end)
		*array_push(&reader->spans) =
			(struct unit_span){ start, end, unit };
}

/* --- units without ranges ------------------------------------------------ */

/* A unit with a line table. */
struct unit_table {
	uint64_t offset; /* of the line table in .debug_line */
	Dwarf_Off unit;
	bool has_ranges;
};

struct unit_tables {
	ARRAY(struct unit_table) at;
};

static int compare_tables(const void *a, const void *b)
{
	const struct unit_table *left = a, *right = b;

	if (left->offset != right->offset)
		return COMPARE(left->offset, right->offset);
	if (left->has_ranges != right->has_ranges)
		return COMPARE(right->has_ranges, left->has_ranges);
	return COMPARE(left->unit, right->unit);
}

/*
 * Reads the code ranges from the units, because some compilers do not write
 * .debug_aranges.
 */
static void find_unit_spans(struct dwarf_lines *reader)
{
	struct unit_tables tables = { 0 };
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(reader->dwarf, unit, &unit, NULL, NULL, &die,
		       NULL) == 0) {
		struct unit_table table = { .unit = dwarf_dieoffset(&die) };
		Dwarf_Addr base, start, last;
		ptrdiff_t at = 0;

		while (reader->spans.n < SPANS_MAX &&
			(at = dwarf_ranges(&die, at, &base, &start, &last)) >
				0) {
			add_span(reader, table.unit, start, last);
			table.has_ranges = true;
		}
		/* The other units with line tables are of types, or parts of units. */
		if (dwarf_tag(&die) == DW_TAG_compile_unit &&
			die_line_table(&die, &table.offset))
			*array_push(&tables.at) = table;
	}
	/*
	 * `perf inject --jit` writes units that have nothing but a line table:
	 * their code is that of the table. A table of several units belongs to
	 * those with ranges or, if there are none, to the first unit. A table
	 * is read up to the start of the next one, so that overlapping tables
	 * of a damaged file do not take more time than one table.
	 */
	const struct bytes lines = debug_part_lines(reader->part, reader->file);
	uint64_t size = bytes_left(&lines), end;
	size_t n = tables.at.n, i, next;

	array_sort(&tables.at, compare_tables);
	for (i = 0; i < n; i = next) {
		const struct unit_table *table = &tables.at.at[i];

		next = i + 1;
		while (next < n && tables.at.at[next].offset == table->offset)
			next++;
		end = next < n ? MIN(size, tables.at.at[next].offset) : size;
		if (!table->has_ranges && table->offset < end) {
			struct line_program program = { 0 };

			line_program_read(
				bytes_of(lines.at + table->offset,
					end - table->offset, lines.swap),
				&program);
			array_each(&program.sequences, sequence)
				add_span(reader, table->unit, sequence->start,
					sequence->end);
			line_program_deinit(&program);
		}
	}
	array_free(&tables.at);
	array_sort(&reader->spans, compare_spans);
}

struct dwarf_lines *dwarf_lines_create(
	const struct line_files *files, struct missing_files *missing)
{
	struct elf_file *file = files->debug ? files->debug : files->code;
	struct debug_part *part;
	Dwarf *dwarf = debug_part_begin(file, &part);
	struct dwarf_lines *reader;

	if (!dwarf)
		return NULL;
	reader = xcalloc(1, sizeof(*reader));
	reader->file = file;
	reader->dwarf = dwarf;
	reader->part = part;
	reader->files = *files;
	reader->missing = missing;
	if (files->alt)
		reader->alt = debug_whole_begin(files->alt);
	if (reader->alt)
		dwarf_setalt(dwarf, reader->alt);
	if (elf_file_code_sections(file, &reader->start, &reader->end))
		find_unit_spans(reader);
	return reader;
}

void dwarf_lines_destroy(struct dwarf_lines *reader)
{
	if (!reader)
		return;
	dwarf_end(reader->dwarf);
	dwarf_end(reader->alt);
	debug_part_close(reader->part);
	debug_package_close(reader->package);
	die_scopes_deinit(&reader->scopes);
	array_free(&reader->spans);
	free(reader);
}

/* --- units --------------------------------------------------------------- */

/* Returns the DIE with the functions: UNIT, or the DIE of its .dwo file. */
static Dwarf_Die find_function_die(struct dwarf_lines *reader, Dwarf_Die *unit)
{
	Dwarf_Die split = { 0 };
	uint8_t type = 0;

	if (dwarf_cu_info(
		    unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
		type != DW_UT_skeleton)
		return *unit;
	/*
	 * libdw would open these .dwp and .dwo files for the unit, so they are
	 * checked before.
	 */
	if (!reader->has_package)
		reader->package = debug_package_open(
			reader->files.code, reader->files.debug);
	reader->has_package = true;
	if (debug_package_is_sound(reader->package) &&
		debug_check_split(reader->file, unit) &&
		dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL,
			NULL) == 0 &&
		split.addr)
		return split;
	if (debug_package_find(reader->package, reader->file, unit, &split))
		return split;
	struct debug_splits splits = debug_check_splits(reader->file, unit);
	bool is_first = !reader->missing->files.n;

	missing_files_add(reader->missing, take_pointer(splits.beside));
	missing_files_add(reader->missing, take_pointer(splits.built));
	if (is_first) {
		if (reader->files.code)
			missing_files_add(reader->missing,
				debug_check_package_path(reader->files.code));
		if (reader->files.debug)
			missing_files_add(reader->missing,
				debug_check_package_path(reader->files.debug));
	}
	return *unit;
}

static const struct unit_span *find_unit_span(
	const struct dwarf_lines *reader, uint64_t address)
{
	size_t i = array_count_before(
		&reader->spans, span, span->start <= address);

	size_t stop = i > OVERLAPS_MAX ? i - OVERLAPS_MAX : 0;

	for (; i > stop; i--)
		if (address < reader->spans.at[i - 1].end)
			return &reader->spans.at[i - 1];
	return NULL;
}

struct line_unit *dwarf_lines_read_unit(
	struct dwarf_lines *reader, uint64_t address)
{
	const struct unit_span *span = find_unit_span(reader, address);
	struct line_builder builder;
	struct line_unit *made;
	Dwarf_Die unit, functions;
	const struct line_reading_parts parts = { .unit = &unit,
		.functions = &functions,
		.scopes = &reader->scopes,
		.lines = debug_part_lines(reader->part, reader->file),
		.start = reader->start,
		.end = reader->end };

	if (!span || !debug_part_read(reader->part, span->unit) ||
		!dwarf_offdie(reader->dwarf, span->unit, &unit))
		return NULL;
	/*
	 * The lowest address of the unit is in its first element of the sorted
	 * .spans.
	 */
	uint64_t lowest = UINT64_MAX;

	array_each(&reader->spans, one)
		if (one->unit == span->unit)
			lowest = MIN(lowest, one->start);
	line_builder_init(&builder, lowest);
	array_each(&reader->spans, one)
		if (one->unit == span->unit)
			line_builder_range(&builder, one->start, one->end);
	functions = find_function_die(reader, &unit);
	line_reading_take(&parts, &builder);
	made = line_builder_finish(&builder);
	line_builder_deinit(&builder);
	return made;
}
