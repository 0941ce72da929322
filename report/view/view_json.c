/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as JSON; its shape is documented in dwell-report(1). */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/result/result.h"
#include "report/scan/damaged_inputs.h"
#include "report/util/output.h"
#include "report/view/graph_json.h"
#include "report/view/header.h"

#define SHAPE_VERSION 1

static void put_sums(
	const struct row *row, uint64_t period, struct strbuf *out)
{
	static const struct row none;
	double total = period ? (double)period : 1;

	if (!row)
		row = &none;
	strbuf_printf(out,
		"{\"self\": %.4f, \"children\": %.4f, \"samples\": %" PRIu64
		", \"self_period\": %" PRIu64 ", \"children_period\": %" PRIu64,
		100.0 * (double)row->self / total,
		100.0 * (double)row->children / total, row->samples, row->self,
		row->children);
}

static void put_columns(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out)
{
	static const struct hist_key_style style = { escape_json, "null" };
	const struct hist_request *request = &result->request;
	double total = hist->period ? (double)hist->period : 1;
	size_t i;

	for (i = 0; i < request->columns.n; i++) {
		const struct column *column = &request->columns.at[i];

		if (!column_is_named(column))
			continue;
		strbuf_printf(out, ", \"%s\": ", column->field->name);
		if (column->field->kind == FIELD_KEY)
			hist_put_key(row, column, &result->names, &style,
				out);
		else
			strbuf_printf(out, "%.4f",
				100.0 *
					(double)hist_number(
						row, column->field) /
					total);
	}
}

/* But for its graph. */
static void put_row(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out)
{
	size_t i;

	put_sums(row, hist->period, out);
	put_columns(result, hist, row, out);
	for (i = 0; i < hist->members.n; i++) {
		strbuf_puts(out, i ? ", " : ", \"group\": [");
		put_sums(hist_member_row(row, i + 1),
			hist->members.at[i].period, out);
		strbuf_putc(out, '}');
	}
	strbuf_puts(out, hist->members.n ? "]" : "");
}

static void put_event(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	strbuf_puts(out, "{\"event\": ");
	escape_json(out, result_event(result, hist)->name);
	strbuf_printf(out,
		", \"samples\": %" PRIu64 ", \"period\": %" PRIu64
		", \"lost\": %" PRIu64,
		hist->samples, hist->period,
		result_event(result, hist)->lost);
}

static void put_hist(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	const char *separator = "\n    ";
	bool has_graphs = result->forest;
	size_t i;

	put_event(result, hist, out);
	for (i = 0; i < hist->members.n; i++) {
		strbuf_puts(out, i ? ", " : ", \"group\": [");
		put_event(result, &hist->members.at[i], out);
		strbuf_putc(out, '}');
	}
	strbuf_puts(out, hist->members.n ? "], \"rows\": [" : ", \"rows\": [");
	array_each(&hist->rows, row) {
		if (row->is_hidden)
			continue;
		strbuf_puts(out, separator);
		put_row(result, hist, row, out);
		has_graphs = has_graphs &&
			graph_json_put(result, hist, row, out);
		strbuf_putc(out, '}');
		separator = ",\n    ";
		output_some(out);
	}
	strbuf_puts(out, "]}");
}

static void print(struct result *result, struct strbuf *out)
{
	const char *separator = "\n  ";
	double percent;
	uint64_t lost = result_lost(result, &percent);
	struct unwound unwound = result_unwound(result);
	struct offcpu_counts offcpu = result_offcpu(result);

	strbuf_printf(out,
		"{\"version\": %d, \"lost\": %" PRIu64
		", \"lost_percent\": %.4f, ",
		SHAPE_VERSION, lost, percent);
	damaged_inputs_put_member(&result->inputs, out);
	if (unwound.stacks) {
		strbuf_puts(out, "\"copied_stacks\": ");
		unwound_print_json(&unwound, out);
		strbuf_puts(out, ", ");
	}
	if (result->options->time) {
		strbuf_puts(out, "\"time\": ");
		offcpu_counts_print_json(&offcpu, out);
		strbuf_puts(out, ", ");
	}
	if (result->options->shows_header) {
		header_put_member(result, out);
		strbuf_puts(out, ", ");
	}
	strbuf_puts(out, "\"events\": [");
	array_each(&result->hists, hist) {
		strbuf_puts(out, separator);
		put_hist(result, hist, out);
		separator = ",\n  ";
	}
	strbuf_puts(out, "]}\n");
}

const struct view view_json = { "json", print };
