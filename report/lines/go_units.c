/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/go_units.h"

#include "common/elf/go_lines.h"
#include "common/file/line_builder.h"
#include "common/util/alloc.h"

/* Consecutive functions of a unit. */
#define UNIT_FUNCTIONS 64u
/*
 * Functions share values and texts. All units may have as many values as the
 * table has bytes, and VALUES_MAX: more are damage. Each row needs a value. All
 * units of a large program have a sixth of them.
 */
#define VALUES_MAX (UINT64_C(1) << 23)
/*
 * All texts may be this number of times as long as the table, and have
 * TEXTS_MAX bytes. Those of large programs are as long as the table, or twice.
 */
#define TEXTS_SHARE_MAX 8u
#define TEXTS_MAX MIB(256)
/* Limit of the rows of a unit; more are left out. */
#define UNIT_ROWS_MAX (UINT32_C(1) << 18)

struct go_units {
	struct elf_file *file; /* borrowed */
	struct go_table *table;
	struct go_module module;
	uint64_t values_left, texts_left;
};

/* A range of a function with one line; it ends at the next range. */
struct go_row {
	uint64_t start;
	uint32_t file, line; /* .file is a text */
	int32_t call;	     /* innermost inlined call; below 0: none */
};

/* A function that is being read. */
struct go_reading {
	struct go_units *units;
	struct line_builder *builder;
	struct go_function function;
	struct go_lines lines;
	ARRAY(struct go_row) rows;
	ARRAY(struct call_node {
		int32_t call;
		uint32_t node; /* LINE_NONE: the call is damaged */
	})
	nodes;
	struct hash_index by_call;
};

struct go_units *go_units_create(struct elf_file *file)
{
	struct go_table *table = go_table_open(file);
	struct go_units *units;

	if (!table)
		return NULL;
	units = xcalloc(1, sizeof(*units));
	units->file = file;
	units->table = table;
	units->values_left = MIN(go_table_bytes_max(table), VALUES_MAX);
	units->texts_left = MIN(go_table_bytes_max(table) * TEXTS_SHARE_MAX,
		(uint64_t)TEXTS_MAX);
	go_table_module(table, file, &units->module);
	return units;
}

void go_units_destroy(struct go_units *units)
{
	if (!units)
		return;
	go_table_close(units->table);
	free(units);
}

/* --- rows ----------------------------------------------------------------- */

/* The files, lines and calls of a function, read at the same address. */
struct go_cursors {
	struct go_values files, lines, calls;
	uint32_t file; /* text of the file at .files */
};

/*
 * Reads VALUES until they hold at ADDRESS. Sets .value to -1 behind their end. Returns
 * true if the value can be another one.
 */
static bool advance_values(
	struct go_units *units, struct go_values *values, uint64_t address)
{
	bool is_new = false;

	while (values->end <= address) {
		is_new = true;
		if (units->values_left && go_values_next(values)) {
			units->values_left--;
			continue;
		}
		values->value = -1;
		values->end = UINT64_MAX;
	}
	return is_new;
}

static void read_function_rows(struct go_reading *reading)
{
	const struct go_function *function = &reading->function;
	const struct go_lines *lines = &reading->lines;
	struct go_units *units = reading->units;
	struct go_cursors at = {
		.files = go_values_begin(
			units->table, lines->files, function->start),
		.lines = go_values_begin(
			units->table, lines->lines, function->start),
		.calls = go_values_begin(
			units->table, lines->calls, function->start),
	};
	uint64_t address = function->start;

	while (address < function->end &&
		reading->builder->rows.n + reading->rows.n < UNIT_ROWS_MAX) {
		if (advance_values(units, &at.files, address))
			at.file = line_builder_text(reading->builder,
				go_lines_file(units->table, lines,
					at.files.value, &units->texts_left));
		advance_values(units, &at.lines, address);
		advance_values(units, &at.calls, address);
		*array_push(&reading->rows) = (struct go_row){ address, at.file,
			(uint32_t)MAX(at.lines.value, 0), at.calls.value };
		address = MIN(at.files.end, at.lines.end);
		address = MIN(address, at.calls.end);
	}
}

/* --- inlined functions ---------------------------------------------------- */

static const struct call_node *find_call_node(
	const struct go_reading *reading, int32_t call)
{
	uint64_t hash = hash_words((uint32_t)call, 0);

	hash_each_match(&reading->by_call, hash, i)
		if (reading->nodes.at[i].call == call)
			return &reading->nodes.at[i];
	return NULL;
}

