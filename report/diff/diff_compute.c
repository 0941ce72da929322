/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the change of each row since the baseline, the verdict about the
 * change, and the order of the rows.
 */
#include "config.h"

#include "report/diff/diff.h"

#include <math.h>

#include "report/diff/diff_math.h"

static double cell_value(
	const struct diff *diff, size_t side, const struct diff_cell *cell)
{
	switch (diff->style.measure) {
	case STYLE_DIFF_SHARE: return cell->share;
	case STYLE_DIFF_PERIOD: return (double)cell->period;
	case STYLE_DIFF_RATE:
		return (double)cell->period / diff->sides.at[side].seconds;
	}
	return 0;
}

static struct diff_part cell_part(
	const struct diff_total *total, const struct diff_cell *cell)
{
	return (struct diff_part){
		.samples = (double)cell->samples,
		.period = (double)cell->period,
		.all_samples = (double)total->samples,
		.all_period = (double)total->period,
		.all_squares = total->squares,
	};
}

/*
 * Returns the standard error of the compared value (share, period or rate) of
 * PART.
 */
static double value_error(
	const struct diff *diff, size_t side, const struct diff_part *part)
{
	switch (diff->style.measure) {
	case STYLE_DIFF_SHARE: return 100 * diff_math_share_error(part);
	case STYLE_DIFF_PERIOD: return diff_math_period_error(part);
	case STYLE_DIFF_RATE:
		return diff_math_period_error(part) /
			diff->sides.at[side].seconds;
	}
	return 0;
}

/*
 * Returns the divisor that makes periods of side number SIDE comparable with
 * periods of other sides.
 */
static double period_divisor(
	const struct diff *diff, size_t side, const struct diff_part *part)
{
	const struct style_diff *style = &diff->style;
	double scale = 1;

	if (style->measure == STYLE_DIFF_RATE)
		scale = diff->sides.at[side].seconds;
	else if (style->measure == STYLE_DIFF_SHARE)
		scale = fmax(part->all_period, 1);
	return style->compute == STYLE_DIFF_WDIFF
		? scale / (double)style->weights[side ? 1 : 0]
		: scale;
}

static double relative_error(double error, double value)
{
	return value > 0 ? error / value : 0;
}

static void compute_change(const struct diff *diff, size_t side,
	const struct diff_total *totals, const struct diff_cell *cells,
	struct diff_change *ret, bool *testable_ret)
{
	struct diff_part old = cell_part(&totals[0], &cells[0]);
	struct diff_part new = cell_part(&totals[side], &cells[side]);
	double a = cells[0].value, b = cells[side].value;
	double error_a = value_error(diff, 0, &old);
	double error_b = value_error(diff, side, &new);
	double weight_a = (double)diff->style.weights[0];
	double weight_b = (double)diff->style.weights[1];
	const struct style_diff *style = &diff->style;
	bool is_weighted = style->compute == STYLE_DIFF_WDIFF &&
		style->weights[0] != style->weights[1];
	struct diff_test test =
		style->measure == STYLE_DIFF_SHARE && !is_weighted
		? diff_math_test_shares(&old, &new)
		: diff_math_test_periods(&old, period_divisor(diff, 0, &old),
			  &new, period_divisor(diff, side, &new));

	*ret = (struct diff_change){
		.delta = b - a,
		.delta_error = hypot(error_a, error_b),
		.ratio = a > 0	? b / a
			: b > 0 ? INFINITY
				: NAN,
		.wdiff = b * weight_b - a * weight_a,
		.wdiff_error = hypot(error_a * weight_a, error_b * weight_b),
		.p = test.p,
		.is_known = true,
		.is_noise = true,
		.is_new = !cells[0].samples && cells[side].samples,
		.is_gone = cells[0].samples && !cells[side].samples,
	};
	if (isfinite(ret->ratio))
		ret->ratio_error = b > 0 ? ret->ratio *
				hypot(relative_error(error_a, a), error_b / b)
					 : relative_error(error_b, a);
	*testable_ret = test.can_be_significant;
}

struct diff_change diff_change_now(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row, size_t side)
{
	struct diff_cell cells[DIFF_SIDES_MAX];
	struct diff_change ret;
	bool is_testable;

	memcpy(cells, row->cells, diff->sides.n * sizeof(*cells));
	cells[0].value = cell_value(diff, 0, &cells[0]);
	cells[side].value = cell_value(diff, side, &cells[side]);
	compute_change(diff, side, event->totals.at, cells, &ret, &is_testable);
	return ret;
}

/*
 * Computes the changes of all rows in side number SIDE. Only rows whose change
 * can be significant count as tests.
 */
