/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_page.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/result/header_facts.h"
#include "report/rows/ratio.h"
#include "report/scan/missing_samples.h"
#include "report/tui/tui_cursor.h"
#include "report/view/stdio_cell.h"

#define LINES_ABOVE 2u /* the title and the filters; a note may follow */
#define LINES_BELOW 1u
#define LEVEL_WIDTH 2u /* columns of indentation per level of a call graph */
/* Number of rows whose names set the initial widths of columns. */
#define ROWS_MEASURED 1000u

static bool is_last_page_column(const struct tui_lines *lines, size_t column)
{
	return column + 1 == lines->result->request.columns.n;
}

static void widen_page_columns(struct tui_page *page,
	const struct tui_lines *lines, const struct row *row)
{
	const struct columns *columns = &lines->result->request.columns;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < columns->n; i++) {
		if (columns->at[i].field->kind != FIELD_KEY)
			continue;
		strbuf_clear(&text);
		stdio_cell_text(lines->result, row, i, &text);
		page->widths[i] = MAX(page->widths[i], grid_width(text.at));
	}
}

void tui_page_deinit(struct tui_page *page)
{
	free(page->note);
}

void tui_page_begin(struct tui_page *page, const struct tui_lines *lines)
{
	const struct columns *columns = &lines->result->request.columns;
	size_t i;

	free(page->note);
	struct offcpu_counts counts = result_offcpu(lines->result);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	if (lines->result->options->time.counted)
		offcpu_counts_print(&counts, &text);
	array_each(&lines->result->inputs.at, input) {
		double percent;
		_cleanup_free_ char *files = text.n
			? NULL
			: header_facts_cut_chains(input->reader, &percent);

		if (!files)
			continue;
		strbuf_printf(&text,
			"%.0f %% of the stacks are cut; record with "
			"-g. No frame pointers in ",
			percent);
		escape_text(&text, files);
	}
	page->note = take_pointer(text.at);
	page->shift = 0;
	for (i = 0; i < columns->n; i++)
		page->widths[i] =
			stdio_cell_width(columns->at[i].field, lines->hist);
	for (i = 0; i < MIN(lines->rows.n, ROWS_MEASURED); i++)
		widen_page_columns(page, lines, lines->rows.at[i].row);
}

/* Returns the number of lines above the headings. */
static size_t count_lines_above(const struct tui_page *page)
{
	return LINES_ABOVE + (page->note ? 1 : 0);
}

size_t tui_page_height(const struct tui_page *page, const struct grid *grid)
{
	size_t others = count_lines_above(page) + LINES_BELOW +
		(page->hides_heads ? 0 : 1);

	return grid->lines > others ? grid->lines - others : 0;
}

/* --- around the lines ---------------------------------------------------- */

static void draw_page_title(const struct tui_lines *lines, struct grid *grid)
{
	const struct result *result = lines->result;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct grid_pen pen = grid_pen(grid, 0);
	double percent;
	uint64_t lost = result_lost(result, &percent);
	struct damages_sums damaged = missing_damage_sums(&result->inputs);

	stdio_title_put_samples(result, lines->hist, &text);
	strbuf_puts(&text, ", ");
	stdio_title_put_period(result, lines->hist, &text);
	if (lost)
		strbuf_printf(
			&text, ", lost: %" PRIu64 " (%.2f %%)", lost, percent);
	if (damaged.places) {
		strbuf_puts(&text, ", ");
		missing_damage_put_sums(&damaged, &text);
	}
	grid_put(&pen, GRID_TITLE, text.at);
	if (result->hists.n < 2)
		return;
	strbuf_clear(&text);
	strbuf_printf(&text, "event %zu of %zu",
		(size_t)(lines->hist - result->hists.at) + 1, result->hists.n);
	tui_put_at_end(&pen, GRID_DIM, text.at);
}

