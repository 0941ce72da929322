/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/dwarf_lines.h"

#include <dwarf.h>

#include "common/util/alloc.h"
#include "report/lines/debug_check.h"
#include "report/lines/debug_package.h"
#include "report/lines/debug_part.h"
#include "report/lines/line_reading.h"

/* Units overlap where functions were folded into one. */
#define OVERLAPS_MAX 16u
/* All units' stretches of code. */
#define SPANS_MAX (UINT32_C(1) << 26)

struct line_maker {
	struct elf_file *file; /* borrowed */
	struct line_files files; /* likewise; .file is one of them */
	struct debug_part *part; /* of it; NULL: libdw has all of it */
	uint64_t start, end;   /* of the code */
	Dwarf *dwarf, *alt; /* .alt may be NULL */
	struct sought *sought;         /* borrowed */
	bool has_looked;               /* for the next one */
	struct debug_package *package; /* NULL: there is none */
	ARRAY(struct span {
		uint64_t start, end;
		Dwarf_Off unit; /* of its DIE */
	}) spans; /* by start */
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

struct line_maker *line_maker_create(
	const struct line_files *files, struct sought *sought)
{
	struct elf_file *file = files->debug ? files->debug : files->code;
	struct debug_part *part;
	Dwarf *dwarf = debug_part_begin(file, &part);
	struct line_maker *maker;

	if (!dwarf)
		return NULL;
	maker = xcalloc(1, sizeof(*maker));
	maker->file = file;
	maker->dwarf = dwarf;
	maker->part = part;
	maker->files = *files;
	maker->sought = sought;
	if (files->alt)
		maker->alt = debug_whole_begin(files->alt);
	if (maker->alt)
		dwarf_setalt(dwarf, maker->alt);
	if (elf_file_code_sections(file, &maker->start, &maker->end))
		find_spans(maker);
	return maker;
}

void line_maker_destroy(struct line_maker *maker)
{
	if (!maker)
		return;
	dwarf_end(maker->dwarf);
	dwarf_end(maker->alt);
	debug_part_close(maker->part);
	debug_package_close(maker->package);
	array_free(&maker->spans);
	free(maker);
}

/* --- units ---------------------------------------------------------------- */

static struct debug_package *package_of(struct line_maker *maker)
{
	if (!maker->has_looked)
		maker->package = debug_package_open(
			maker->files.code, maker->files.debug);
	maker->has_looked = true;
	return maker->package;
}

/* libdw may open what lies around. */
static bool may_have_split(struct line_maker *maker, Dwarf_Die *unit)
{
	return debug_package_is_sound(package_of(maker)) &&
		debug_check_split(maker->file, unit);
}

static void add_packages(struct line_maker *maker)
{
	if (maker->files.code)
		sought_add(maker->sought,
			debug_check_package_path(maker->files.code));
	if (maker->files.debug)
		sought_add(maker->sought,
			debug_check_package_path(maker->files.debug));
}

static void add_splits(struct line_maker *maker, Dwarf_Die *unit)
{
	struct debug_splits splits = debug_check_splits(maker->file, unit);
	bool is_first = !maker->sought->files.n;

	sought_add(maker->sought, take_pointer(splits.beside));
	sought_add(maker->sought, take_pointer(splits.built));
	if (is_first)
		add_packages(maker);
}

/* The DIE with the functions: UNIT, or that of its .dwo file. */
static Dwarf_Die find_functions(struct line_maker *maker, Dwarf_Die *unit)
{
	Dwarf_Die split = { 0 };
	uint8_t type = 0;

	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL,
		    NULL) ||
		type != DW_UT_skeleton)
		return *unit;
	if (may_have_split(maker, unit) &&
		dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL,
			NULL) == 0 &&
		split.addr)
		return split;
	if (debug_package_find(maker->package, maker->file, unit, &split))
		return split;
	add_splits(maker, unit);
	return *unit;
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

static void add_ranges(const struct line_maker *maker, Dwarf_Off unit,
	struct line_builder *builder)
{
	array_each(&maker->spans, span)
		if (span->unit == unit)
			line_builder_range(builder, span->start, span->end);
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
	struct line_builder builder;
	struct line_unit *made;
	Dwarf_Die unit, functions;
	const struct line_reading_parts parts = { .unit = &unit,
		.functions = &functions,
		.lines = debug_part_lines(maker->part, maker->file),
		.start = maker->start,
		.end = maker->end };

	if (!span ||
		!debug_part_read(maker->part, span->unit) ||
		!dwarf_offdie(maker->dwarf, span->unit, &unit))
		return NULL;
	line_builder_init(&builder, base_of(maker, span->unit));
	add_ranges(maker, span->unit, &builder);
	functions = find_functions(maker, &unit);
	line_reading_take(&parts, &builder);
	made = line_builder_finish(&builder);
	line_builder_deinit(&builder);
	return made;
}
