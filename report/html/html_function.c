/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_function.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/html/html_bytes.h"

#define ARROW_BITS 2u
/* Maximum number of bytes of a source line; longer lines are cut. */
#define SOURCE_SIZE_MAX 400u

struct function_writer {
	const struct html_function *function;
	const struct annotation *annotation;
	struct html_texts *texts;
	struct strbuf *out;
	uint64_t last; /* address of the previous instruction */
};

static void put_code_number(struct function_writer *writer, uint64_t number)
{
	html_put_number(writer->out, number);
}

static void put_code_text(struct function_writer *writer, const char *text)
{
	html_put_text(writer->out, text);
}

/* --- source lines -------------------------------------------------------- */

static uint32_t shared_text_number(struct html_texts *texts, const char *text)
{
	uint64_t hash = hash_string(text);
	uint32_t n = (uint32_t)texts->at.n;

	hash_each_match(&texts->by_text, hash, i)
		if (string_is(texts->at.at[i], text))
			return i;
	hash_insert(&texts->by_text, hash, n);
	*array_push(&texts->at) = text;
	return n;
}

void html_put_source(struct strbuf *out, const char *text, size_t size)
{
	_cleanup_strbuf_ struct strbuf safe = { 0 };

	escape_lines(&safe, text, MIN(size, (size_t)SOURCE_SIZE_MAX));
	html_put_bytes(out, &safe);
}

static void put_code_sources(struct function_writer *writer)
{
	put_code_number(writer, writer->annotation->sources.n);
	array_each(&writer->annotation->sources, source) {
		put_code_number(writer,
			shared_text_number(writer->texts, source->file));
		put_code_number(writer, source->line);
		put_code_number(writer,
			!source->text			   ? 0
				: source->may_have_changed ? 2
							   : 1);
		if (!source->text)
			continue;
		html_put_source(writer->out, source->text, source->size);
	}
}

static void put_jump_target(struct function_writer *writer, size_t i)
{
	const struct flow_place *places = writer->annotation->flow.places;
	uint32_t target = places[i].target;

	if (target == FLOW_NONE) {
		put_code_number(writer, 0);
		/*
		 * Append the jump target outside the function, or the data
		 * address, of instruction I.
		 */
		const struct instruction *at =
			&writer->annotation->code.at.at[i];
		const char *name = writer->annotation->lines.at[i].target;
		_cleanup_strbuf_ struct strbuf text = { 0 };

		if (at->has_target)
			strbuf_printf(&text, "%" PRIx64, at->target);
		else if (at->has_data)
			strbuf_printf(&text, "# %" PRIx64, at->data);
		if (name && text.n)
			strbuf_printf(&text, " <%s>", name);
		put_code_text(writer, text.at);
		return;
	}
	put_code_number(writer, (uint64_t)target + 1);
	put_code_number(writer, places[target].label);
}

static uint64_t number_or_0(uint32_t index)
{
	return index == ANNOTATION_NONE ? 0 : (uint64_t)index + 1;
}

static bool is_instruction_shown(const struct html_function *function, size_t i)
{
	return !function->is_near || function->is_near[i];
}

static void put_instructions(struct function_writer *writer)
{
	size_t n = writer->annotation->code.at.n, skipped = 0, kept = 0, i;

	for (i = 0; i < n; i++)
		kept += is_instruction_shown(writer->function, i);
	put_code_number(writer, kept);
	for (i = 0; i < n; i++) {
		if (!is_instruction_shown(writer->function, i)) {
			skipped++;
			continue;
		}
		const struct annotation *annotation = writer->annotation;
		const struct instruction *at = &annotation->code.at.at[i];
		const struct annotation_line *line = &annotation->lines.at[i];
		const struct flow_place *place = &annotation->flow.places[i];
		uint64_t arrows = 0;
		size_t lane;

		for (lane = 0; lane < annotation->flow.n_lanes; lane++)
			arrows |= (uint64_t)place->arrows[lane]
				<< lane * ARROW_BITS;
		put_code_number(writer, skipped);
		put_code_number(writer, at->address - writer->last);
		writer->last = at->address;
		put_code_text(writer, disassembly_text(&annotation->code, at));
		put_code_number(writer, number_or_0(line->source));
		put_code_number(writer, number_or_0(line->scope));
		put_code_number(writer, place->label);
		put_jump_target(writer, i);
		put_code_number(writer, arrows);
		put_code_number(writer, place->depth);
		skipped = 0;
	}
	put_code_number(writer, skipped);
}