/* A call, and the rows in the inlined function and of the call. */
struct read_call {
	const struct go_row *row, *caller;
	struct go_call call;
	bool is_valid;
};

/* Adds CALL, which is inlined into the call with the node PARENT. */
static uint32_t add_call_node(struct go_reading *reading,
	const struct read_call *call, uint32_t parent)
{
	const struct line_function function = {
		.name = line_builder_text(reading->builder, call->call.name),
		.qualified = LINE_NONE,
		.file = call->call.line ? call->row->file : LINE_NONE,
		.line = call->call.line,
	};
	const struct line_node node = {
		.parent = parent,
		.function = line_builder_function(reading->builder, &function),
		.call_file = call->caller ? call->caller->file : LINE_NONE,
		.call_line = call->caller ? call->caller->line : 0,
	};
	uint32_t number = call->is_valid
		? line_builder_node(reading->builder, &node)
		: LINE_NONE;

	hash_insert(&reading->by_call, hash_words((uint32_t)call->row->call, 0),
		(uint32_t)reading->nodes.n);
	*array_push(&reading->nodes) =
		(struct call_node){ call->row->call, number };
	return number;
}

/*
 * Returns the node of the call of ROW, which is added with its callers if it is
 * new, or LINE_NONE.
 */
static uint32_t get_call_node(
	struct go_reading *reading, const struct go_row *row)
{
	struct read_call calls[LINE_DEPTH_MAX];
	const struct call_node *known = NULL;
	uint32_t node = LINE_NONE;
	size_t n = 0;

	while (row && row->call >= 0 && n < LINE_DEPTH_MAX) {
		known = find_call_node(reading, row->call);
		if (known)
			break;
		struct read_call ret = { .row = row };

		ret.is_valid = go_lines_call(reading->units->table,
			reading->units->file, &reading->units->module,
			&reading->lines, row->call, &reading->units->texts_left,
			&ret.call);
		if (ret.is_valid) {
			/* The row of the instruction that calls. */
			uint64_t address =
				reading->function.start + ret.call.place;
			size_t i = array_count_before(
				&reading->rows, one, one->start <= address);
			ret.caller = i && address < reading->function.end
				? &reading->rows.at[i - 1]
				: NULL;
		}
		calls[n] = ret;
		row = calls[n++].caller;
	}
	if (known)
		node = known->node;
	/* In a damaged table, calls can be their own callers. */
	while (n-- > 0)
		if (!find_call_node(reading, calls[n].row->call))
			node = add_call_node(reading, &calls[n], node);
	return node;
}

static void add_function_rows(struct go_reading *reading)
{
	size_t i;

	for (i = 0; i < reading->rows.n; i++) {
		const struct go_row *row = &reading->rows.at[i];
		uint64_t end = i + 1 < reading->rows.n
			? reading->rows.at[i + 1].start
			: reading->function.end;
		uint32_t node =
			row->call < 0 ? LINE_NONE : get_call_node(reading, row);

		line_builder_row(
			reading->builder, row->start, row->file, row->line);
		if (node != LINE_NONE)
			line_builder_stretch(
				reading->builder, row->start, end, node, 0);
	}
}

/* --- units ---------------------------------------------------------------- */

struct line_unit *go_units_read(struct go_units *units, uint64_t address)
{
	size_t n = go_table_size(units->table);
	size_t at = go_table_find(units->table, address), i;
	size_t first = at - at % UNIT_FUNCTIONS;
	struct line_builder builder;
	struct go_function function;
	struct line_unit *made;

	if (!go_table_function(units->table, at, &function) ||
		address >= function.end ||
		!go_table_function(units->table, first, &function))
		return NULL;
	line_builder_init(&builder, function.start);
	for (i = first; i < MIN(first + UNIT_FUNCTIONS, n); i++) {
		struct go_reading reading = { .units = units,
			.builder = &builder };

		if (!go_table_function(units->table, i, &reading.function) ||
			!go_lines_read(units->table, i, &reading.lines))
			continue;
		line_builder_range(
			&builder, reading.function.start, reading.function.end);
		read_function_rows(&reading);
		add_function_rows(&reading);
		line_builder_row(&builder, reading.function.end, LINE_NONE, 0);
		array_free(&reading.rows);
		array_free(&reading.nodes);
		hash_free(&reading.by_call);
	}
	made = line_builder_finish(&builder);
	line_builder_deinit(&builder);
	return made;
}
