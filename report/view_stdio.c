/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as a table of text, in the shape that perf's users know. */
#include "config.h"

#include <inttypes.h>

#include "common/escape.h"
#include "common/log.h"
#include "report/graph.h"
#include "report/group.h"
#include "report/header.h"
#include "report/output.h"
#include "report/result.h"
#include "report/stdio_aligned.h"
#include "report/stdio_separated.h"

/* 1126 is "1K", as perf shows counts. */
static void put_count(struct strbuf *out, uint64_t n)
{
	const char *units = " KMGTPE";

	while (n >= 1000 && units[1]) {
		n /= 1000;
		units++;
	}
	strbuf_printf(out, "%" PRIu64, n);
	if (*units != ' ')
		strbuf_putc(out, *units);
}

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

/* "cycles", or "anon group { cycles, instructions }". */
static void put_events(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	const char *name;

	if (!hist->members.n) {
		escape_text(out,
			result_event(result, hist)->name);
		return;
	}
	group_size(&result->inputs, hist->event, true, &name);
	escape_text(out, *name ? name : "anon group");
	strbuf_puts(out, " { ");
	escape_text(out, result_event(result, hist)->name);
	array_each(&hist->members, member) {
		strbuf_puts(out, ", ");
		escape_text(out,
			result_event(result, member)->name);
	}
	strbuf_puts(out, " }");
}

static void put_title(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	uint64_t samples = hist->samples, period = hist->period;

	array_each(&hist->members, member) {
		samples += member->samples;
		period += member->period;
	}
	strbuf_puts(out, "# Samples: ");
	put_count(out, samples);
	strbuf_printf(
		out, " of event%s '", hist->members.n ? "s" : "");
	put_events(result, hist, out);
	strbuf_printf(out, "'\n# Event count (approx.): %" PRIu64 "\n#\n",
		period);
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

static void print(struct result *result, struct strbuf *out)
{
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (result->options->shows_header)
		header_put_all(result, out);
	strbuf_printf(out, "# Total Lost Samples: %" PRIu64 " (%.2f %%)\n#\n",
		lost, percent);
	put_unwound(result, out);
	array_each(&result->hists, hist) {
		put_title(result, hist, out);
		put_rows(result, hist, out);
		strbuf_puts(out, "\n\n");
	}
}

const struct view view_stdio = { "stdio", print };