static void draw_page_crumbs(const struct tui_lines *lines,
	const struct tui_frame *frame, struct grid *grid)
{
	const struct columns *columns = &lines->result->request.columns;
	_cleanup_strbuf_ struct strbuf keys = { 0 }, all = { 0 };
	struct grid_pen pen = grid_pen(grid, 1);
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field->kind == FIELD_KEY)
			strbuf_printf(&keys, "%s%s", keys.n ? "," : "by ",
				columns->at[i].field->name);
	if (keys.n)
		strbuf_puts(&keys,
			!lines->result->request.wants_trees ||
					lines->result->request.is_inverted ==
						lines->result->request
							.has_children
				? ""
				: lines->result->request.is_inverted
				? ", callers first"
				: ", callees first");
	tui_put_tail(&pen, GRID_CRUMB, frame->crumbs);
	if (!keys.n)
		return;
	strbuf_printf(&all, "%s  %s",
		!result_has_waits(lines->result) ? ""
			: lines->result->options->time.counted
			? "CPU samples: press w"
			: "waits were recorded: press w",
		keys.at);
	tui_put_at_end(&pen, GRID_DIM,
		tui_pen_room(&pen) < grid_width(all.at) + 2 ? keys.at : all.at);
}

/* --- columns ------------------------------------------------------------- */

/*
 * Moves PEN to column I. The horizontal scrolling (.shift) applies from the
 * first column of names on.
 */
static void begin_page_column(const struct tui_page *page,
	const struct tui_lines *lines, size_t i, struct grid_pen *pen)
{
	const struct columns *columns = &lines->result->request.columns;
	size_t before = 0;

	grid_fill(pen, GRID_PLAIN, i ? 2 : 1);
	while (before < i && columns->at[before].field->kind != FIELD_KEY)
		before++;
	if (before == i && columns->at[i].field->kind == FIELD_KEY)
		pen->skip = page->shift;
}

static void draw_page_heads(const struct tui_page *page,
	const struct tui_lines *lines, struct grid *grid)
{
	const struct columns *columns = &lines->result->request.columns;
	struct grid_pen pen = grid_pen(grid, count_lines_above(page));
	size_t i;

	grid_fill(&pen, GRID_HEAD, 1);
	for (i = 0; i < columns->n; i++) {
		const char *head = stdio_cell_head(lines->result, i);
		size_t width = grid_width(head);
		size_t blanks =
			page->shown[i] > width && !is_last_page_column(lines, i)
			? page->shown[i] - width
			: 0;
		bool is_key = columns->at[i].field->kind == FIELD_KEY;

		if (!page->shown[i])
			continue;
		begin_page_column(page, lines, i, &pen);
		grid_fill(&pen, GRID_PLAIN, is_key ? 0 : blanks);
		/*
		 * The heading is cut if the column is narrower than
		 * needed.
		 */
		size_t end = pen.end;
		if (page->shown[i] < page->widths[i] &&
			!is_last_page_column(lines, i))
			pen.end = MIN(end, pen.column + page->shown[i]);
		grid_put(&pen, GRID_HEAD, head);
		pen.end = end;
		grid_fill(&pen, GRID_PLAIN, is_key ? blanks : 0);
	}
}

static enum grid_style percent_style(double percent)
{
	static const enum grid_style styles[] = {
		[STDIO_HEAT_NONE] = GRID_PLAIN,
		[STDIO_HEAT_WARM] = GRID_WARM,
		[STDIO_HEAT_HOT] = GRID_HOT,
	};

	return styles[stdio_cell_heat(percent)];
}

/*
 * Draws the numbers of ROW in column FIELD, one for each event of an event
 * group.
 */
static void draw_row_numbers(const struct tui_lines *lines,
	const struct row *row, const struct field *field, struct grid_pen *pen)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	if (field->kind == FIELD_RATIO) {
		ratio_text(lines->hist, row, field, &text);
		grid_printf(pen, GRID_PLAIN, "%*s",
			(int)stdio_cell_width(field, lines->hist), text.at);
		return;
	}
	for (i = 0; i <= lines->hist->members.n; i++) {
		double percent = stdio_cell_share(lines->hist, row, field, i);

		if (field->kind == FIELD_SHARE) {
			grid_printf(pen, percent_style(percent), "%*.2f%%",
				STDIO_SHARE_WIDTH - 1, percent);
			continue;
		}
		strbuf_clear(&text);
		stdio_count_text(lines->result->options, row, field, i, &text);
		grid_printf(pen, GRID_PLAIN, "%*s", STDIO_COUNT_WIDTH, text.at);
	}
}

