/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack_lines.h"

#include "common/alloc.h"
#include "report/line_builder.h"
#include "report/packed_lines.h"

/* One DSO's unit on its way. */
struct packing {
	struct lines *lines;
	struct line_builder builder;
	struct hash_index by_node;
	uint64_t next; /* what is below is in it */
};

/* As resolve_lines.c asks: neither the kernel's, nor what is no file. */
static bool may_have_lines(
	struct symbols *symbols, const struct pack_hit *last)
{
	const struct dso_view *view =
		symbols_of(symbols, last->dso, last->place);

	return !view->is_kernel && !view->is_doubtful && view->path[0] == '/';
}

static bool is_same(const struct line_node *a, const struct line_node *b)
{
	return a->parent == b->parent && a->name == b->name &&
		a->call_file == b->call_file && a->call_line == b->call_line;
}

/* The number of NODE, a new one or not. */
static uint32_t intern(struct packing *packing, const struct line_node *node)
{
	uint64_t hash = hash_bytes(node, sizeof(*node));
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&packing->by_node, hash, &probe)) != HASH_NONE)
		if (is_same(&packing->builder.nodes.at[i], node))
			return i;
	i = line_builder_node(&packing->builder, node);
	if (i != LINE_NONE)
		hash_insert(&packing->by_node, hash, i);
	return i;
}

/* The N FRAMES at PLACE: each was called where the next one is. */
static void add_frames(struct packing *packing, uint64_t place,
	const struct line_frame *frames, size_t n)
{
	struct line_builder *builder = &packing->builder;
	uint32_t node = LINE_NONE;
	size_t i;

	for (i = n - 1; i > 0; i--) {
		const struct line_frame *caller = &frames[i];
		const struct line_node inlined = { node,
			line_builder_text(builder, frames[i - 1].name),
			line_builder_text(builder, caller->file),
			caller->line };

		node = intern(packing, &inlined);
		line_builder_stretch(builder, place, place + 1, node,
			(uint32_t)(n - i));
	}
	line_builder_row(builder, place,
		line_builder_text(builder, frames->file), frames->line);
}

/* What is at PLACE less BACK, if nobody told yet. Places ascend. */
static void add_place(struct packing *packing, const struct pack_hit *hit,
	uint64_t back)
{
	const struct line_wish wish = { hit->dso, hit->place, back };
	struct line_frame frames[LINE_DEPTH_MAX];
	uint64_t place = hit->place - back;
	size_t n;

	if (hit->place < back || place < packing->next)
		return;
	packing->next = place + 1;
	n = lines_frames(packing->lines, &wish, frames);
	if (n)
		add_frames(packing, place, frames, n);
	line_builder_row(&packing->builder, place + 1, LINE_NONE, 0);
}

/* Owned by the caller. */
static struct line_unit *make_unit(
	struct lines *lines, const struct pack_hit *hits, size_t n)
{
	struct packing packing = { .lines = lines };
	struct line_unit *unit;
	size_t i;

	line_builder_init(&packing.builder, MAX(hits->place, UINT64_C(1)) - 1);
	for (i = 0; i < n; i++) {
		/* A caller's line is that of its call. */
		add_place(&packing, &hits[i], 1);
		add_place(&packing, &hits[i], 0);
	}
	unit = line_builder_finish(&packing.builder);
	line_builder_deinit(&packing.builder);
	hash_free(&packing.by_node);
	return unit;
}

static void prepare(const struct pack_hits *hits, struct symbols *symbols,
	struct lines *lines)
{
	ARRAY(struct line_wish) wishes = { 0 };
	size_t i, n, j;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		if (may_have_lines(symbols, &hits->at.at[i + n - 1]))
			for (j = i; j < i + n; j++)
				*array_push(&wishes) = (struct line_wish){
					hits->at.at[j].dso,
					hits->at.at[j].place, 0 };
	}
	if (wishes.n)
		lines_prepare(lines, wishes.at, wishes.n);
	array_free(&wishes);
}

/* False: its file isn't there. */
static bool put_dso(struct lines *lines, struct files *files,
	const struct pack_hit *hits, size_t n, struct strbuf *out)
{
	const struct build_id id = files_build_id(files, hits->dso);
	const struct line_wish wish = { hits->dso, hits->place, 0 };
	_cleanup_free_ struct line_unit *unit = NULL;

	if (!lines_has_file(lines, &wish))
		return false;
	unit = make_unit(lines, hits, n);
	packed_lines_put(files_dso(files, hits->dso), &id, unit, out);
	return true;
}

void pack_lines_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf units = { 0 };
	struct lines *lines = lines_create(files);
	uint32_t n_units = 0;
	size_t i, n;

	prepare(hits, symbols, lines);
	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		if (may_have_lines(symbols, &hits->at.at[i + n - 1]))
			n_units += put_dso(
				lines, files, &hits->at.at[i], n, &units);
	}
	if (n_units) {
		packed_lines_begin(n_units, out);
		strbuf_put(out, units.at, units.n);
	}
	lines_destroy(lines);
}
