/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotated functions as JSON; its shape is documented in dwell-annotate(1). */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/scan/damaged_inputs.h"
#include "report/util/output.h"
#include "report/view/annotation_view.h"

#define SHAPE_VERSION 1

static void put_text(struct strbuf *out, const char *name, const char *text)
{
	strbuf_printf(out, ", \"%s\": ", name);
	escape_json(out, text);
}

/* What is larger than 2^53 is safe as text only. */
static void put_address(struct strbuf *out, const char *name, uint64_t address)
{
	strbuf_printf(out, ", \"%s\": \"0x%" PRIx64 "\"", name, address);
}

static void put_sums(const struct annotation *annotation, uint64_t samples,
	uint64_t period, struct strbuf *out)
{
	const struct annotation_shares *shares =
		&annotation->result->options->annotation.shares;

	strbuf_printf(out,
		", \"percent\": %.4f, \"samples\": %" PRIu64
		", \"period\": %" PRIu64,
		annotation_share(annotation, shares, samples, period), samples,
		period);
}

static void put_source_name(const struct annotation_source *source,
	struct strbuf *out)
{
	strbuf_puts(out, "{\"file\": ");
	escape_json(out, source->file);
	strbuf_printf(out, ", \"line\": %" PRIu32, source->line);
}

static void put_source(const struct annotation *annotation,
	const struct annotation_source *source, struct strbuf *out)
{
	_cleanup_free_ char *text = source->text
		? xstrndup(source->text, source->size)
		: NULL;

	put_source_name(source, out);
	put_sums(annotation, source->samples, source->period, out);
	if (text)
		put_text(out, "text", text);
	if (source->may_have_changed)
		strbuf_puts(out, ", \"may_have_changed\": true");
	strbuf_putc(out, '}');
}

static void put_sources(const struct annotation *annotation, struct strbuf *out)
{
	const char *separator = "\n    ";

	strbuf_puts(out, ",\n   \"sources\": [");
	array_each(&annotation->sources, source) {
		strbuf_puts(out, separator);
		put_source(annotation, source, out);
		separator = ",\n    ";
	}
	strbuf_putc(out, ']');
}

static void put_bytes(const struct annotation *annotation,
	const struct instruction *at, struct strbuf *out)
{
	const uint8_t *bytes =
		annotation->bytes + (at->address - annotation->address);
	size_t i;

	strbuf_puts(out, ", \"bytes\": \"");
	for (i = 0; i < at->size; i++)
		strbuf_printf(out, "%02x", bytes[i]);
	strbuf_putc(out, '"');
}

/* The target stands in the text as well, as an address. */
static void put_code(const struct annotation *annotation, size_t i,
	struct strbuf *out)
{
	const struct instruction *at = &annotation->code.at.at[i];
	const struct annotation_line *line = &annotation->lines.at[i];
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_puts(&text, disassembly_text(&annotation->code, at));
	if (at->has_target)
		strbuf_printf(&text, " %" PRIx64, at->target);
	put_text(out, "text", text.at);
	if (at->has_target)
		put_address(out, "target", at->target);
	if (at->has_data)
		put_address(out, "data", at->data);
	if (line->target)
		put_text(out, "name", line->target);
}

static void put_line(const struct annotation *annotation, size_t i,
	struct strbuf *out)
{
	static const char *const kinds[] = { "other", "jump", "branch",
		"call", "return", "unknown" };
	const struct instruction *at = &annotation->code.at.at[i];
	const struct annotation_line *line = &annotation->lines.at[i];
	const struct flow_place *place = &annotation->flow.places[i];

	strbuf_printf(out, "{\"address\": \"0x%" PRIx64 "\"", at->address);
	put_sums(annotation, line->samples, line->period, out);
	put_bytes(annotation, at, out);
	put_text(out, "kind", kinds[at->kind]);
	put_code(annotation, i, out);
	strbuf_printf(out, ", \"block\": %" PRIu32 ", \"depth\": %" PRIu32,
		place->block, place->depth);
	if (line->source != ANNOTATION_NONE)
		strbuf_printf(out, ", \"source\": %" PRIu32, line->source);
	if (line->inlined)
		put_text(out, "inlined", line->inlined);
	strbuf_putc(out, '}');
}