/* --- lines --------------------------------------------------------------- */

static void draw_branch_line(const struct tui_page *page,
	const struct tui_lines *lines, size_t number, const char *searched,
	struct grid_pen *pen)
{
	const struct tui_line *line = &lines->at.at[number];
	_cleanup_strbuf_ struct strbuf value = { 0 }, name = { 0 };
	double percent = tui_lines_put_value(lines, number, &value);
	char sign[] = { tui_lines_sign(lines, number), ' ', 0 };

	pen->skip = page->shift;
	grid_fill(pen, GRID_PLAIN, LEVEL_WIDTH * (line->depth + 1u));
	if (line->is_first) {
		grid_put(pen, GRID_PLAIN, sign);
		grid_put(pen, percent_style(percent), value.at);
		grid_fill(pen, GRID_PLAIN, 1);
	} else {
		grid_fill(pen, GRID_PLAIN, 2);
	}
	tui_lines_put_text(lines, number, &name);
	tui_put_match(pen, name.at, searched);
}

static void draw_page_line(const struct tui_page *page,
	const struct tui_lines *lines, size_t number, const char *searched,
	struct grid_pen *pen)
{
	char sign[] = { tui_lines_sign(lines, number), 0 };

	if (lines->at.at[number].node) {
		draw_branch_line(page, lines, number, searched, pen);
		return;
	}
	grid_put(pen, GRID_PLAIN, sign);
	const struct row *row = tui_lines_row(lines, number);
	const struct columns *columns = &lines->result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;
		_cleanup_strbuf_ struct strbuf text = { 0 };
		size_t width;

		if (!page->shown[i])
			continue;
		begin_page_column(page, lines, i, pen);
		if (field->kind != FIELD_KEY) {
			grid_fill(pen, GRID_PLAIN,
				page->widths[i] -
					stdio_cell_width(field, lines->hist));
			draw_row_numbers(lines, row, field, pen);
			continue;
		}
		stdio_cell_text(lines->result, row, i, &text);
		tui_shorten_name(&text, page->shown[i]);
		width = grid_width(text.at);
		tui_put_head(pen, text.at,
			is_last_page_column(lines, i) ? tui_pen_room(pen)
						      : page->shown[i],
			searched);
		if (width < page->shown[i])
			grid_fill(pen, GRID_PLAIN, page->shown[i] - width);
	}
}

void tui_page_draw(struct tui_page *page, const struct tui_lines *lines,
	const struct tui_frame *frame, struct grid *grid)
{
	grid_clear(grid);
	draw_page_title(lines, grid);
	draw_page_crumbs(lines, frame, grid);
	if (page->note) {
		struct grid_pen pen = grid_pen(grid, LINES_ABOVE);

		grid_put(&pen, GRID_DIM, page->note);
	}
	const char *searched = frame->searched;
	size_t height = tui_page_height(page, grid);
	size_t first = count_lines_above(page) + (page->hides_heads ? 0 : 1);
	size_t end = MIN(lines->top + height, lines->at.n), i;
	for (i = lines->top; i < end; i++)
		if (!lines->at.at[i].node)
			widen_page_columns(
				page, lines, tui_lines_row(lines, i));
	tui_page_fit(page, lines, grid->columns);
	if (!page->hides_heads)
		draw_page_heads(page, lines, grid);
	if (!lines->at.n && frame->empty_reason)
		tui_put_reason(frame->empty_reason, first, grid);
	for (i = lines->top; i < end; i++) {
		size_t line = first + i - lines->top;
		struct grid_pen pen = grid_pen(grid, line);

		draw_page_line(page, lines, i, searched, &pen);
		if (i == lines->cursor)
			grid_highlight(grid, line);
	}
	(frame->wraps_message ? tui_put_long_message : tui_put_message)(
		frame->message, lines->cursor, lines->at.n, grid);
}
