/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the report as JSON. dwell-report(1) documents the shape of the JSON.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/result/result.h"
#include "report/rows/ratio.h"
#include "report/scan/missing_samples.h"
#include "report/util/output.h"
#include "report/unwind/stack_counts_text.h"
#include "report/view/graph.h"
#include "report/view/header.h"
#include "report/view/symbol_json.h"

#define REPORT_JSON_VERSION 1

/* --- the call graph of a row ---------------------------------------------- */

/*
 * Begins the object of NODE, a branch of the call graph. The caller ends the
 * object.
 */
static void begin_branch_object(const struct result *result,
	const struct tree_node *node, struct json *json)
{
	struct resolver *resolver = result->resolver;
	const struct location *at = resolver_location(resolver, node->location);
	_cleanup_strbuf_ struct strbuf symbol = { 0 };
	_cleanup_strbuf_ struct strbuf line = { 0 };

	strbuf_printf(&symbol, "[%c] %s", at->level,
		resolver_function_name(resolver, node->location));
	if (at->symbol && result->options->graph.key == BRANCH_ADDRESS)
		strbuf_printf(&symbol, "+0x%" PRIx64, at->place);
	strbuf_puts(&symbol, at->is_inlined ? " (inlined)" : "");
	json_begin_object(json, NULL);
	json_string(json, "sym", symbol.at);
	json_string(json, "dso", resolver_dso_name(resolver, at->dso_name));
	if (at->is_guessed)
		json_bool(json, "guessed", true);
	if (result->options->graph.key != BRANCH_FUNCTION) {
		resolver_put_line(resolver, node->location,
			RESOLVE_LINE_BY_SYMBOL, &line);
		json_string(json, "srcline", line.at);
	}
	json_unsigned(json, "period", node->period);
	json_unsigned(json, "samples", node->samples);
}

/*
 * Writes the member "graph" of ROW. If the graph would exceed the memory that
 * the recording's size allows, writes no member, prints a note, and returns
 * false.
 */
static bool put_graph_member(const struct result *result,
	const struct hist *hist, const struct row *row, struct json *json)
{
	const struct json before = *json;
	size_t size = json->out->n;
	struct tree tree;

	graph_tree(result, hist, row, &tree);
	json_begin_array(json, "graph");
	/*
	 * Write the branches. Not recursive, because a recording can contain a
	 * tree of any depth.
	 */
	const struct tree_node *nodes = tree.nodes.at;
	uint32_t i = nodes[0].child;

	while (i != TREE_NONE && i != 0) {
		begin_branch_object(result, &nodes[i], json);
		if (nodes[i].child != TREE_NONE) {
			json_begin_array(json, "branches");
			i = nodes[i].child;
			continue;
		}
		json_end_object(json);
		while (i != 0 && nodes[i].sibling == TREE_NONE) {
			i = nodes[i].parent;
			if (i == 0)
				break;
			json_end_array(json);
			json_end_object(json);
		}
		if (i != 0)
			i = nodes[i].sibling;
	}
	json_end_array(json);
	tree_deinit(&tree);
	if (graph_reserve(result, json->out->n - size))
		return true;
	*json = before;
	json->out->n = size;
	return false;
}

/* --- rows ----------------------------------------------------------------- */

/*
 * Writes the sums of ROW; percentages are relative to PERIOD, the period of the
 * event. ROW is NULL if the event has no samples in the row.
 */
static void put_row_sums(
	const struct row *row, uint64_t period, struct json *json)
{
	static const struct row none;
	double total = period ? (double)period : 1;

	if (!row)
		row = &none;
	json_fixed(json, "self", 100.0 * (double)row->self / total, 4);
	json_fixed(json, "children", 100.0 * (double)row->children / total, 4);
	json_unsigned(json, "samples", row->samples);
	json_unsigned(json, "self_period", row->self);
	json_unsigned(json, "children_period", row->children);
}

