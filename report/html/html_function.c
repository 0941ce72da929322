/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_function.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/html/html_bytes.h"

#define ARROW_BITS 2u
/* Of a line of source code; nobody reads on. */
#define SOURCE_MOST 400u

/* One function on its way. */
struct putting {
	const struct html_function *function;
	const struct annotation *annotation;
	struct html_texts *texts;
	struct strbuf *out;
	uint64_t last; /* address of an instruction */
};

static void put_number(struct putting *putting, uint64_t number)
{
	html_put_number(putting->out, number);
}

static void put_text(struct putting *putting, const char *text)
{
	html_put_text(putting->out, text);
}

/* --- lines of source code ------------------------------------------------- */

static uint32_t text_number(struct html_texts *texts, const char *text)
{
	uint64_t hash = hash_string(text);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&texts->by_text, hash, &probe)) != HASH_NONE)
		if (string_is(texts->at.at[i], text))
			return i;
	i = (uint32_t)texts->at.n;
	hash_insert(&texts->by_text, hash, i);
	*array_push(&texts->at) = text;
	return i;
}

static void put_sources(struct putting *putting)
{
	put_number(putting, putting->annotation->sources.n);
	array_each(&putting->annotation->sources, source) {
		_cleanup_strbuf_ struct strbuf safe = { 0 };

		put_number(putting, text_number(putting->texts, source->file));
		put_number(putting, source->line);
		put_number(putting, !source->text ? 0
				: source->may_have_changed ? 2
							   : 1);
		if (!source->text)
			continue;
		escape_lines(&safe, source->text,
			MIN(source->size, (size_t)SOURCE_MOST));
		html_put_bytes(putting->out, &safe);
	}
}

/* What it jumps to or asks for, outside of the function. */
static void put_outside(struct putting *putting, size_t i)
{
	const struct instruction *at = &putting->annotation->code.at.at[i];
	const char *name = putting->annotation->lines.at[i].target;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (at->has_target)
		strbuf_printf(&text, "%" PRIx64, at->target);
	else if (at->has_data)
		strbuf_printf(&text, "# %" PRIx64, at->data);
	if (name && text.n)
		strbuf_printf(&text, " <%s>", name);
	put_text(putting, text.at);
}

static void put_target(struct putting *putting, size_t i)
{
	const struct flow_place *places = putting->annotation->flow.places;
	uint32_t target = places[i].target;

	if (target == FLOW_NONE) {
		put_number(putting, 0);
		put_outside(putting, i);
		return;
	}
	put_number(putting, (uint64_t)target + 1);
	put_number(putting, places[target].label);
}

static void put_line(struct putting *putting, size_t i, size_t skipped)
{
	const struct annotation *annotation = putting->annotation;
	const struct instruction *at = &annotation->code.at.at[i];
	const struct annotation_line *line = &annotation->lines.at[i];
	const struct flow_place *place = &annotation->flow.places[i];
	uint64_t arrows = 0;
	size_t lane;

	for (lane = 0; lane < annotation->flow.n_lanes; lane++)
		arrows |= (uint64_t)place->arrows[lane] << lane * ARROW_BITS;
	put_number(putting, skipped);
	put_number(putting, at->address - putting->last);
	putting->last = at->address;
	put_text(putting, disassembly_text(&annotation->code, at));
	put_number(putting, line->source == ANNOTATION_NONE
			? 0
			: (uint64_t)line->source + 1);
	put_number(putting, line->inlined
			? (uint64_t)text_number(putting->texts, line->inlined) + 1
			: 0);
	put_number(putting, place->label);
	put_target(putting, i);
	put_number(putting, arrows);
	put_number(putting, place->depth);
}

static bool is_shown(const struct html_function *function, size_t i)
{
	return !function->is_near || function->is_near[i];
}

static void put_lines(struct putting *putting)
{
	size_t n = putting->annotation->code.at.n, skipped = 0, kept = 0, i;

	for (i = 0; i < n; i++)
		kept += is_shown(putting->function, i);
	put_number(putting, kept);
	for (i = 0; i < n; i++) {
		if (!is_shown(putting->function, i)) {
			skipped++;
			continue;
		}
		put_line(putting, i, skipped);
		skipped = 0;
	}
	put_number(putting, skipped);
}

/* --- the whole --------------------------------------------------------------- */

static void put_loops(struct putting *putting)
{
	const struct flow *flow = &putting->annotation->flow;

	put_number(putting, flow->loops.n);
	array_each(&flow->loops, loop) {
		put_number(putting, loop->head);
		put_number(putting, loop->last);
	}
}

static bool is_told(const struct branch_block *block)
{
	return block->entered || block->taken || block->not_taken;
}