static void compute_side_changes(
	const struct diff *diff, struct diff_event *event, size_t side)
{
	size_t n_sides = diff->sides.n;
	ARRAY(double) p_values = { 0 };
	double limit;

	array_each(&event->rows, row) {
		size_t at = row->number * n_sides;
		const struct diff_cell *cells = &event->cells.at[at];
		struct diff_change *to = &event->changes.at[at + side];
		bool is_testable;

		if (!cells[0].samples && !cells[side].samples)
			continue;
		compute_change(
			diff, side, event->totals.at, cells, to, &is_testable);
		if (is_testable)
			*array_push(&p_values) = to->p;
	}
	limit = diff_math_limit(p_values.at, p_values.n);
	array_each(&event->rows, row) {
		struct diff_change *to =
			&event->changes.at[row->number * n_sides + side];

		to->is_noise = !(to->p <= limit);
	}
	array_free(&p_values);
}

void diff_compute(struct diff *diff)
{
	size_t side;

	array_each(&diff->events, event) {
		size_t n_sides = diff->sides.n, n, i;

		array_clear(&event->changes);
		for (i = 0; i < event->cells.n; i++) {
			struct diff_cell *cell = &event->cells.at[i];
			double all =
				(double)event->totals.at[i % n_sides].period;

			cell->share =
				all > 0 ? 100 * (double)cell->period / all : 0;
			cell->value = cell_value(diff, i % n_sides, cell);
			array_push(&event->changes);
		}
		/* Rows that -b leaves out are also tested for significance. */
		array_clear(&event->rows);
		for (i = 0; i < event->cells.n / n_sides; i++)
			*array_push(&event->rows) =
				(struct diff_row){ (uint32_t)i,
					&event->keys.at[i * diff->keys.n],
					&event->cells.at[i * n_sides],
					&event->changes.at[i * n_sides] };
		for (side = 1; side < n_sides; side++)
			if (event->totals.at[side].samples)
				compute_side_changes(diff, event, side);
		if (!diff->style.baseline_only)
			continue;
		/* Keep the rows that the baseline and another side have. */
		n = 0;
		array_each(&event->rows, row) {
			for (side = 1;
				side < n_sides && !row->cells[side].samples;)
				side++;
			if (row->cells[0].samples && side < n_sides)
				event->rows.at[n++] = *row;
		}
		event->rows.n = n;
	}
}

/* --- verdicts and the order of rows -------------------------------------- */

double diff_computed(const struct diff *diff, const struct diff_change *change)
{
	switch (diff->style.compute) {
	case STYLE_DIFF_RATIO: return change->ratio;
	case STYLE_DIFF_WDIFF: return change->wdiff;
	default: return change->delta;
	}
}

double diff_computed_error(
	const struct diff *diff, const struct diff_change *change)
{
	switch (diff->style.compute) {
	case STYLE_DIFF_RATIO: return change->ratio_error;
	case STYLE_DIFF_WDIFF: return change->wdiff_error;
	default: return change->delta_error;
	}
}

const char *diff_verdict(
	const struct diff *diff, const struct diff_change *change)
{
	double computed = diff_computed(diff, change);

	if (!change->is_known)
		return "";
	if (change->is_noise)
		return "~";
	if (change->is_new || change->is_gone)
		return change->is_new ? "new" : "gone";
	if (diff->style.compute == STYLE_DIFF_RATIO)
		computed -= 1;
	return computed < 0 ? "less" : "more";
}

/* Returns the sort key of ROW. The row with the largest sort key is first. */
static double sort_weight(const struct diff *diff, const struct diff_row *row)
{
	size_t side = (size_t)diff->style.order;
	double computed = diff_computed(diff, &row->changes[side]);

	if (!side)
		return row->cells[0].value;
	if (!row->changes[side].is_known)
		return -INFINITY;
	if (diff->style.compute == STYLE_DIFF_DELTA_ABS)
		return fabs(computed);
	if (diff->style.compute == STYLE_DIFF_RATIO) {
		/*
		 * As in perf, rows with a ratio are first, then new rows, which
		 * have no ratio, then rows that are only in the baseline.
		 */
		const struct diff_change *change = &row->changes[side];

		if (change->is_gone)
			return -1;
		if (isnan(change->ratio))
			return -INFINITY;
		return isinf(change->ratio) ? 0 : change->ratio;
	}
	return isnan(computed) ? -INFINITY : computed;
}

static int compare_diff_rows(const void *left, const void *right, void *data)
{
	const struct diff_row *a = left, *b = right;
	const struct diff *diff = data;
	double weight_a = sort_weight(diff, a), weight_b = sort_weight(diff, b);
	size_t i;

	if (weight_a != weight_b)
		return COMPARE(weight_b, weight_a);
	for (i = 0; i < diff->sides.n; i++)
		if (a->cells[i].period != b->cells[i].period)
			return COMPARE(b->cells[i].period, a->cells[i].period);
	int result = 0;

	for (i = 0; !result && i < diff->keys.n; i++)
		result = strcmp(
			diff_key_text(diff, a, i), diff_key_text(diff, b, i));
	return result;
}

void diff_sort(struct diff *diff)
{
	array_each(&diff->events, event)
		if (event->rows.n)
			qsort_r(event->rows.at, event->rows.n,
				sizeof(*event->rows.at), compare_diff_rows,
				diff);
}
