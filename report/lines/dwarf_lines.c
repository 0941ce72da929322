/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/dwarf_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "common/file/line_builder.h"
#include "common/util/alloc.h"
#include "common/util/bytes.h"
#include "report/lines/debug_check.h"
#include "report/lines/debug_package.h"
#include "report/lines/debug_part.h"
#include "report/lines/die.h"
#include "report/lines/line_program.h"

/* --- reading a unit ------------------------------------------------------ */

/*
 * Lines and inlined functions of one unit of debug information. The caller finds
 * the unit, and fills struct line_reading_parts.
 */

struct line_reading_parts {
	/*
	 * The DIE of the unit, and the parent DIE of its functions: the same
	 * DIE, or the unit DIE of the .dwo file.
	 */
	Dwarf_Die *unit, *functions;
	struct die_scopes *scopes; /* scopes of the file's DIEs; borrowed */
	struct bytes lines;	   /* .debug_line of the unit's file */
	/*
	 * The address range of the code in the file. Ranges of code that the
	 * linker removed are outside of this range.
	 */
	uint64_t start, end;
};

/* Limit of the DIEs that are read per unit. */
#define DIES_MAX (UINT32_C(1) << 26)
#define NESTING_MAX 256u

struct line_reading {
	const struct line_reading_parts *parts;
	struct line_builder *builder;
	struct die_files files; /* for DW_AT_call_file */
	uint32_t dies;
	/* functions of which the unit has inlined instances */
	ARRAY(struct read_function {
		Dwarf_Die die;
		bool has_name;
	})
	functions;
	struct hash_index by_function;
};

/* --- lines --------------------------------------------------------------- */

static int compare_sequences(const void *a, const void *b)
{
	const struct line_sequence *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->order, right->order);
}

static bool is_linked_address(
	const struct line_reading *reading, uint64_t address)
{
	return address >= reading->parts->start &&
		address < reading->parts->end;
}

/*
 * Adds the rows of all sequences. If the linker folded equal functions into
 * one, only the first of the overlapping sequences is added.
 */
static void add_line_sequences(struct line_reading *reading, Dwarf_Files *files,
	struct line_program *program)
{
	uint64_t end = 0;

	array_sort(&program->sequences, compare_sequences);
	array_each(&program->sequences, sequence) {
		if (!is_linked_address(reading, sequence->start) ||
			sequence->start < end)
			continue;
		uint64_t last = UINT64_MAX;
		uint32_t file = LINE_NONE;
		size_t i;

		for (i = sequence->first; i < sequence->first + sequence->n;
			i++) {
			const struct line_program_row *row =
				&program->rows.at[i];

			/* Most rows have the file of the row before. */
			if (row->file != last)
				file = die_files_add_path(&reading->files,
					reading->builder,
					dwarf_filesrc(
						files, row->file, NULL, NULL));
			last = row->file;
			line_builder_row(reading->builder, row->address, file,
				row->line <= INT32_MAX ? row->line : 0);
		}
		line_builder_row(reading->builder, sequence->end, LINE_NONE, 0);
		end = sequence->end;
	}
}

/* --- inlined functions --------------------------------------------------- */

/*
 * Returns the number in .functions of the function of which DIE is an inlined
 * instance, or LINE_NONE if it has no name.
 */
static uint32_t find_read_function(struct line_reading *reading, Dwarf_Die *die)
{
	uint32_t n = (uint32_t)reading->functions.n;
	struct read_function function = { .die = *die };
	uint64_t hash;

	die_origin(die, &function.die);
	hash = hash_words((uintptr_t)function.die.addr, 0);
	hash_each_match(&reading->by_function, hash, i) {
		const struct read_function *known = &reading->functions.at[i];

		if (known->die.addr == function.die.addr)
			return known->has_name ? i : LINE_NONE;
	}
	function.has_name =
		die_files_add_text(reading->builder,
			die_function_name(&function.die)) != LINE_NONE;
	hash_insert(&reading->by_function, hash, n);
	*array_push(&reading->functions) = function;
	return function.has_name ? n : LINE_NONE;
}

static bool die_has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) ||
		dwarf_hasattr(die, DW_AT_ranges);
}

/* The position of the visited DIEs. */
struct die_position {
	const void *scope; /* address of the innermost scope; NULL: the unit */
	uint32_t node;	   /* innermost inlined function, or LINE_NONE */
	uint32_t depth;
};

