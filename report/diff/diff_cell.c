/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff_cell.h"

#include <inttypes.h>
#include <math.h>

#include "common/util/escape.h"
#include "report/diff/diff_math.h"
#include "report/diff/diff_whole.h"
#include "report/view/stdio_cell.h"

static void add_diff_column(
	struct diff_columns *columns, enum diff_column_kind kind, size_t number)
{
	*array_push(&columns->at) = (struct diff_column){ kind, number,
		kind == DIFF_VERDICT || kind == DIFF_KEY };
}

/*
 * The columns are in perf's order. The column of a change is followed by the
 * columns of the error and the verdict.
 */
void diff_columns_make(const struct diff *diff, struct diff_columns *ret)
{
	bool has_samples = diff->options->rows.shows_samples;
	size_t side, i;

	*ret = (struct diff_columns){ 0 };
	add_diff_column(ret, DIFF_BASELINE, 0);
	for (side = 0; side < diff->sides.n; side++) {
		if (side) {
			add_diff_column(ret, DIFF_COMPUTED, side);
			add_diff_column(ret, DIFF_ERROR, side);
			add_diff_column(ret, DIFF_VERDICT, side);
		}
		if (side && diff->style.shows_formula)
			add_diff_column(ret, DIFF_FORMULA, side);
		if (has_samples)
			add_diff_column(ret, DIFF_SAMPLES, side);
		if (diff->style.shows_period)
			add_diff_column(ret, DIFF_PERIODS, side);
	}
	for (i = 0; i < diff->keys.n; i++)
		add_diff_column(ret, DIFF_KEY, i);
}

void diff_column_head(const struct diff *diff, const struct diff_column *column,
	struct strbuf *out)
{
	static const char *const computed[] = {
		[STYLE_DIFF_DELTA_ABS] = "Delta Abs",
		[STYLE_DIFF_DELTA] = "Delta",
		[STYLE_DIFF_RATIO] = "Ratio",
		[STYLE_DIFF_WDIFF] = "Weighted diff",
	};
	const char *head = "";

	switch (column->kind) {
	case DIFF_BASELINE: head = "Baseline"; break;
	case DIFF_COMPUTED: head = computed[diff->style.compute]; break;
	case DIFF_ERROR: head = "+/-"; break;
	case DIFF_VERDICT: head = "Change"; break;
	case DIFF_FORMULA: head = "Formula"; break;
	case DIFF_SAMPLES:
		head = column->number ? "Samples" : "Base samples";
		break;
	case DIFF_PERIODS:
		head = column->number ? "Period" : "Base period";
		break;
	case DIFF_KEY: head = diff->keys.at[column->number].head; break;
	}
	escape_text(out, head);
	if (diff->sides.n > 2 && column->kind != DIFF_KEY)
		strbuf_printf(out, "/%zu", column->number);
}

/*
 * Formats VALUE, a share, period or rate, or a difference of two, as the style
 * selects. Periods are plain numbers, as in perf, if -c selects them, and for
 * programs (-t).
 */
static void put_measure(const struct diff *diff, const struct diff_event *event,
	double value, bool has_sign, struct strbuf *out)
{
	const struct style_diff *style = &diff->style;

	if (style->measure == STYLE_DIFF_SHARE) {
		strbuf_printf(out, has_sign ? "%+.2f%%" : "%.2f%%", value);
	} else if (style->measure == STYLE_DIFF_PERIOD &&
		(!style->is_normalized || diff->options->rows.separator)) {
		strbuf_printf(out, "%.0f", value);
	} else {
		if (has_sign)
			strbuf_putc(out, value < 0 ? '-' : '+');
		diff_weight_put(event, fabs(value), out);
		strbuf_puts(out, style->measure == STYLE_DIFF_RATE ? "/s" : "");
	}
}

static void put_computed_value(const struct diff *diff,
	const struct diff_event *event, double computed, bool has_sign,
	struct strbuf *out)
{
	if (diff->style.compute != STYLE_DIFF_RATIO)
		put_measure(diff, event, computed, has_sign, out);
	else if (isfinite(computed))
		strbuf_printf(out, "%.6f", computed);
	else if (isinf(computed))
		strbuf_puts(out, "N/A");
}