static void put_blocks(struct putting *putting)
{
	const struct annotation *annotation = putting->annotation;
	size_t n = annotation->blocks ? annotation->flow.blocks.n : 0, i;
	uint64_t told = 0;

	for (i = 0; i < n; i++)
		told += is_told(&annotation->blocks[i]);
	put_number(putting, putting->function->event);
	put_number(putting, told);
	for (i = 0; i < n; i++) {
		const struct branch_block *block = &annotation->blocks[i];

		if (!is_told(block))
			continue;
		put_number(putting, annotation->flow.blocks.at[i].first);
		put_number(putting, block->entered);
		put_number(putting, block->taken);
		put_number(putting, block->not_taken);
		put_number(putting, block->mispredicted);
		put_number(putting, block->timed
				? (uint64_t)(10.0 * block->cycles /
						  (double)block->timed + 0.5)
				: 0);
	}
}

static bool is_with(const struct html_part *a, const struct html_part *b)
{
	return a->slice == b->slice && a->pid == b->pid && a->tid == b->tid;
}

/* What each of the N samples' period is; 0: they differ. */
static uint64_t same_period(const struct html_part *parts, size_t n)
{
	uint64_t same = n && parts->samples ? parts->period / parts->samples : 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (parts[i].period != same * parts[i].samples)
			return 0;
	return same;
}

/* Of one thread and slice. */
static void put_group(struct putting *putting, const struct html_part *parts,
	size_t n, uint64_t same)
{
	const struct annotation *annotation = putting->annotation;
	uint32_t before = 0;
	size_t i;

	put_number(putting, parts->pid);
	put_number(putting, parts->tid);
	put_number(putting, n);
	for (i = 0; i < n; i++) {
		uint32_t line = flow_instruction(&annotation->code,
			annotation->address + parts[i].place);
		bool is_there = line != FLOW_NONE;

		put_number(putting, is_there ? line - before : 0);
		put_number(putting, is_there ? parts[i].samples : 0);
		if (!same)
			put_number(putting, is_there ? parts[i].period : 0);
		before = is_there ? line : before;
	}
}

static void put_parts(
	struct putting *putting, const struct html_part *parts, size_t n)
{
	uint64_t same = same_period(parts, n), groups = 0;
	uint32_t slice = 0;
	size_t i, end;

	for (i = 0; i < n; i++)
		groups += !i || !is_with(&parts[i], &parts[i - 1]);
	put_number(putting, groups);
	if (!groups)
		return;
	put_number(putting, same);
	for (i = 0; i < n; i = end) {
		for (end = i; end < n && is_with(&parts[i], &parts[end]);)
			end++;
		put_number(putting, parts[i].slice - slice);
		put_group(putting, &parts[i], end - i, same);
		slice = parts[i].slice;
	}
}

static void put_counts(struct putting *putting)
{
	put_number(putting, putting->function->counts.n);
	array_each(&putting->function->counts, counts) {
		uint32_t before = 0;

		put_number(putting, counts->event);
		put_number(putting, counts->samples);
		put_number(putting, counts->period);
		put_number(putting, counts->at.n);
		array_each(&counts->at, at) {
			put_number(putting, at->line - before);
			put_number(putting, at->samples);
			put_number(putting, at->period);
			before = at->line;
		}
		put_parts(putting, counts->parts, counts->n_parts);
	}
}

static void put_head(struct putting *putting, const char *problem)
{
	_cleanup_strbuf_ struct strbuf address = { 0 };

	strbuf_printf(&address, "%" PRIx64, putting->annotation->address);
	put_number(putting, putting->function->number);
	put_text(putting, problem);
	put_text(putting, address.at);
	put_number(putting, putting->annotation->is_cut);
}

void html_function_put(const struct html_function *function,
	struct html_texts *texts, struct strbuf *out)
{
	const struct annotation *annotation = &function->annotation;
	struct putting putting = { function, annotation, texts, out,
		annotation->address };

	put_head(&putting,
		annotation->problem ? annotation->problem->text : NULL);
	put_sources(&putting);
	put_lines(&putting);
	put_loops(&putting);
	put_blocks(&putting);
	put_counts(&putting);
}

void html_function_put_problem(const struct html_function *function,
	const char *problem, struct strbuf *out)
{
	struct putting putting = {
		function, &function->annotation, NULL, out, 0
	};
	const uint64_t none[] = { 0, 0, 0, 0, function->event, 0 };
	size_t i;

	put_head(&putting, problem);
	/* Sources, lines, skipped, loops, the event of no blocks. */
	for (i = 0; i < ARRAY_SIZE(none); i++)
		put_number(&putting, none[i]);
	put_number(&putting, function->counts.n);
	array_each(&function->counts, counts) {
		put_number(&putting, counts->event);
		put_number(&putting, counts->samples);
		put_number(&putting, counts->period);
		put_number(&putting, 0);
		put_number(&putting, 0);
	}
}

void html_function_deinit(struct html_function *function)
{
	array_each(&function->counts, counts)
		array_free(&counts->at);
	array_free(&function->counts);
	free(function->is_near);
	annotation_deinit(&function->annotation);
}

void html_texts_deinit(struct html_texts *texts)
{
	array_free(&texts->at);
	hash_free(&texts->by_text);
}
