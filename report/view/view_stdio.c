/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as a table of text, in the shape that perf's users know. */
#include "config.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/result/result.h"
#include "report/scan/damaged_inputs.h"
#include "report/util/output.h"
#include "report/view/graph.h"
#include "report/view/header.h"
#include "report/view/stdio_aligned.h"
#include "report/view/stdio_separated.h"
#include "report/view/title.h"

/* False when there have been so many that the next ones are left out. */
static bool put_graph(struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out)
{
	size_t before = out->n;

	graph_print(result, hist, row, out);
	if (reader_affords(result->scan.reader, out->n - before))
		return true;
	log_note("%s: its call graphs are too long for its size; those behind "
		 "the first ones are left out",
		reader_path(result->scan.reader));
	return false;
}

static void put_rows(struct result *result, struct hist *hist,
	struct strbuf *out)
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
			stdio_aligned_put_row(
				result, hist, row, &widths, out);
		has_graphs = has_graphs &&
			put_graph(result, hist, row, out);
		output_some(out);
	}
}

static void put_title(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	strbuf_puts(out, "# ");
	title_put_samples(result, hist, out);
	strbuf_puts(out, "\n# ");
	title_put_period(hist, out);
	strbuf_puts(out, "\n#\n");
}

static void put_unwound(const struct result *result, struct strbuf *out)
{
	struct unwound unwound = result_unwound(result);

	if (!unwound.stacks)
		return;
	strbuf_puts(out, "# Copied Stacks: ");
	unwound_print(&unwound, out);
	strbuf_puts(out, "\n#\n");
}

static void put_offcpu(const struct result *result, struct strbuf *out)
{
	struct offcpu_counts counts = result_offcpu(result);

	if (!result->options->time)
		return;
	strbuf_puts(out, "# Time: ");
	offcpu_counts_print(&counts, out);
	strbuf_puts(out, "\n#\n");
}

static void print(struct result *result, struct strbuf *out)
{
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (result->options->shows_header)
		header_put_all(result, out);
	strbuf_printf(out, "# Total Lost Samples: %" PRIu64 " (%.2f %%)\n#\n",
		lost, percent);
	damaged_inputs_put_lines(&result->inputs, out);
	put_unwound(result, out);
	put_offcpu(result, out);
	array_each(&result->hists, hist) {
		put_title(result, hist, out);
		put_rows(result, hist, out);
		strbuf_puts(out, "\n\n");
	}
}

const struct view view_stdio = { "stdio", print };