/* --- loops, branches and samples ----------------------------------------- */

static bool has_branch_counts(const struct branch_block *block)
{
	return block->entered || block->taken || block->not_taken;
}

static void put_branch_blocks(struct function_writer *writer)
{
	const struct annotation *annotation = writer->annotation;
	size_t n = annotation->blocks ? annotation->flow.blocks.n : 0, i;
	uint64_t counted = 0;

	for (i = 0; i < n; i++)
		counted += has_branch_counts(&annotation->blocks[i]);
	put_code_number(writer, writer->function->event);
	put_code_number(writer, counted);
	for (i = 0; i < n; i++) {
		const struct branch_block *block = &annotation->blocks[i];

		if (!has_branch_counts(block))
			continue;
		put_code_number(writer, annotation->flow.blocks.at[i].first);
		put_code_number(writer, block->entered);
		put_code_number(writer, block->taken);
		put_code_number(writer, block->not_taken);
		put_code_number(writer, block->mispredicted);
		put_code_number(writer,
			block->timed ? (uint64_t)(10.0 * block->cycles /
						       (double)block->timed +
					       0.5)
				     : 0);
	}
}

/*
 * Returns the period of each sample of the N PARTS, or 0 if the periods differ.
 */
static uint64_t uniform_part_period(const struct html_part *parts, size_t n)
{
	uint64_t same =
		n && parts->samples ? parts->period / parts->samples : 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (parts[i].period != same * parts[i].samples)
			return 0;
	return same;
}

/* Returns the line of PART, or FLOW_NONE. */
static uint32_t part_line(
	const struct function_writer *writer, const struct html_part *part)
{
	return flow_instruction(&writer->annotation->code,
		writer->annotation->address + part->place);
}

/*
 * Appends the N PARTS, numbers of one kind together, as html_data.c writes
 * cells. Parts outside of the known instructions have no samples.
 */
static void put_parts(
	struct function_writer *writer, const struct html_part *parts, size_t n)
{
	uint64_t same = uniform_part_period(parts, n);
	uint32_t cell = 0;
	size_t i;

	put_code_number(writer, n);
	if (!n)
		return;
	put_code_number(writer, same);
	for (i = 0; i < n; i++) {
		put_code_number(writer, parts[i].cell - cell);
		cell = parts[i].cell;
	}
	for (i = 0; i < n; i++) {
		uint32_t line = part_line(writer, &parts[i]);

		put_code_number(writer, line == FLOW_NONE ? 0 : line);
	}
	for (i = 0; i < n; i++)
		put_code_number(writer,
			part_line(writer, &parts[i]) == FLOW_NONE
				? 0
				: parts[i].samples);
	for (i = 0; !same && i < n; i++)
		put_code_number(writer,
			part_line(writer, &parts[i]) == FLOW_NONE
				? 0
				: parts[i].period);
}

/* Appends those of the N AMOUNTS that have samples, which can be NULL. */
static void put_amounts(struct function_writer *writer,
	const struct annotation_amount *amounts, size_t n)
{
	uint64_t kept = 0;
	size_t last = 0, i;

	for (i = 0; amounts && i < n; i++)
		kept += amounts[i].samples > 0;
	put_code_number(writer, kept);
	for (i = 0; amounts && i < n; i++) {
		if (!amounts[i].samples)
			continue;
		put_code_number(writer, i - last);
		put_code_number(writer, amounts[i].samples);
		put_code_number(writer, amounts[i].period);
		last = i;
	}
}

