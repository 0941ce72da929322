/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_lines.h"

#include "common/file/line_builder.h"
#include "common/file/packed_dsos.h"
#include "common/maps/runtime_dso.h"
#include "common/util/alloc.h"
#include "report/pack/pack_hits.h"
#include "report/symbols/code_bytes.h"

/* The source lines of one DSO (struct line_unit) under construction. */
struct lines_packing {
	struct lines *lines;
	uint32_t dso;
	const struct pack_functions *functions;
	size_t n_done; /* functions whose lines are already added */
	struct line_builder builder;
	struct hash_index by_node;
	uint64_t next; /* lines of lower file offsets are already added */
};

/*
 * Keep this condition equal to may_have_lines() in resolve_lines.c, which
 * decides for which code reports look up source lines.
 */
bool pack_lines_include(struct symbols *symbols, const struct pack_hit *hit)
{
	const struct symbols_source_dso *view =
		symbols_load(symbols, hit->dso, hit->place);

	return !view->is_kernel && !view->is_doubtful &&
		(view->path[0] == '/' || runtime_dso_is(view->path));
}

/* Returns the number of the inlined function NODE. Adds NODE if it is new. */
static uint32_t intern_line_node(
	struct lines_packing *packing, const struct line_node *node)
{
	uint64_t hash = hash_bytes(node, sizeof(*node));
	uint32_t number;

	hash_each_match(&packing->by_node, hash, i)
		if (packing->builder.nodes.at[i].parent == node->parent &&
			packing->builder.nodes.at[i].function ==
				node->function &&
			packing->builder.nodes.at[i].call_file ==
				node->call_file &&
			packing->builder.nodes.at[i].call_line ==
				node->call_line)
			return i;
	number = line_builder_node(&packing->builder, node);
	if (number != LINE_NONE)
		hash_insert(&packing->by_node, hash, number);
	return number;
}

/* Returns the number of the inlined function of FRAME. */
static uint32_t intern_frame_function(
	struct lines_packing *packing, const struct line_frame *frame)
{
	struct line_builder *builder = &packing->builder;
	const struct line_function function = {
		.name = line_builder_text(builder, frame->name),
		.qualified =
			line_builder_text(builder, frame->declared.qualified),
		.file = line_builder_text(builder, frame->declared.file),
		.line = frame->declared.line,
		.column = frame->declared.column,
		.flags = frame->declared.is_lambda ? LINE_LAMBDA : 0,
	};

	return line_builder_function(builder, &function);
}

/*
 * Adds the source line and the inlined functions, the outermost first, of the
 * address range in STEP. A callback of lines_walk().
 */
static void add_lines_step(void *data, const struct lines_step *step)
{
	struct lines_packing *packing = data;
	struct line_builder *builder = &packing->builder;
	const struct line_frame *frames = step->frames;
	uint32_t node = LINE_NONE;
	size_t i;

	for (i = step->n - 1; i > 0; i--) {
		const struct line_frame *caller = &frames[i];
		const struct line_node inlined = { node,
			intern_frame_function(packing, &frames[i - 1]),
			line_builder_text(builder, caller->file),
			caller->line };

		node = intern_line_node(packing, &inlined);
		line_builder_stretch(builder, step->start, step->end, node,
			(uint32_t)(step->n - i));
	}
	line_builder_row(builder, step->start,
		line_builder_text(builder, frames->file), frames->line);
	line_builder_row(builder, step->end, LINE_NONE, 0);
}

/*
 * Adds the source line at file offset PLACE, unless the line is already added.
 * PLACE never decreases from call to call.
 */
static void add_place_lines(struct lines_packing *packing, uint64_t place)
{
	const struct line_query query = { packing->dso, place, 0 };
	struct line_frame frames[LINE_DEPTH_MAX];
	struct lines_step step = { place, place + 1, frames, 0 };

	if (place < packing->next)
		return;
	packing->next = place + 1;
	step.n = lines_frames(packing->lines, &query, frames);
	if (step.n)
		add_lines_step(packing, &step);
}

