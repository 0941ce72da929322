/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the report as a text table in perf's shape. */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/result/result.h"
#include "report/scan/clock_gaps.h"
#include "report/scan/damaged_inputs.h"
#include "report/util/output.h"
#include "report/view/graph.h"
#include "report/view/header.h"
#include "report/view/offcpu_text.h"
#include "report/view/stdio_aligned.h"
#include "report/view/stdio_separated.h"
#include "report/view/title.h"

/* Returns false if the remaining rows are to have no call graphs. */
static bool put_row_graph(struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out)
{
	size_t before = out->n;

	graph_print(result, hist, row, out);
	return graph_reserve(result, out->n - before);
}

static void put_text_rows(
	struct result *result, struct hist *hist, struct strbuf *out)
{
	bool is_separated = result->options->separator, has_graphs = true;
	struct stdio_widths widths;

	if (is_separated) {
		stdio_separated_put_heads(result, out);
	} else {
		stdio_aligned_find(result, hist, &widths);
		stdio_aligned_put_heads(result, &widths, out);
	}
	array_each(&hist->rows, row) {
		if (row->is_hidden)
			continue;
		if (is_separated)
			stdio_separated_put_row(result, hist, row, out);
		else
			stdio_aligned_put_row(result, hist, row, &widths, out);
		has_graphs =
			has_graphs && put_row_graph(result, hist, row, out);
		output_some(out);
	}
}

static void put_table_title(const struct result *result,
	const struct hist *hist, struct strbuf *out)
{
	strbuf_puts(out, "# ");
	title_put_samples(result, hist, out);
	strbuf_puts(out, "\n# ");
	title_put_period(hist, out);
	strbuf_puts(out, "\n#\n");
}

static void put_unwound_line(const struct result *result, struct strbuf *out)
{
	struct unwound unwound = result_unwound(result);

	if (!unwound.stacks)
		return;
	strbuf_puts(out, "# Copied Stacks: ");
	unwound_print(&unwound, out);
	strbuf_puts(out, "\n#\n");
}

static void put_offcpu_line(const struct result *result, struct strbuf *out)
{
	struct offcpu_counts counts = result_offcpu(result);

	if (!result->options->time)
		return;
	strbuf_puts(out, "# Time: ");
	offcpu_text_put(&counts, out);
	strbuf_puts(out, "\n#\n");
}

static void put_gap_lines(const struct result *result, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf lines = { 0 };

	/* The header has these lines. */
	if (result->options->shows_header)
		return;
	array_each(&result->inputs.at, input)
		clock_gaps_print(input->reader, &lines);
	if (!lines.n)
		return;
	escape_lines(out, lines.at, lines.n);
	strbuf_puts(out, "#\n");
}

static void print_text_report(struct result *result, struct strbuf *out)
{
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (result->options->shows_header)
		header_put_all(result, out);
	strbuf_printf(out, "# Total Lost Samples: %" PRIu64 " (%.2f %%)\n#\n",
		lost, percent);
	damaged_inputs_put_lines(&result->inputs, out);
	put_gap_lines(result, out);
	put_unwound_line(result, out);
	put_offcpu_line(result, out);
	array_each(&result->hists, hist) {
		put_table_title(result, hist, out);
		put_text_rows(result, hist, out);
		strbuf_puts(out, "\n\n");
	}
}

const struct view view_stdio = { "stdio", print_text_report };
