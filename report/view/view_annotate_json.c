/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints annotated functions as JSON. dwell-annotate(1) documents the shape of
 * the JSON.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/json.h"
#include "report/scan/missing_samples.h"
#include "report/util/output.h"
#include "report/view/annotation_view.h"
#include "report/view/symbol_json.h"

#define ANNOTATE_JSON_VERSION 1

static void put_json_shares(const struct annotation *annotation,
	struct annotation_amount self, struct json *json)
{
	const struct style_shares *shares =
		&annotation->result->options->annotation.shares;

	json_fixed(
		json, "percent", annotation_share(annotation, shares, self), 4);
	json_unsigned(json, "samples", self.samples);
	json_unsigned(json, "period", self.period);
}

/* Writes element I of TOTALS if ANNOTATION has totals. */
static void put_json_total(const struct annotation *annotation,
	const struct annotation_amount *totals, size_t i, struct json *json)
{
	const struct style_shares *shares =
		&annotation->result->options->annotation.shares;

	if (!annotation->has_totals)
		return;
	json_fixed(json, "total_percent",
		annotation_share(annotation, shares, totals[i]), 4);
	json_unsigned(json, "total_samples", totals[i].samples);
	json_unsigned(json, "total_period", totals[i].period);
}

static void put_json_sources(
	const struct annotation *annotation, struct json *json)
{
	json_line(json, "\n   ");
	json_begin_array(json, "sources");
	array_each(&annotation->sources, source) {
		_cleanup_free_ char *text = source->text
			? xstrndup(source->text, source->size)
			: NULL;

		json_line(json, "\n    ");
		json_begin_object(json, NULL);
		json_string(json, "file", source->file);
		json_unsigned(json, "line", source->line);
		put_json_shares(annotation,
			(struct annotation_amount){
				source->samples, source->period },
			json);
		put_json_total(annotation, annotation->totals.sources,
			(size_t)(source - annotation->sources.at), json);
		if (text)
			json_string(json, "text", text);
		if (source->may_have_changed)
			json_bool(json, "may_have_changed", true);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_json_bytes(const struct annotation *annotation,
	const struct instruction *at, struct json *json)
{
	const uint8_t *bytes =
		annotation->bytes + (at->address - annotation->address);
	struct strbuf *out = json_value(json, "bytes");
	size_t i;

	strbuf_putc(out, '"');
	for (i = 0; i < at->size; i++)
		strbuf_printf(out, "%02x", bytes[i]);
	strbuf_putc(out, '"');
}

static void put_json_line(
	const struct annotation *annotation, size_t i, struct json *json)
{
	static const char *const kinds[] = { "other", "jump", "branch", "call",
		"return", "unknown" };
	const struct instruction *at = &annotation->code.at.at[i];
	const struct annotation_line *line = &annotation->lines.at[i];
	const struct flow_place *place = &annotation->flow.places[i];

	json_line(json, "\n    ");
	json_begin_object(json, NULL);
	json_address(json, "address", at->address);
	put_json_shares(annotation,
		(struct annotation_amount){ line->samples, line->period },
		json);
	put_json_total(annotation, annotation->totals.lines, i, json);
	put_json_bytes(annotation, at, json);
	json_string(json, "kind", kinds[at->kind]);
	/*
	 * Write the members of instruction I. The address of a jump target is
	 * in "text" and in "target".
	 */
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_puts(&text, disassembly_text(&annotation->code, at));
	if (at->has_target)
		strbuf_printf(&text, " %" PRIx64, at->target);
	json_string(json, "text", text.at);
	if (at->has_target)
		json_address(json, "target", at->target);
	if (at->has_data)
		json_address(json, "data", at->data);
	if (line->target)
		json_string(json, "name", line->target);
	json_unsigned(json, "block", place->block);
	json_unsigned(json, "depth", place->depth);
	if (line->source != ANNOTATION_NONE)
		json_unsigned(json, "source", line->source);
	if (line->inlined)
		json_string(json, "inlined", line->inlined);
	json_end_object(json);
}

static void put_json_title(
	const struct annotation *annotation, struct json *json)
{
	const struct annotation_amount total = annotation_whole(annotation);
	const struct style_shares global = { true, false };
	const struct input_event *event =
		&annotation->result->inputs.events
			 .at[annotation->functions->event];

	json_string(json, "event", event->name);
	json_string(json, "sym", annotation->symbol);
	json_string(json, "dso", annotation->dso);
	symbol_json_put(annotation->result->resolver,
		annotation->function->location, json);
	json_address(json, "address", annotation->address);
	json_unsigned(json, "size", annotation->size);
	json_unsigned(json, "samples", annotation->function->samples);
	json_unsigned(json, "period", annotation->function->period);
	json_fixed(json, "percent_of_all",
		annotation_share(annotation, &global,
			(struct annotation_amount){
				.period = annotation->function->period }),
		4);
	if (annotation->has_totals) {
		json_unsigned(json, "total_samples", total.samples);
		json_unsigned(json, "total_period", total.period);
		json_fixed(json, "total_percent_of_all",
			annotation_share(annotation, &global, total), 4);
	}
	if (annotation->is_cut)
		json_bool(json, "is_cut", true);
	if (annotation->problem)
		json_string(json, "problem", annotation->problem->text);
}

static void begin_json_functions(
	const struct inputs *inputs, struct strbuf *out)
{
	struct json json = { .out = out };

	json_begin_object(&json, NULL);
	json_unsigned(&json, "version", ANNOTATE_JSON_VERSION);
	missing_damage_put_json(inputs, &json);
	json_begin_array(&json, "functions");
}

static void put_json_function(
	const struct annotation *annotation, bool is_first, struct strbuf *out)
{
	struct json json = { .out = out };

	strbuf_puts(out, is_first ? "" : ",");
	json_line(&json, "\n  ");
	json_begin_object(&json, NULL);
	put_json_title(annotation, &json);
	size_t i;

	json_line(&json, "\n   ");
	json_begin_array(&json, "lines");
	for (i = 0; i < annotation->code.at.n; i++) {
		put_json_line(annotation, i, &json);
		output_some(json.out);
	}
	json_end_array(&json);
	const struct style_shares *shares =
		&annotation->result->options->annotation.shares;

	json_line(&json, "\n   ");
	json_begin_array(&json, "loops");
	array_each(&annotation->flow.loops, loop) {
		json_begin_object(&json, NULL);
		json_unsigned(&json, "head", loop->head);
		json_unsigned(&json, "last", loop->last);
		json_fixed(&json, "percent",
			annotation_loop_share(annotation, shares, loop), 4);
		json_end_object(&json);
	}
	json_end_array(&json);
	if (annotation->blocks) {
		json_line(&json, "\n   ");
		json_begin_array(&json, "blocks");
		for (i = 0; i < annotation->flow.blocks.n; i++) {
			const struct branch_block *block =
				&annotation->blocks[i];

			json_begin_object(&json, NULL);
			json_unsigned(&json, "entered", block->entered);
			json_unsigned(&json, "taken", block->taken);
			json_unsigned(&json, "not_taken", block->not_taken);
			json_unsigned(
				&json, "mispredicted", block->mispredicted);
			if (block->timed)
				json_fixed(&json, "cycles",
					block->cycles / (double)block->timed,
					2);
			json_end_object(&json);
		}
		json_end_array(&json);
	}
	put_json_sources(annotation, &json);
	json_end_object(&json);
}

static void end_json_functions(struct strbuf *out)
{
	struct json json = { .out = out };

	json_end_array(&json);
	json_end_object(&json);
	strbuf_putc(out, '\n');
}

const struct annotation_view annotation_view_json = { "json",
	begin_json_functions, put_json_function, end_json_functions };
