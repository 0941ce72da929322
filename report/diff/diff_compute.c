/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of each row since the baseline. */
#include "config.h"

#include "report/diff/diff.h"

#include <math.h>

#include "report/diff/diff_math.h"

static double value_of(const struct diff *diff, size_t side,
	const struct diff_cell *cell)
{
	switch (diff->style->measure) {
	case DIFF_SHARE: return cell->share;
	case DIFF_PERIOD: return (double)cell->period;
	case DIFF_RATE:
		return (double)cell->period / diff->sides.at[side].seconds;
	}
	return 0;
}

static struct diff_part part_of(const struct diff_total *total,
	const struct diff_cell *cell)
{
	return (struct diff_part){
		.samples = (double)cell->samples,
		.period = (double)cell->period,
		.all_samples = (double)total->samples,
		.all_period = (double)total->period,
		.all_squares = total->squares,
	};
}

/* Of a value. */
static double error_of(
	const struct diff *diff, size_t side, const struct diff_part *part)
{
	switch (diff->style->measure) {
	case DIFF_SHARE: return 100 * diff_math_share_error(part);
	case DIFF_PERIOD: return diff_math_period_error(part);
	case DIFF_RATE:
		return diff_math_period_error(part) /
			diff->sides.at[side].seconds;
	}
	return 0;
}

/* What a period of SIDE is divided by before it is compared. */
static double scale_of(
	const struct diff *diff, size_t side, const struct diff_part *part)
{
	const struct diff_style *style = diff->style;
	double scale = 1;

	if (style->measure == DIFF_RATE)
		scale = diff->sides.at[side].seconds;
	else if (style->measure == DIFF_SHARE)
		scale = fmax(part->all_period, 1);
	return style->compute == DIFF_WDIFF
		? scale / (double)style->weights[side ? 1 : 0]
		: scale;
}

static struct diff_doubt doubt_of(const struct diff *diff, size_t side,
	const struct diff_part *old, const struct diff_part *new)
{
	const struct diff_style *style = diff->style;
	bool is_weighted = style->compute == DIFF_WDIFF &&
		style->weights[0] != style->weights[1];

	if (style->measure == DIFF_SHARE && !is_weighted)
		return diff_math_doubt_shares(old, new);
	return diff_math_doubt_periods(old, scale_of(diff, 0, old), new,
		scale_of(diff, side, new));
}

static double ratio_of(double old, double new)
{
	if (old > 0)
		return new / old;
	return new > 0 ? INFINITY : NAN;
}

static double relative(double error, double value)
{
	return value > 0 ? error / value : 0;
}

static void change(const struct diff *diff, size_t side,
	const struct diff_total *totals, const struct diff_cell *cells,
	struct diff_change *ret, bool *can_tell_ret)
{
	struct diff_part old = part_of(&totals[0], &cells[0]);
	struct diff_part new = part_of(&totals[side], &cells[side]);
	double a = cells[0].value, b = cells[side].value;
	double error_a = error_of(diff, 0, &old);
	double error_b = error_of(diff, side, &new);
	double weight_a = (double)diff->style->weights[0];
	double weight_b = (double)diff->style->weights[1];
	struct diff_doubt doubt = doubt_of(diff, side, &old, &new);

	*ret = (struct diff_change){
		.delta = b - a,
		.delta_error = hypot(error_a, error_b),
		.ratio = ratio_of(a, b),
		.wdiff = b * weight_b - a * weight_a,
		.wdiff_error = hypot(error_a * weight_a, error_b * weight_b),
		.p = doubt.p,
		.is_known = true,
		.is_noise = true,
		.is_new = !cells[0].samples && cells[side].samples,
		.is_gone = cells[0].samples && !cells[side].samples,
	};
	if (isfinite(ret->ratio))
		ret->ratio_error = b > 0
			? ret->ratio * hypot(relative(error_a, a), error_b / b)
			: relative(error_b, a);
	*can_tell_ret = doubt.can_tell;
}

struct diff_change diff_change_now(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row, size_t side)
{
	struct diff_cell cells[DIFF_SIDES_MAX];
	struct diff_change ret;
	bool can_tell;

	memcpy(cells, row->cells, diff->sides.n * sizeof(*cells));
	cells[0].value = value_of(diff, 0, &cells[0]);
	cells[side].value = value_of(diff, side, &cells[side]);
	change(diff, side, event->totals.at, cells, &ret, &can_tell);
	return ret;
}

/* The rows of one side, whose p only count where they could tell. */
static void change_side(
	const struct diff *diff, struct diff_event *event, size_t side)
{
	size_t n_sides = diff->sides.n;
	ARRAY(double) doubts = { 0 };
	double limit;

	array_each(&event->rows, row) {
		size_t at = row->number * n_sides;
		const struct diff_cell *cells = &event->cells.at[at];
		struct diff_change *to = &event->changes.at[at + side];
		bool can_tell;

		if (!cells[0].samples && !cells[side].samples)
			continue;
		change(diff, side, event->totals.at, cells, to, &can_tell);
		if (can_tell)
			*array_push(&doubts) = to->p;
	}
	limit = diff_math_limit(doubts.at, doubts.n);
	array_each(&event->rows, row) {
		struct diff_change *to = &event->changes.at[
			row->number * n_sides + side];

		to->is_noise = !(to->p <= limit);
	}
	array_free(&doubts);
}

static void value_cells(const struct diff *diff, struct diff_event *event)
{
	size_t n_sides = diff->sides.n, i;

	array_clear(&event->changes);
	for (i = 0; i < event->cells.n; i++) {
		struct diff_cell *cell = &event->cells.at[i];
		double all = (double)event->totals.at[i % n_sides].period;

		cell->share = all > 0 ? 100 * (double)cell->period / all : 0;
		cell->value = value_of(diff, i % n_sides, cell);
		array_push(&event->changes);
	}
}

/* -b: whether the baseline has ROW, and another side. */
static bool is_matched(const struct diff *diff, const struct diff_row *row)
{
	size_t side;

	for (side = 1; side < diff->sides.n; side++)
		if (row->cells[0].samples && row->cells[side].samples)
			return true;
	return false;
}

/* All of them: those that -b leaves out are of the many that may be chance. */
static void list_rows(const struct diff *diff, struct diff_event *event)
{
	size_t n_sides = diff->sides.n, n = event->cells.n / n_sides, i;

	array_clear(&event->rows);
	for (i = 0; i < n; i++)
		*array_push(&event->rows) = (struct diff_row){ (uint32_t)i,
			&event->keys.at[i * diff->keys.n],
			&event->cells.at[i * n_sides],
			&event->changes.at[i * n_sides] };
}

static void keep_matched(const struct diff *diff, struct diff_event *event)
{
	size_t n = 0, i;

	for (i = 0; i < event->rows.n; i++)
		if (is_matched(diff, &event->rows.at[i]))
			event->rows.at[n++] = event->rows.at[i];
	event->rows.n = n;
}

void diff_compute(struct diff *diff)
{
	size_t side;

	array_each(&diff->events, event) {
		value_cells(diff, event);
		list_rows(diff, event);
		for (side = 1; side < diff->sides.n; side++)
			if (event->totals.at[side].samples)
				change_side(diff, event, side);
		if (diff->style->baseline_only)
			keep_matched(diff, event);
	}
}
