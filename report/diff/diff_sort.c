/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict and the value of a change, and the order of rows. */
#include "config.h"

#include "report/diff/diff.h"

#include <math.h>

double diff_computed(const struct diff *diff, const struct diff_change *change)
{
	switch (diff->style->compute) {
	case DIFF_RATIO: return change->ratio;
	case DIFF_WDIFF: return change->wdiff;
	default: return change->delta;
	}
}

double diff_computed_error(
	const struct diff *diff, const struct diff_change *change)
{
	switch (diff->style->compute) {
	case DIFF_RATIO: return change->ratio_error;
	case DIFF_WDIFF: return change->wdiff_error;
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
	if (diff->style->compute == DIFF_RATIO)
		computed -= 1;
	return computed < 0 ? "less" : "more";
}

/* As in perf: ratios first, then new rows, which have none, then gone rows. */
static double ratio_sort_weight(const struct diff_change *change)
{
	if (change->is_gone)
		return -1;
	if (isnan(change->ratio))
		return -INFINITY;
	return isinf(change->ratio) ? 0 : change->ratio;
}

/* Returns the sort key of ROW. The largest is first. */
static double sort_weight(const struct diff *diff, const struct diff_row *row)
{
	size_t side = (size_t)diff->style->order;
	double computed = diff_computed(diff, &row->changes[side]);

	if (!side)
		return row->cells[0].value;
	if (!row->changes[side].is_known)
		return -INFINITY;
	if (diff->style->compute == DIFF_DELTA_ABS)
		return fabs(computed);
	if (diff->style->compute == DIFF_RATIO)
		return ratio_sort_weight(&row->changes[side]);
	return isnan(computed) ? -INFINITY : computed;
}

static int compare_row_keys(const struct diff *diff, const struct diff_row *a,
	const struct diff_row *b)
{
	int result = 0;
	size_t i;

	for (i = 0; !result && i < diff->keys.n; i++)
		result = strcmp(diff_key_text(diff, a, i),
			diff_key_text(diff, b, i));
	return result;
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
	return compare_row_keys(diff, a, b);
}

void diff_sort(struct diff *diff)
{
	array_each(&diff->events, event)
		if (event->rows.n)
			qsort_r(event->rows.at, event->rows.n,
				sizeof(*event->rows.at), compare_diff_rows,
				diff);
}
