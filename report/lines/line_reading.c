/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/line_reading.h"

#include <dwarf.h>

#include "common/util/alloc.h"
#include "report/lines/line_program.h"

/* Limit of the DIEs that are read per unit. */
#define DIES_MAX (UINT32_C(1) << 26)
#define NESTING_MAX 256u
/*
 * Limit of the links from a DIE to its origin or declaration that are followed
 * to find its name; two are usual.
 */
#define ORIGINS_MAX 8u
#define TEXT_MAX KIB(64)

struct reading {
	const struct line_reading_parts *parts;
	struct line_builder *builder;
	Dwarf_Files *files; /* table for DW_AT_call_file; NULL: none */
	size_t n_files;
	const char *folder; /* DW_AT_comp_dir; NULL: unknown */
	uint32_t dies;
};

/* --- texts --------------------------------------------------------------- */

static const char *die_text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute)
						 : NULL;
}

static bool is_short_text(const char *text)
{
	return text && strnlen(text, TEXT_MAX) < TEXT_MAX;
}

static uint32_t add_line_text(struct reading *reading, const char *text)
{
	return is_short_text(text) ? line_builder_text(reading->builder, text)
				   : LINE_NONE;
}

/*
 * Adds PATH, with DW_AT_comp_dir if PATH is relative. libdw adds the folder of
 * the line table to a path, but only sometimes DW_AT_comp_dir.
 */
static uint32_t add_line_path(struct reading *reading, const char *path)
{
	const char *folder = reading->folder;
	_cleanup_free_ char *whole = NULL;

	if (!is_short_text(path) || *path == '/' || !is_short_text(folder) ||
		!*folder)
		return add_line_text(reading, path);
	/* PATH can already begin with a DW_AT_comp_dir that is relative. */
	if (string_starts(path, folder) && path[strlen(folder)] == '/')
		return add_line_text(reading, path);
	whole = xasprintf("%s/%s", folder, path);
	return add_line_text(reading, whole);
}

/* --- lines --------------------------------------------------------------- */

static int compare_sequences(const void *a, const void *b)
{
	const struct line_sequence *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->order, right->order);
}

static bool is_linked_address(const struct reading *reading, uint64_t address)
{
	return address >= reading->parts->start &&
		address < reading->parts->end;
}

static void add_line_sequence(struct reading *reading, Dwarf_Files *files,
	const struct line_program *program,
	const struct line_sequence *sequence)
{
	uint64_t last = UINT64_MAX;
	uint32_t file = LINE_NONE;
	size_t i;

	for (i = sequence->first; i < sequence->first + sequence->n; i++) {
		const struct line_program_row *row = &program->rows.at[i];

		/* Most rows have the file of the row before. */
		if (row->file != last)
			file = add_line_path(reading,
				dwarf_filesrc(files, row->file, NULL, NULL));
		last = row->file;
		line_builder_row(reading->builder, row->address, file,
			row->line <= INT32_MAX ? row->line : 0);
	}
	line_builder_row(reading->builder, sequence->end, LINE_NONE, 0);
}

/*
 * Adds the rows of all sequences. If the linker folded equal functions into
 * one, only the first of the overlapping sequences is added.
 */
static void add_line_sequences(struct reading *reading, Dwarf_Files *files,
	struct line_program *program)
{
	uint64_t end = 0;

	array_sort(&program->sequences, compare_sequences);
	array_each(&program->sequences, sequence) {
		if (!is_linked_address(reading, sequence->start) ||
			sequence->start < end)
			continue;
		add_line_sequence(reading, files, program, sequence);
		end = sequence->end;
	}
}

static void add_unit_rows(struct reading *reading, Dwarf_Die *unit)
{
	struct bytes table = reading->parts->lines;
	struct line_program program = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word offset;
	size_t n;

	if (!dwarf_attr(unit, DW_AT_stmt_list, &attribute) ||
		dwarf_formudata(&attribute, &offset) ||
		dwarf_getsrcfiles(unit, &files, &n) ||
		!bytes_take(&table, offset))
		return;
	line_program_read(table, &program);
	add_line_sequences(reading, files, &program);
	line_program_deinit(&program);
}

/* --- inlined functions --------------------------------------------------- */

/*
 * Stores the origin or the declaration of DIE in RET. Returns false if there is
 * none.
 */