static void put_row_columns(const struct result *result,
	const struct hist *hist, const struct row *row, struct json *json)
{
	static const struct hist_key_style style = { escape_json, "null" };
	double total = hist->period ? (double)hist->period : 1;

	array_each(&result->request.columns, column) {
		const struct field *field = column->field;

		if (!column_is_named(column))
			continue;
		if (field->kind == FIELD_KEY) {
			hist_put_key(row, column, &result->names, &style,
				json_value(json, field->name));
			/*
			 * Write the members about the symbol of ROW: "guessed"
			 * if it is made up, and "other_names".
			 */
			if (string_is(column->field->name, "sym") &&
				!row->is_rest)
				symbol_json_put(result->resolver,
					(uint32_t)row->key[column->key], json);
		} else if (field->kind == FIELD_RATIO) {
			ratio_put(hist, row, field, "null",
				json_value(json, field->name));
		} else {
			json_fixed(json, field->name,
				100.0 * (double)hist_number(row, field) / total,
				4);
		}
	}
}

/* Begins the object of HIST's event. The caller ends the object. */
static void begin_event_object(
	const struct result *result, const struct hist *hist, struct json *json)
{
	const struct input_event *event = result_event(result, hist);

	json_begin_object(json, NULL);
	json_string(json, "event", event->name);
	json_unsigned(json, "samples", hist->samples);
	json_unsigned(json, "period", hist->period);
	json_unsigned(json, "lost", event->lost);
}

static void put_event_rows(
	const struct result *result, const struct hist *hist, struct json *json)
{
	bool has_graphs = result->forest;

	json_line(json, "\n  ");
	begin_event_object(result, hist, json);
	if (hist->members.n) {
		json_begin_array(json, "group");
		array_each(&hist->members, member) {
			begin_event_object(result, member, json);
			json_end_object(json);
		}
		json_end_array(json);
	}
	json_begin_array(json, "rows");
	array_each(&hist->rows, row) {
		if (row->is_hidden)
			continue;
		size_t i;

		json_line(json, "\n    ");
		json_begin_object(json, NULL);
		put_row_sums(row, hist->period, json);
		put_row_columns(result, hist, row, json);
		if (hist->members.n) {
			json_begin_array(json, "group");
			for (i = 0; i < hist->members.n; i++) {
				json_begin_object(json, NULL);
				put_row_sums(hist_member_row(row, i + 1),
					hist->members.at[i].period, json);
				json_end_object(json);
			}
			json_end_array(json);
		}
		has_graphs =
			has_graphs && put_graph_member(result, hist, row, json);
		json_end_object(json);
		output_some(json->out);
	}
	json_end_array(json);
	json_end_object(json);
}

static void put_report_json(struct result *result, struct strbuf *out)
{
	struct json json = { .out = out };
	double percent;
	uint64_t lost = result_lost(result, &percent);
	struct stack_counts unwound = result_unwound(result);
	struct offcpu_counts offcpu = result_offcpu(result);

	json_begin_object(&json, NULL);
	json_unsigned(&json, "version", REPORT_JSON_VERSION);
	json_unsigned(&json, "lost", lost);
	json_fixed(&json, "lost_percent", percent, 4);
	missing_damage_put_json(&result->inputs, &json);
	missing_clock_gaps_put_json(&result->inputs, &json);
	if (unwound.all)
		stack_counts_text_put_json(&unwound, "copied_stacks", &json);
	if (result->options->time.counted) {
		/* Write the counts of context switches and the time off CPU. */
		size_t i;

		json_begin_object(&json, "time");
		for (i = 0; i < OFFCPU_STATES; i++) {
			char name[32];

			snprintf(name, sizeof(name), "%s_ns",
				offcpu_state_name((enum offcpu_state)i));
			json_unsigned(&json, name, offcpu.ns[i]);
		}
		json_unsigned(&json, "switches", offcpu.switches);
		json_unsigned(&json, "open", offcpu.open);
		json_unsigned(&json, "brief", offcpu.brief);
		json_unsigned(&json, "lost", offcpu.lost);
		json_unsigned(&json, "unknown", offcpu.unknown);
		json_end_object(&json);
	}
	if (result->options->facts.shows_header)
		header_put_member(result, &json);
	json_begin_array(&json, "events");
	array_each(&result->hists, hist)
		put_event_rows(result, hist, &json);
	json_end_array(&json);
	json_end_object(&json);
	strbuf_putc(out, '\n');
}

const struct view view_json = { "json", put_report_json };
