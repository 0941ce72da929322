/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is known of one row of a comparison, as a text. */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/diff/diff_math.h"
#include "report/tui/tui_diff_private.h"

static void put_side(const struct diff *diff, const struct diff_row *row,
	size_t side, struct strbuf *out)
{
	const struct diff_cell *cell = &row->cells[side];

	strbuf_printf(out, "[%zu] ", side);
	escape_text(out, diff->sides.at[side].path);
	strbuf_printf(out, "%s\n", side ? "" : " (Baseline)");
	strbuf_printf(out, "    samples  %" PRIu64 "\n", cell->samples);
	strbuf_printf(out, "    period   %" PRIu64 "\n", cell->period);
	strbuf_printf(out, "    share    %.2f%%\n", cell->share);
}

static void put_cell(const struct tui_diff *tui, const struct diff_row *row,
	enum diff_column_kind kind, size_t side, struct strbuf *out)
{
	const struct diff_column column = { kind, side, false };

	diff_cell_put(&tui->diff, tui_diff_event(tui), row, &column, out);
}

/* As rows have it that are computed in that way. */
static void put_change(const struct tui_diff *tui, const struct diff_row *row,
	size_t side, struct strbuf *out)
{
	struct diff_change changes[DIFF_SIDES_MAX];
	struct diff_row own = *row;

	changes[side] = diff_change_now(
		&tui->diff, tui_diff_event(tui), row, side);
	own.changes = changes;
	put_cell(tui, &own, DIFF_COMPUTED, side, out);
	strbuf_puts(out, " +/- ");
	put_cell(tui, &own, DIFF_ERROR, side, out);
	strbuf_puts(out, " = ");
	put_cell(tui, &own, DIFF_FORMULA, side, out);
	strbuf_putc(out, '\n');
}

/* By each way to compute, each from what it is made of. */
static void put_changes(struct tui_diff *tui, const struct diff_row *row,
	size_t side, struct strbuf *out)
{
	static const struct {
		enum diff_compute compute;
		const char *name;
	} ways[] = {
		{ DIFF_DELTA, "delta" },
		{ DIFF_RATIO, "ratio" },
		{ DIFF_WDIFF, "wdiff" },
	};
	const struct diff_style was = tui->options.diff;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		tui->options.diff.compute = ways[i].compute;
		diff_style_settle(&tui->options.diff);
		strbuf_printf(out, "    %s    ", ways[i].name);
		put_change(tui, row, side, out);
	}
	tui->options.diff = was;
}

/* What would be a change if it were the only row is noise among many. */
static const char *verdict_of(
	const struct tui_diff *tui, const struct diff_change *change)
{
	const char *verdict = diff_verdict(&tui->diff, change);

	if (!string_is(verdict, "~"))
		return verdict;
	return change->p < DIFF_MATH_LEVEL ? "noise, as there are so many rows"
					   : "noise";
}

static void put_doubt(const struct tui_diff *tui,
	const struct diff_change *change, struct strbuf *out)
{
	strbuf_printf(out, "    chance   p = %.3g: %s\n", change->p,
		verdict_of(tui, change));
}

void tui_diff_show_details(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf title = { 0 }, text = { 0 };
	const struct diff_row *row;
	size_t side;

	if (!tui->rows.n)
		return;
	row = tui->rows.at[tui->cursor];
	for (side = 0; side < tui->diff.sides.n; side++) {
		put_side(&tui->diff, row, side, &text);
		if (!row->changes[side].is_known)
			continue;
		put_changes(tui, row, side, &text);
		put_doubt(tui, &row->changes[side], &text);
	}
	tui_diff_put_keys(tui, row, &title);
	tui_show_text(&tui->screen, title.at, text.at);
}