static bool find_die_origin(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die from = *die;

	return (dwarf_attr(&from, DW_AT_abstract_origin, &attribute) ||
		       dwarf_attr(&from, DW_AT_specification, &attribute)) &&
		dwarf_formref_die(&attribute, ret);
}

/*
 * Returns the linkage name of the function OF, or else its source name. In a
 * damaged file, the links to origins can form a circle.
 */
static const char *linkage_name_of(const Dwarf_Die *of)
{
	const char *plain = NULL, *linked = NULL;
	Dwarf_Die die = *of;
	unsigned hops = 0;

	do {
		linked = die_text_of(&die, DW_AT_linkage_name)
			?: die_text_of(&die, DW_AT_MIPS_linkage_name);
		plain = plain ?: die_text_of(&die, DW_AT_name);
	} while (
		!linked && ++hops < ORIGINS_MAX && find_die_origin(&die, &die));
	return linked ?: plain;
}

static uint32_t die_number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) ||
		dwarf_formudata(&attribute, &value))
		return 0;
	return (uint32_t)MIN(value, (Dwarf_Word)INT32_MAX);
}

static uint32_t call_file_of(struct reading *reading, Dwarf_Die *die)
{
	uint32_t number = die_number_of(die, DW_AT_call_file);

	return reading->files && number < reading->n_files
		? add_line_path(reading,
			  dwarf_filesrc(reading->files, number, NULL, NULL))
		: LINE_NONE;
}

static bool die_has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) ||
		dwarf_hasattr(die, DW_AT_ranges);
}

/*
 * Adds the inlined function DIE. Returns the number of its node, or PARENT if
 * no node was added.
 */
static uint32_t add_inlined_node(struct reading *reading, Dwarf_Die *die,
	uint32_t parent, uint32_t depth)
{
	const struct line_node node = {
		.parent = parent,
		.name = add_line_text(reading, linkage_name_of(die)),
		.call_file = call_file_of(reading, die),
		.call_line = die_number_of(die, DW_AT_call_line),
	};
	uint32_t number = line_builder_node(reading->builder, &node);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t n = 0;

	if (number == LINE_NONE)
		return parent;
	while (n++ < LINE_BUILDER_MAX &&
		(at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		line_builder_stretch(
			reading->builder, start, end, number, depth);
	return number;
}

/* Returns whether the linker kept any code of DIE. */
static bool die_is_linked(const struct reading *reading, Dwarf_Die *die)
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

static void visit_child_dies(struct reading *reading, Dwarf_Die *parent,
	uint32_t node, uint32_t depth);

/*
 * Lambdas, members of local classes and implementations in Rust are below the
 * DIE of a type, which can be below the abstract instance of an inlined
 * function. Functions that the linker removed are skipped.
 */
static void visit_die(
	struct reading *reading, Dwarf_Die *die, uint32_t node, uint32_t depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (!die_has_code(die) || die_is_linked(reading, die))
			visit_child_dies(reading, die, LINE_NONE, depth);
		break;
	case DW_TAG_inlined_subroutine:
		if (die_has_code(die))
			visit_child_dies(reading, die,
				add_inlined_node(reading, die, node, depth),
				depth);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		visit_child_dies(reading, die, node, depth);
		break;
	default: break;
	}
}

static void visit_child_dies(struct reading *reading, Dwarf_Die *parent,
	uint32_t node, uint32_t depth)
{
	Dwarf_Die die;

	if (depth == NESTING_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (++reading->dies > DIES_MAX)
			return;
		visit_die(reading, &die, node, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* -------------------------------------------------------------------------- */

void line_reading_take(
	const struct line_reading_parts *parts, struct line_builder *builder)
{
	Dwarf_Die *unit = parts->unit, *functions = parts->functions;
	struct reading reading = { .parts = parts,
		.builder = builder,
		.folder = die_text_of(unit, DW_AT_comp_dir) };

	add_unit_rows(&reading, unit);
	/* A .dwo file can lack a table of files. */
	if (dwarf_getsrcfiles(functions, &reading.files, &reading.n_files) &&
		dwarf_getsrcfiles(unit, &reading.files, &reading.n_files))
		reading.files = NULL;
	visit_child_dies(&reading, functions, LINE_NONE, 0);
}