/* Returns whether the linker kept any code of DIE. */
static bool die_is_linked(const struct line_reading *reading, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t n = 0;

	while (n++ < LINE_BUILDER_MAX &&
		(at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (is_linked_address(reading, start))
			return true;
	return false;
}

static void visit_child_dies(struct line_reading *reading, Dwarf_Die *parent,
	const struct die_position *at);

/*
 * Lambdas, members of local classes and implementations in Rust are below the
 * DIE of a type, which can be below the abstract instance of an inlined
 * function. Functions that the linker removed are skipped.
 */
static void visit_die(struct line_reading *reading, Dwarf_Die *die,
	const struct die_position *at)
{
	struct die_position below = *at;
	int tag = dwarf_tag(die);
	enum die_kind kind = die_scopes_kind(tag);

	if (kind == DIE_SCOPE) {
		die_scopes_add(reading->parts->scopes, die, at->scope);
		below.scope = die->addr;
	}
	if (tag == DW_TAG_subprogram) {
		below.node = LINE_NONE;
		if (!die_has_code(die) || die_is_linked(reading, die))
			visit_child_dies(reading, die, &below);
	} else if (tag == DW_TAG_inlined_subroutine) {
		if (!die_has_code(die))
			return;
		struct line_node node = {
			.parent = at->node,
			.function = find_read_function(reading, die),
		};
		uint32_t file = 0;

		die_number(die, DW_AT_call_file, &file);
		node.call_file =
			die_files_add(&reading->files, reading->builder, file);
		die_number(die, DW_AT_call_line, &node.call_line);
		uint32_t number = line_builder_node(reading->builder, &node);
		Dwarf_Addr base, start, end;
		ptrdiff_t next = 0;
		size_t n = 0;

		while (number != LINE_NONE && n++ < LINE_BUILDER_MAX &&
			(next = dwarf_ranges(die, next, &base, &start, &end)) >
				0)
			line_builder_stretch(reading->builder, start, end,
				number, at->depth);
		if (number != LINE_NONE)
			below.node = number;
		visit_child_dies(reading, die, &below);
	} else if (kind != DIE_OTHER) {
		visit_child_dies(reading, die, &below);
	}
}

static void visit_child_dies(struct line_reading *reading, Dwarf_Die *parent,
	const struct die_position *at)
{
	struct die_position position = *at;
	Dwarf_Die die;

	position.depth++;
	if (at->depth == NESTING_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (++reading->dies > DIES_MAX)
			return;
		visit_die(reading, &die, &position);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* -------------------------------------------------------------------------- */

/*
 * Adds the lines and inlined functions of PARTS to BUILDER. Relative paths
 * begin in DW_AT_comp_dir (DWARF 5, 3.1.1).
 */
static void line_reading_take(
	const struct line_reading_parts *parts, struct line_builder *builder)
{
	Dwarf_Die *unit = parts->unit, *functions = parts->functions;
	struct line_reading reading = { .parts = parts,
		.builder = builder,
		.files = die_files_of(functions) };

	/* A .dwo file can lack a table of files, and its folder. */
	if (!reading.files.files)
		reading.files = die_files_of(unit);
	reading.files.folder = die_text(unit, DW_AT_comp_dir);
	struct bytes table = parts->lines;
	struct line_program program = { 0 };
	Dwarf_Files *files;
	uint64_t offset;
	size_t n;

	if (die_line_table(unit, &offset) &&
		!dwarf_getsrcfiles(unit, &files, &n) &&
		bytes_take(&table, offset)) {
		line_program_read(table, &program);
		add_line_sequences(&reading, files, &program);
		line_program_deinit(&program);
	}
	die_scopes_begin(parts->scopes, functions);
	visit_child_dies(&reading, functions,
		&(struct die_position){ .node = LINE_NONE });
	/*
	 * Add the functions of which inlined instances were found. Their scopes
	 * are known only after all DIEs of the unit were visited.
	 */
	const struct die_function_reading to = {
		.unit = reading.parts->functions,
		.files = &reading.files,
		.scopes = reading.parts->scopes,
		.builder = reading.builder
	};
	ARRAY(uint32_t) numbers = { 0 };

	array_each(&reading.functions, function)
		*array_push(&numbers) = function->has_name
			? die_function_add(&to, &function->die)
			: LINE_NONE;
	array_each(&reading.builder->nodes, node)
		node->function = numbers.at[node->function];
	array_free(&numbers);
	array_free(&reading.functions);
	hash_free(&reading.by_function);
}

/* --- the units of a file ------------------------------------------------- */

/*
 * Limit of the address ranges that are searched for an address. Ranges of units
 * overlap if the linker folded equal functions into one.
 */
#define OVERLAPS_MAX 16u
/* Limit of the address ranges of all units of a file. */
#define SPANS_MAX (UINT32_C(1) << 26)

struct dwarf_lines {
	struct elf_file *file; /* file with the debug information; borrowed */
	struct dwarf_line_files files; /* borrowed; .file is .debug or .code of
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

/* --- code outside of the ranges of its unit ------------------------------ */

/*
 * `perf inject --jit` writes units that have nothing but a line table, and BOLT
 * 16 moves functions out of the ranges of their DWARF 5 units: the code of a
 * unit is also that of its line table. A table of several units belongs to
 * those with ranges or, if there are none, to the first unit.
 */

struct unit_tables {
	/* the units with line tables */
	ARRAY(struct unit_table {
		uint64_t offset; /* of the line table in .debug_line */
		Dwarf_Off unit;
		bool has_ranges;
	})
	at;
	/* code of the tables that is in no range of a unit */
	ARRAY(struct unit_span) found;
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
 * Adds the ranges of all units to .spans, and their line tables to TABLES. Reads
 * the units, because some compilers do not write .debug_aranges.
 */
static void read_units(struct dwarf_lines *reader, struct unit_tables *tables)
{
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
			*array_push(&tables->at) = table;
	}
	array_sort(&reader->spans, compare_spans);
}

/* Returns whether ADDRESS is of code that the linker kept, and in no range. */
static bool is_outside_ranges(
	const struct dwarf_lines *reader, uint64_t address)
{
	return address >= reader->start && address < reader->end &&
		!find_unit_span(reader, address);
}

/* Returns whether TABLE has code outside of ranges, without running TABLE. */
static bool table_is_wider(const struct dwarf_lines *reader, struct bytes table)
{
	size_t size = elf_file_kind(reader->file).class == ELFCLASS32 ? 4 : 8;
	uint64_t address;

	while (line_program_next_start(&table, size, &address))
		if (is_outside_ranges(reader, address))
			return true;
	return false;
}

static void read_unit_table(const struct dwarf_lines *reader, Dwarf_Off unit,
	struct bytes table, struct unit_tables *tables)
{
	struct line_program program = { 0 };

	line_program_read(table, &program);
	array_each(&program.sequences, sequence)
		if (is_outside_ranges(reader, sequence->start))
			*array_push(&tables->found) =
				(struct unit_span){ sequence->start,
					sequence->end, unit };
	line_program_deinit(&program);
}

/*
 * Finds the code of TABLES that is in no range. A table is read up to the start
 * of the next one, so that overlapping tables of a damaged file do not take
 * more time than one table.
 */
static void read_unit_tables(
	struct dwarf_lines *reader, struct unit_tables *tables)
{
	const struct bytes lines = debug_part_lines(reader->part, reader->file);
	uint64_t size = bytes_left(&lines), end;
	size_t n = tables->at.n, i, next;

	array_sort(&tables->at, compare_tables);
	for (i = 0; i < n; i = next) {
		const struct unit_table *table = &tables->at.at[i];

		next = i + 1;
		while (next < n && tables->at.at[next].offset == table->offset)
			next++;
		end = next < n ? MIN(size, tables->at.at[next].offset) : size;
		if (table->offset >= end)
			continue;
		const struct bytes b = bytes_of(lines.at + table->offset,
			end - table->offset, lines.swap);

		if (!table->has_ranges || table_is_wider(reader, b))
			read_unit_table(reader, table->unit, b, tables);
	}
}

static void find_unit_spans(struct dwarf_lines *reader)
{
	struct unit_tables tables = { 0 };

	read_units(reader, &tables);
	read_unit_tables(reader, &tables);
	array_each(&tables.found, span)
		add_span(reader, span->unit, span->start, span->end);
	array_sort(&reader->spans, compare_spans);
	array_free(&tables.at);
	array_free(&tables.found);
}

struct dwarf_lines *dwarf_lines_create(
	const struct dwarf_line_files *files, struct missing_files *missing)
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