static void put_totals(
	struct function_writer *writer, const struct html_counts *counts)
{
	const struct annotation *annotation = writer->annotation;
	const struct annotation_totals *totals = &counts->totals;

	put_code_number(writer, counts->total.samples);
	put_code_number(writer, counts->total.period);
	put_amounts(writer, totals->lines, annotation->lines.n);
	put_amounts(writer, totals->runs, annotation->lines.n);
	put_amounts(writer, totals->sources, annotation->sources.n);
}

static void put_function_head(
	struct function_writer *writer, const char *problem)
{
	_cleanup_strbuf_ struct strbuf address = { 0 };

	strbuf_printf(&address, "%" PRIx64, writer->annotation->address);
	put_code_number(writer, writer->function->number);
	put_code_text(writer, problem);
	put_code_text(writer, address.at);
	put_code_number(writer, writer->annotation->is_cut);
}

size_t html_function_put(const struct html_function *function,
	struct html_texts *texts, struct strbuf *out)
{
	const struct annotation *annotation = &function->annotation;
	size_t before = out->n, size;
	struct function_writer writer = { function, annotation, texts, out,
		annotation->address };

	put_function_head(&writer,
		annotation->problem ? annotation->problem->text : NULL);
	put_code_sources(&writer);
	put_code_number(&writer, writer.annotation->scopes.n);
	array_each(&writer.annotation->scopes, scope) {
		put_code_number(&writer,
			shared_text_number(writer.texts, scope->name ?: ""));
		put_code_number(&writer, number_or_0(scope->parent));
		put_code_number(&writer, number_or_0(scope->site));
	}
	put_instructions(&writer);
	const struct flow *flow = &writer.annotation->flow;

	put_code_number(&writer, flow->loops.n);
	array_each(&flow->loops, loop) {
		put_code_number(&writer, loop->head);
		put_code_number(&writer, loop->last);
	}
	put_branch_blocks(&writer);
	size = out->n - before;
	put_code_number(&writer, writer.function->counts.n);
	array_each(&writer.function->counts, counts) {
		uint32_t last = 0;

		put_code_number(&writer, counts->event);
		put_code_number(&writer, counts->samples);
		put_code_number(&writer, counts->period);
		put_code_number(&writer, counts->at.n);
		array_each(&counts->at, at) {
			put_code_number(&writer, at->line - last);
			put_code_number(&writer, at->samples);
			put_code_number(&writer, at->period);
			last = at->line;
		}
		put_totals(&writer, counts);
		put_parts(&writer, counts->parts, counts->n_parts);
	}
	return size;
}

void html_function_put_problem(const struct html_function *function,
	const char *problem, struct strbuf *out)
{
	struct function_writer writer = { function, &function->annotation, NULL,
		out, 0 };
	const uint64_t none[] = { 0, 0, 0, 0, 0, function->event, 0 };
	struct html_counts no_lines = { 0 };
	size_t i;

	put_function_head(&writer, problem);
	/* No sources, scopes, lines, skipped lines, loops; the event, with no blocks. */
	for (i = 0; i < ARRAY_SIZE(none); i++)
		put_code_number(&writer, none[i]);
	put_code_number(&writer, function->counts.n);
	array_each(&function->counts, counts) {
		put_code_number(&writer, counts->event);
		put_code_number(&writer, counts->samples);
		put_code_number(&writer, counts->period);
		put_code_number(&writer, 0);
		no_lines.total = counts->total;
		put_totals(&writer, &no_lines);
		put_code_number(&writer, 0);
	}
}

void html_function_deinit(struct html_function *function)
{
	array_each(&function->counts, counts) {
		array_free(&counts->at);
		annotation_totals_deinit(&counts->totals);
	}
	array_free(&function->counts);
	free(function->is_near);
	annotation_deinit(&function->annotation);
}

void html_texts_deinit(struct html_texts *texts)
{
	array_free(&texts->at);
	hash_free(&texts->by_text);
}