/*
 * Adds the source lines of all functions that start at file offset PLACE or
 * before.
 */
static void add_function_lines(struct lines_packing *packing, uint64_t place)
{
	const struct pack_functions *functions = packing->functions;

	for (; packing->n_done < functions->at.n; packing->n_done++) {
		const struct symbol *symbol =
			functions->at.at[packing->n_done].symbol;
		uint64_t start = MAX(symbol->start, packing->next), end;

		if (symbol->start > place)
			return;
		if (start >= symbol->end)
			continue;
		end = start +
			MIN(symbol->end - start, (uint64_t)CODE_BYTES_MAX);
		if (lines_walk(packing->lines, packing->dso, start, end,
			    add_lines_step, packing))
			packing->next = end;
	}
}

/*
 * Returns the source lines of FUNCTIONS and of the N HITS in one DSO. The
 * caller frees the unit.
 */
static struct line_unit *make_line_unit(struct lines *lines,
	const struct pack_functions *functions, const struct pack_hit *hits,
	size_t n)
{
	struct lines_packing packing = {
		.lines = lines, .dso = hits->dso, .functions = functions
	};
	uint64_t base = MAX(hits->place, UINT64_C(1)) - 1;
	struct line_unit *unit;
	size_t i;

	if (functions->at.n)
		base = MIN(base, functions->at.at->symbol->start);
	line_builder_init(&packing.builder, base);
	for (i = 0; i < n; i++) {
		/*
		 * If the hit is a return address, the line of the call is found
		 * one byte before the hit.
		 */
		if (hits[i].place) {
			add_function_lines(&packing, hits[i].place - 1);
			add_place_lines(&packing, hits[i].place - 1);
		}
		add_function_lines(&packing, hits[i].place);
		add_place_lines(&packing, hits[i].place);
	}
	unit = line_builder_finish(&packing.builder);
	line_builder_deinit(&packing.builder);
	hash_free(&packing.by_node);
	return unit;
}

static void prepare_line_queries(const struct pack_hits *hits,
	struct symbols *symbols, struct lines *lines)
{
	ARRAY(struct line_query) queries = { 0 };
	size_t i, n, j;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		if (pack_lines_include(symbols, &hits->at.at[i + n - 1]))
			for (j = i; j < i + n; j++)
				*array_push(&queries) =
					(struct line_query){ hits->at.at[j].dso,
						hits->at.at[j].place, 0 };
	}
	if (queries.n)
		lines_prepare(lines, queries.at, queries.n);
	array_free(&queries);
}

/*
 * Appends the source lines of the DSO of HITS to OUT. Returns false if the file
 * of the DSO was not found.
 */
static bool put_dso_lines(struct lines *lines, struct files *files,
	struct symbols *symbols, const struct pack_hit *hits, size_t n,
	struct strbuf *out)
{
	const struct build_id id = files_build_id(files, hits->dso);
	const struct line_query query = { hits->dso, hits->place, 0 };
	_cleanup_free_ struct line_unit *unit = NULL;
	struct pack_functions functions = { 0 };

	if (!lines_has_file(lines, &query))
		return false;
	pack_functions_find(hits, n, symbols, &functions);
	unit = make_line_unit(lines, &functions, hits, n);
	pack_functions_deinit(&functions);
	packed_dsos_put(files_dso(files, hits->dso), &id, unit,
		line_unit_size(unit), out);
	return true;
}

void pack_lines_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf units = { 0 };
	struct lines *lines = lines_create(files);
	uint32_t n_units = 0;
	size_t i, n;

	prepare_line_queries(hits, symbols, lines);
	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		if (pack_lines_include(symbols, &hits->at.at[i + n - 1]))
			n_units += put_dso_lines(lines, files, symbols,
				&hits->at.at[i], n, &units);
	}
	if (n_units) {
		packed_dsos_begin(n_units, out);
		strbuf_put(out, units.at, units.n);
	}
	lines_destroy(lines);
}
