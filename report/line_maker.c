/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/line_maker.h"

#include <dwarf.h>

#include "common/alloc.h"
#include "report/debug_check.h"
#include "report/line_builder.h"

/* Of one unit. */
#define DIES_MAX (UINT32_C(1) << 26)
#define NESTING_MAX 256u
/* From an instance to what it is one of: two are usual. */
#define ORIGINS_MAX 8u
#define TEXT_MAX KIB(64)
/* Units overlap where functions were folded into one. */
#define OVERLAPS_MAX 16u
/* All units' stretches of code. */
#define SPANS_MAX (UINT32_C(1) << 26)

struct line_maker {
	struct elf_file *file; /* borrowed */
	uint64_t start, end;   /* of the code */
	Dwarf *dwarf, *alt; /* .alt may be NULL */
	ARRAY(struct span {
		uint64_t start, end;
		Dwarf_Off unit; /* of its DIE */
	}) spans; /* by start */
};

/* One unit on its way. */
struct making {
	const struct line_maker *maker;
	struct line_builder builder;
	Dwarf_Files *files; /* of call_file; NULL: none */
	size_t n_files;
	uint32_t dies;
	bool is_rust;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->unit, right->unit);
}

/* Code that the linker left out is told to be at 0. */
static bool is_code(
	const struct line_maker *maker, uint64_t start, uint64_t end)
{
	return start < end && start >= maker->start && end <= maker->end;
}

static void add_spans(struct line_maker *maker, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (maker->spans.n < SPANS_MAX &&
		(at = dwarf_ranges(unit, at, &base, &start, &end)) > 0)
		if (is_code(maker, start, end))
			*array_push(&maker->spans) = (struct span){ start, end,
				dwarf_dieoffset(unit) };
}

/* Not every compiler writes .debug_aranges: units tell by themselves. */
static void find_spans(struct line_maker *maker)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(maker->dwarf, unit, &unit, NULL, NULL, &die,
		       NULL) == 0)
		add_spans(maker, &die);
	array_sort(&maker->spans, compare_spans);
}

/* NULL: it has none. */
static Dwarf *begin(struct elf_file *file)
{
	return debug_check_file(file)
		? dwarf_begin_elf(elf_file_handle(file), DWARF_C_READ, NULL)
		: NULL;
}

struct line_maker *line_maker_create(const struct line_files *files)
{
	struct elf_file *file = files->debug ? files->debug : files->code;
	Dwarf *dwarf = begin(file);
	struct line_maker *maker;

	if (!dwarf)
		return NULL;
	maker = xcalloc(1, sizeof(*maker));
	maker->file = file;
	maker->dwarf = dwarf;
	if (files->alt)
		maker->alt = begin(files->alt);
	if (maker->alt)
		dwarf_setalt(dwarf, maker->alt);
	if (elf_file_code(files->code ? files->code : file, &maker->start,
		    &maker->end))
		find_spans(maker);
	return maker;
}

void line_maker_destroy(struct line_maker *maker)
{
	if (!maker)
		return;
	dwarf_end(maker->dwarf);
	dwarf_end(maker->alt);
	array_free(&maker->spans);
	free(maker);
}

/* --- lines ---------------------------------------------------------------- */

static uint32_t add_text(struct making *making, const char *text)
{
	return text && strnlen(text, TEXT_MAX) < TEXT_MAX
		? line_builder_text(&making->builder, text)
		: LINE_NONE;
}

static void add_row(struct making *making, Dwarf_Line *line,
	const char **path, uint32_t *file)
{
	const char *found = dwarf_linesrc(line, NULL, NULL);
	Dwarf_Addr address;
	bool is_end = false;
	int number = 0;

	if (dwarf_lineaddr(line, &address) || dwarf_lineno(line, &number) ||
		dwarf_lineendsequence(line, &is_end))
		return;
	if (is_end) {
		line_builder_row(&making->builder, address, LINE_NONE, 0);
		return;
	}
	/* Most rows are of the file of the row before. */
	if (found != *path) {
		*file = add_text(making, found);
		*path = found;
	}
	line_builder_row(&making->builder, address, *file,
		(uint32_t)MAX(number, 0));
}

static void add_rows(struct making *making, Dwarf_Die *unit)
{
	uint32_t file = LINE_NONE;
	const char *path = NULL;
	Dwarf_Lines *lines;
	size_t n, i;

	if (dwarf_getsrclines(unit, &lines, &n))
		return;
	for (i = 0; i < MIN(n, (size_t)LINE_BUILDER_MAX); i++)
		add_row(making, dwarf_onesrcline(lines, i), &path, &file);
}

/* --- inlined functions ---------------------------------------------------- */

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute)
		? dwarf_formstring(&attribute)
		: NULL;
}

/* What DIE is an instance of, or the declaration of that; into RET. */
static bool find_origin(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die from = *die;

	return (dwarf_attr(&from, DW_AT_abstract_origin, &attribute) ||
		       dwarf_attr(&from, DW_AT_specification, &attribute)) &&
		dwarf_formref_die(&attribute, ret);
}

