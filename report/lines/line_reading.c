/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/line_reading.h"

#include <dwarf.h>

#include "report/lines/die.h"
#include "report/lines/line_program.h"

/* Limit of the DIEs that are read per unit. */
#define DIES_MAX (UINT32_C(1) << 26)
#define NESTING_MAX 256u

struct reading {
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

static bool is_linked_address(const struct reading *reading, uint64_t address)
{
	return address >= reading->parts->start &&
		address < reading->parts->end;
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
static uint32_t find_read_function(struct reading *reading, Dwarf_Die *die)
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
	const struct die_position *at);

/*
 * Lambdas, members of local classes and implementations in Rust are below the
 * DIE of a type, which can be below the abstract instance of an inlined
 * function. Functions that the linker removed are skipped.
 */
static void visit_die(
	struct reading *reading, Dwarf_Die *die, const struct die_position *at)
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

static void visit_child_dies(struct reading *reading, Dwarf_Die *parent,
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

void line_reading_take(
	const struct line_reading_parts *parts, struct line_builder *builder)
{
	Dwarf_Die *unit = parts->unit, *functions = parts->functions;
	struct reading reading = { .parts = parts,
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
	const struct function_reading to = { .unit = reading.parts->functions,
		.files = &reading.files,
		.scopes = reading.parts->scopes,
		.builder = reading.builder };
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
