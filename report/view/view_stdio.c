/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the report as a text table in perf's shape. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>

#include "common/util/escape.h"
#include "report/result/header_facts.h"
#include "report/result/result.h"
#include "report/rows/ratio.h"
#include "report/scan/missing_samples.h"
#include "report/util/output.h"
#include "report/unwind/stack_counts_text.h"
#include "report/view/graph.h"
#include "report/view/header.h"
#include "report/view/stdio_cell.h"

/* --- aligned columns ----------------------------------------------------- */

/* Width of each column in bytes, without the spaces before it. */
struct stdio_widths {
	size_t of[COLUMNS_MAX];
};

/* Returns the width of column I that -w demands; 0: as wide as needed. */
static size_t given_width(const struct result *result, size_t i)
{
	const struct option_widths *widths = &result->options->rows.widths;

	return i < widths->columns.n ? widths->columns.at[i] : 0;
}

/* Returns the largest number of bytes of a cell that are shown in column I. */
static int most_cell_bytes(const struct result *result, size_t i)
{
	size_t width = given_width(result, i);

	return width ? (int)width : INT_MAX;
}

/*
 * Widens WIDTHS for the texts in ROW. The texts are formatted here only for the
 * length, and again for printing, because storing the texts needs memory per
 * row.
 */
static void widen_columns(const struct result *result, const struct row *row,
	struct stdio_widths *widths)
{
	const struct columns *columns = &result->request.columns;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < columns->n; i++) {
		if (columns->at[i].field->kind != FIELD_KEY)
			continue;
		strbuf_clear(&text);
		stdio_cell_text(result, row, i, &text);
		widths->of[i] = MAX(widths->of[i], text.n);
	}
}

/* Writes three lines: the column names, dots, and "#". */
static void stdio_aligned_put_heads(const struct result *result,
	const struct stdio_widths *widths, struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	_cleanup_strbuf_ struct strbuf dots = { 0 };
	size_t i;

	for (i = 0; i < columns->n; i++) {
		bool is_key = columns->at[i].field->kind == FIELD_KEY;
		bool is_last = i + 1 == columns->n;

		strbuf_puts(out, i ? "  " : "# ");
		strbuf_puts(&dots, i ? "  " : "# ");
		strbuf_printf(out, is_key ? "%-*.*s" : "%*.*s",
			is_key && is_last ? 0 : (int)widths->of[i],
			most_cell_bytes(result, i), stdio_cell_head(result, i));
		strbuf_fill(&dots, '.',
			is_last ? stdio_underline_width(dots.n, widths->of[i])
				: widths->of[i]);
	}
	strbuf_putc(out, '\n');
	strbuf_put(out, dots.at, dots.n);
	strbuf_puts(out, "\n#\n");
}

/*
 * Writes the numbers of ROW in column FIELD, for all events of the group side
 * by side.
 */
static void put_aligned_numbers(const struct result *result,
	const struct hist *hist, const struct row *row,
	const struct field *field, struct strbuf *out)
{
	size_t i;

	if (field->kind == FIELD_RATIO) {
		_cleanup_strbuf_ struct strbuf text = { 0 };

		ratio_text(hist, row, field, &text);
		strbuf_printf(out, "%*s", (int)stdio_cell_width(field, hist),
			text.at);
		return;
	}
	for (i = 0; i <= hist->members.n; i++)
		if (field->kind == FIELD_SHARE) {
			double percent = stdio_cell_share(hist, row, field, i);
			const char *colour =
				stdio_cell_colour(result->options, percent);

			strbuf_printf(out, "%s%*.2f%%%s", colour,
				STDIO_SHARE_WIDTH - 1, percent,
				*colour ? "\033[m" : "");
		} else {
			_cleanup_strbuf_ struct strbuf text = { 0 };

			stdio_count_text(result->options, row, field, i, &text);
			strbuf_printf(out, "%*s", STDIO_COUNT_WIDTH, text.at);
		}
}

/*
 * Writes ROW of HIST as a line. WIDTHS were computed by the caller
 * for HIST.
 */
static void stdio_aligned_put_row(const struct result *result,
	const struct hist *hist, const struct row *row,
	const struct stdio_widths *widths, struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;

		strbuf_puts(out, "  ");
		if (field->kind == FIELD_KEY) {
			_cleanup_strbuf_ struct strbuf text = { 0 };
			bool is_last = i + 1 == result->request.columns.n;
			size_t n;

			stdio_cell_text(result, row, i, &text);
			n = MIN(text.n, (size_t)most_cell_bytes(result, i));
			strbuf_put(out, text.at, n);
			if (!is_last && n < widths->of[i])
				strbuf_fill(out, ' ', widths->of[i] - n);
			continue;
		}
		strbuf_fill(out, ' ',
			widths->of[i] - stdio_cell_width(field, hist));
		put_aligned_numbers(result, hist, row, field, out);
	}
	strbuf_putc(out, '\n');
}

/* --- columns separated by -t --------------------------------------------- */

/*
 * Writes a cell with the number of ROW in column FIELD for each event of the
 * group.
 */
static void put_separated_numbers(const struct result *result,
	const struct hist *hist, const struct row *row,
	const struct field *field, struct strbuf *out)
{
	size_t i;

	if (field->kind == FIELD_RATIO) {
		ratio_text(hist, row, field, out);
		return;
	}
	for (i = 0; i <= hist->members.n; i++) {
		if (i)
			strbuf_puts(out, result->options->rows.separator);
		if (field->kind == FIELD_SHARE)
			strbuf_printf(out, "%.2f%%",
				stdio_cell_share(hist, row, field, i));
		else
			stdio_count_text(result->options, row, field, i, out);
	}
}