/*
 * Prints the formula of the value of ROW in side number SIDE, in perf's format.
 */
static void put_formula_term(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row, size_t side,
	struct strbuf *out)
{
	uint64_t period = row->cells[side].period;

	switch (diff->style.measure) {
	case STYLE_DIFF_SHARE:
		strbuf_printf(out, "(%" PRIu64 " * 100 / %" PRIu64 ")", period,
			event->totals.at[side].period);
		break;
	case STYLE_DIFF_PERIOD: strbuf_printf(out, "%" PRIu64, period); break;
	case STYLE_DIFF_RATE:
		strbuf_printf(out, "(%" PRIu64 " / %.9f)", period,
			diff->sides.at[side].seconds);
		break;
	}
}

static void put_formula(const struct diff *diff, const struct diff_event *event,
	const struct diff_row *row, size_t side, struct strbuf *out)
{
	const struct style_diff *style = &diff->style;
	bool is_weighted = style->compute == STYLE_DIFF_WDIFF;

	strbuf_puts(out, is_weighted ? "(" : "");
	put_formula_term(diff, event, row, side, out);
	if (is_weighted)
		strbuf_printf(out, " * %" PRIu64 ")", style->weights[1]);
	strbuf_puts(out, style->compute == STYLE_DIFF_RATIO ? " / " : " - ");
	strbuf_puts(out, is_weighted ? "(" : "");
	put_formula_term(diff, event, row, 0, out);
	if (is_weighted)
		strbuf_printf(out, " * %" PRIu64 ")", style->weights[0]);
}

static void put_change_cell(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row,
	const struct diff_column *column, struct strbuf *out)
{
	size_t side = column->number;
	const struct diff_change *change = &row->changes[side];

	if (!change->is_known)
		return;
	switch (column->kind) {
	case DIFF_COMPUTED:
		put_computed_value(
			diff, event, diff_computed(diff, change), true, out);
		break;
	case DIFF_ERROR:
		if (isfinite(diff_computed(diff, change)))
			put_computed_value(diff, event,
				DIFF_MATH_95 *
					diff_computed_error(diff, change),
				false, out);
		break;
	case DIFF_VERDICT: strbuf_puts(out, diff_verdict(diff, change)); break;
	case DIFF_FORMULA: put_formula(diff, event, row, side, out); break;
	default: break;
	}
}

void diff_cell_put(const struct diff *diff, const struct diff_event *event,
	const struct diff_row *row, const struct diff_column *column,
	struct strbuf *out)
{
	switch (column->kind) {
	case DIFF_BASELINE:
		if (row->cells[0].samples) {
			if (diff->style.is_normalized)
				put_measure(diff, event, row->cells[0].value,
					false, out);
			else
				strbuf_printf(
					out, "%.2f%%", row->cells[0].share);
		}
		break;
	case DIFF_SAMPLES:
		strbuf_printf(
			out, "%" PRIu64, row->cells[column->number].samples);
		break;
	case DIFF_PERIODS:
		stdio_period_text(
			diff->options, row->cells[column->number].period, out);
		break;
	case DIFF_KEY:
		escape_text(out, diff_key_text(diff, row, column->number));
		break;
	default: put_change_cell(diff, event, row, column, out);
	}
}

enum diff_look diff_cell_look(const struct diff *diff,
	const struct diff_row *row, const struct diff_column *column)
{
	const char *verdict;

	if (column->kind != DIFF_COMPUTED && column->kind != DIFF_VERDICT)
		return DIFF_PLAIN;
	verdict = diff_verdict(diff, &row->changes[column->number]);
	if (string_is(verdict, "~"))
		return DIFF_NOISE;
	if (string_is(verdict, "more") || string_is(verdict, "new"))
		return DIFF_MORE;
	return *verdict ? DIFF_LESS : DIFF_PLAIN;
}
