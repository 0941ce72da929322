/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_runs.h"

#include <math.h>

#include "common/util/base.h"

/* Welford's method: the squares of large counts would lose their last digits.
 */
static void spread_add(struct count_spread *spread, double result)
{
	double distance = result - spread->mean;

	spread->n++;
	spread->mean += distance / (double)spread->n;
	spread->squares += distance * (result - spread->mean);
}

double count_runs_error(const struct count_spread *spread)
{
	double n = (double)spread->n;

	return spread->n < 2 ? 0 : sqrt(spread->squares / (n - 1) / n);
}

double count_runs_error_percent(const struct count_spread *spread)
{
	return spread->mean > 0 ? 100 * count_runs_error(spread) / spread->mean
				: 0;
}

struct error *count_runs_take(
	struct count_runs *runs, struct count_table *table)
{
	size_t i;

	if (runs->elapsed_ns.n && runs->rows.n != table->rows.n)
		return error_new("the number of CPUs has changed between two "
				 "runs; run the command again");
	while (runs->rows.n < table->rows.n)
		array_push(&runs->rows);
	for (i = 0; i < table->rows.n; i++) {
		/* A row that was counted in any run is valid. */
		struct count_run_row *sum = &runs->rows.at[i];
		struct count_row *row = &table->rows.at[i];

		if (!sum->value.n || row->state < sum->state)
			sum->state = row->state;
		spread_add(&sum->value, row->value);
		spread_add(&sum->enabled_ns, row->enabled_ns);
		spread_add(&sum->running_ns, row->running_ns);
		row->state = sum->state;
		row->value = sum->value.mean;
		row->enabled_ns = sum->enabled_ns.mean;
		row->running_ns = sum->running_ns.mean;
		row->deviation_percent = count_runs_error_percent(&sum->value);
	}
	spread_add(&runs->elapsed_ns, table->elapsed_ns);
	table->elapsed_ns = runs->elapsed_ns.mean;
	table->has_deviation = runs->elapsed_ns.n > 1;
	return NULL;
}

void count_runs_free(struct count_runs *runs)
{
	array_free(&runs->rows);
}