/* As the linker knows it, or else as it was written. Origins may be a circle. */
static const char *name_of(const Dwarf_Die *of)
{
	const char *plain = NULL, *linked = NULL;
	Dwarf_Die die = *of;
	unsigned hops = 0;

	do {
		linked = text_of(&die, DW_AT_linkage_name)
			?: text_of(&die, DW_AT_MIPS_linkage_name);
		plain = plain ?: text_of(&die, DW_AT_name);
	} while (!linked && ++hops < ORIGINS_MAX && find_origin(&die, &die));
	return linked ?: plain;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) ||
		dwarf_formudata(&attribute, &value))
		return 0;
	return (uint32_t)MIN(value, (Dwarf_Word)INT32_MAX);
}

static uint32_t call_file(struct making *making, Dwarf_Die *die)
{
	uint32_t number = number_of(die, DW_AT_call_file);

	return making->files && number < making->n_files
		? add_text(making,
			  dwarf_filesrc(making->files, number, NULL, NULL))
		: LINE_NONE;
}

static bool has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) ||
		dwarf_hasattr(die, DW_AT_ranges);
}

/* The number of DIE's own node, or else PARENT. */
static uint32_t add_inlined(struct making *making, Dwarf_Die *die,
	uint32_t parent, uint32_t depth)
{
	const struct line_node node = {
		.parent = parent,
		.name = add_text(making, name_of(die)),
		.call_file = call_file(making, die),
		.call_line = number_of(die, DW_AT_call_line),
	};
	uint32_t number = line_builder_node(&making->builder, &node);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t n = 0;

	if (number == LINE_NONE)
		return parent;
	while (n++ < LINE_BUILDER_MAX &&
		(at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		line_builder_stretch(
			&making->builder, start, end, number, depth);
	return number;
}

static void visit_children(struct making *making, Dwarf_Die *parent,
	uint32_t node, uint32_t depth);

/* Types are left out, and what no code was made of. */
static void visit(struct making *making, Dwarf_Die *die, uint32_t node,
	uint32_t depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (has_code(die))
			visit_children(making, die, LINE_NONE, depth);
		break;
	case DW_TAG_inlined_subroutine:
		if (has_code(die))
			visit_children(making, die,
				add_inlined(making, die, node, depth), depth);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		visit_children(making, die, node, depth);
		break;
	/* Rust's functions stand in what they are implemented for. */
	case DW_TAG_structure_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_union_type:
		if (making->is_rust)
			visit_children(making, die, node, depth);
		break;
	default:
		break;
	}
}

static void visit_children(struct making *making, Dwarf_Die *parent,
	uint32_t node, uint32_t depth)
{
	Dwarf_Die die;

	if (depth == NESTING_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (++making->dies > DIES_MAX)
			return;
		visit(making, &die, node, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* --- units ---------------------------------------------------------------- */

/* The DIE with the functions: UNIT, or that of its .dwo file. */
static Dwarf_Die find_functions(const struct line_maker *maker, Dwarf_Die *unit)
{
	Dwarf_Die split = { 0 };
	uint8_t type = 0;

	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL,
		    NULL) ||
		type != DW_UT_skeleton ||
		!debug_check_split(maker->file, unit) ||
		dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL,
			NULL) ||
		!split.addr)
		return *unit;
	return split;
}

static const struct span *find_span(
	const struct line_maker *maker, uint64_t address)
{
	size_t i = array_count_before(
		&maker->spans, span, span->start <= address);

	size_t stop = i > OVERLAPS_MAX ? i - OVERLAPS_MAX : 0;

	for (; i > stop; i--)
		if (address < maker->spans.at[i - 1].end)
			return &maker->spans.at[i - 1];
	return NULL;
}

static void add_ranges(struct making *making, Dwarf_Off unit)
{
	array_each(&making->maker->spans, span)
		if (span->unit == unit)
			line_builder_range(
				&making->builder, span->start, span->end);
}

/* Spans are sorted: the first one of a unit is its lowest. */
static uint64_t base_of(const struct line_maker *maker, Dwarf_Off unit)
{
	array_each(&maker->spans, span)
		if (span->unit == unit)
			return span->start;
	return 0;
}

struct line_unit *line_maker_make(struct line_maker *maker, uint64_t address)
{
	const struct span *span = find_span(maker, address);
	struct making making = { .maker = maker };
	struct line_unit *made;
	Dwarf_Die unit, functions;

	if (!span || !dwarf_offdie(maker->dwarf, span->unit, &unit))
		return NULL;
	line_builder_init(&making.builder, base_of(maker, span->unit));
	add_ranges(&making, span->unit);
	add_rows(&making, &unit);
	functions = find_functions(maker, &unit);
	if (dwarf_getsrcfiles(&functions, &making.files, &making.n_files))
		making.files = NULL;
	making.is_rust = dwarf_srclang(&functions) == DW_LANG_Rust;
	visit_children(&making, &functions, LINE_NONE, 0);
	made = line_builder_finish(&making.builder);
	line_builder_deinit(&making.builder);
	return made;
}