static void put_lines(const struct annotation *annotation, struct strbuf *out)
{
	const char *separator = "\n    ";
	size_t i;

	strbuf_puts(out, ",\n   \"lines\": [");
	for (i = 0; i < annotation->code.at.n; i++) {
		strbuf_puts(out, separator);
		put_line(annotation, i, out);
		separator = ",\n    ";
		output_some(out);
	}
	strbuf_putc(out, ']');
}

static void put_loops(const struct annotation *annotation, struct strbuf *out)
{
	const struct annotation_shares *shares =
		&annotation->result->options->annotation.shares;
	const char *separator = "";

	strbuf_puts(out, ",\n   \"loops\": [");
	array_each(&annotation->flow.loops, loop) {
		strbuf_printf(out,
			"%s{\"head\": %" PRIu32 ", \"last\": %" PRIu32
			", \"percent\": %.4f}",
			separator, loop->head, loop->last,
			annotation_loop_share(annotation, shares, loop));
		separator = ", ";
	}
	strbuf_putc(out, ']');
}

static void put_block(const struct branch_block *block, struct strbuf *out)
{
	strbuf_printf(out,
		"{\"entered\": %" PRIu64 ", \"taken\": %" PRIu64
		", \"not_taken\": %" PRIu64 ", \"mispredicted\": %" PRIu64,
		block->entered, block->taken, block->not_taken,
		block->mispredicted);
	if (block->timed)
		strbuf_printf(out, ", \"cycles\": %.2f",
			block->cycles / (double)block->timed);
	strbuf_putc(out, '}');
}

static void put_blocks(const struct annotation *annotation, struct strbuf *out)
{
	size_t i;

	if (!annotation->blocks)
		return;
	strbuf_puts(out, ",\n   \"blocks\": [");
	for (i = 0; i < annotation->flow.blocks.n; i++) {
		strbuf_puts(out, i ? ", " : "");
		put_block(&annotation->blocks[i], out);
	}
	strbuf_putc(out, ']');
}

static void put_head(const struct annotation *annotation, struct strbuf *out)
{
	const struct annotation_shares global = { true, false };
	const struct result *result = annotation->result;

	strbuf_puts(out, "{\"event\": ");
	escape_json(out,
		result->inputs.events.at[annotation->functions->event].name);
	put_text(out, "sym", annotation->symbol);
	put_text(out, "dso", annotation->dso);
	put_address(out, "address", annotation->address);
	strbuf_printf(out,
		", \"size\": %" PRIu64 ", \"samples\": %" PRIu64
		", \"period\": %" PRIu64 ", \"percent_of_all\": %.4f",
		annotation->size, annotation->function->samples,
		annotation->function->period,
		annotation_share(annotation, &global, 0,
			annotation->function->period));
	if (annotation->is_cut)
		strbuf_puts(out, ", \"is_cut\": true");
	if (annotation->problem)
		put_text(out, "problem", annotation->problem->text);
}

static void begin(const struct inputs *inputs, struct strbuf *out)
{
	strbuf_printf(out, "{\"version\": %d, ", SHAPE_VERSION);
	damaged_inputs_put_member(inputs, out);
	strbuf_puts(out, "\"functions\": [");
}

static void put(const struct annotation *annotation, bool is_first,
	struct strbuf *out)
{
	strbuf_puts(out, is_first ? "\n  " : ",\n  ");
	put_head(annotation, out);
	put_lines(annotation, out);
	put_loops(annotation, out);
	put_blocks(annotation, out);
	put_sources(annotation, out);
	strbuf_putc(out, '}');
}

static void end(struct strbuf *out)
{
	strbuf_puts(out, "]}\n");
}

const struct annotation_view annotation_view_json = { "json", begin, put,
	end };