static void stdio_separated_put_heads(
	const struct result *result, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < result->request.columns.n; i++) {
		strbuf_puts(out, i ? result->options->rows.separator : "# ");
		stdio_separated_put_cell(stdio_cell_head(result, i),
			result->options->rows.separator, out);
	}
	strbuf_putc(out, '\n');
}

static void stdio_separated_put_row(const struct result *result,
	const struct hist *hist, const struct row *row, struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;

		if (i)
			strbuf_puts(out, result->options->rows.separator);
		if (field->kind == FIELD_KEY) {
			_cleanup_strbuf_ struct strbuf text = { 0 };

			strbuf_puts(&text, "");
			stdio_cell_text(result, row, i, &text);
			stdio_separated_put_cell(
				text.at, result->options->rows.separator, out);
		} else
			put_separated_numbers(result, hist, row, field, out);
	}
	strbuf_putc(out, '\n');
}

/*
 * If the user chose the columns, a process with this number of thread names, or fewer,
 * is not reported.
 */
#define THREAD_NAMES_FEW 8u

/* --- the report ---------------------------------------------------------- */

/*
 * Prints the call graph of ROW. Returns false if the memory limit is reached,
 * so that the remaining rows have no call graphs.
 */
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
	bool is_separated = result->options->rows.separator, has_graphs = true;
	struct stdio_widths widths;

	if (is_separated) {
		stdio_separated_put_heads(result, out);
	} else {
		/* The column widths are those of all rows that are shown. */
		const struct columns *columns = &result->request.columns;
		size_t i;

		for (i = 0; i < columns->n; i++)
			widths.of[i] =
				stdio_cell_width(columns->at[i].field, hist);
		array_each(&hist->rows, row)
			if (!row->is_hidden)
				widen_columns(result, row, &widths);
		for (i = 0; i < columns->n; i++) {
			size_t given = given_width(result, i);

			if (columns->at[i].field->kind == FIELD_KEY && given)
				widths.of[i] = given;
			widths.of[i] = MAX(widths.of[i], given);
		}
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

/* Names the option for other rows if one process has many thread names. */
static void put_thread_names_line(
	const struct result *result, struct strbuf *out)
{
	const struct thread_names *names = &result->thread_names;

	if (!names->are_merged && names->n_names <= THREAD_NAMES_FEW)
		return;
	strbuf_printf(out, "# Threads: %" PRIu32 " threads of process %" PRIu32,
		names->n_threads, names->pid);
	if (names->process) {
		strbuf_puts(out, " (");
		escape_text(out, names->process);
		strbuf_putc(out, ')');
	}
	strbuf_printf(out, " have %" PRIu32 " names, %s\n#\n", names->n_names,
		names->are_merged
			? "whose rows are merged. For rows of each name: "
			  "-s +comm"
			: result->request.wants_waits_in
			? "each with rows of its own. "
			  "To merge these rows: -s state,waits_in"
			: "each with rows of its own. "
			  "To merge these rows: -s dso,sym");
}

/* Puts the lines that PUT_LINES appends for the recording of each input. */
static void put_lines_of_inputs(const struct result *result,
	void (*put_lines)(struct reader *reader, struct strbuf *out),
	struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf lines = { 0 };

	array_each(&result->inputs.at, input)
		put_lines(input->reader, &lines);
	if (!lines.n)
		return;
	escape_lines(out, lines.at, lines.n);
	strbuf_puts(out, "#\n");
}

static void print_text_report(struct result *result, struct strbuf *out)
{
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (result->options->facts.shows_header)
		header_put_all(result, out);
	strbuf_printf(out, "# Total Lost Samples: %" PRIu64 " (%.2f %%)\n#\n",
		lost, percent);
	missing_damage_put_lines(&result->inputs, out);
	/*
	 * Next are the lines about what the recording lacks. The output of
	 * --header already contains the lines about clock gaps.
	 */
	if (!result->options->facts.shows_header)
		put_lines_of_inputs(result, missing_clock_gaps_print, out);
	struct stack_counts unwound = result_unwound(result);
	if (unwound.all) {
		strbuf_puts(out, "# Copied Stacks: ");
		stack_counts_text_put(&unwound, out);
		strbuf_puts(out, "\n#\n");
	}
	if (result->request.has_chains)
		put_lines_of_inputs(result, header_facts_put_cut_chains, out);
	put_lines_of_inputs(result, header_facts_put_unnamed_code, out);
	/* Without samples, a message reports the removed events. */
	if (result->hists.n)
		put_lines_of_inputs(
			result, header_facts_put_removed_events, out);
	struct offcpu_counts counts = result_offcpu(result);

	if (!result->options->time.counted && result_has_waits(result))
		strbuf_puts(out,
			"# Waits: they were recorded, and are not "
			"counted below. To count them: --off-cpu\n"
			"#\n");
	if (result->options->time.counted) {
		strbuf_puts(out, "# Time: ");
		offcpu_counts_print(&counts, out);
		strbuf_puts(out, "\n#\n");
	}
	put_thread_names_line(result, out);
	array_each(&result->hists, hist) {
		strbuf_puts(out, "# ");
		stdio_title_put_samples(result, hist, out);
		strbuf_puts(out, "\n# ");
		stdio_title_put_period(result, hist, out);
		strbuf_puts(out, "\n#\n");
		put_text_rows(result, hist, out);
		strbuf_puts(out, "\n\n");
	}
}

const struct view view_stdio = { "stdio", print_text_report };
