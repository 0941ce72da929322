/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/spread.h"

#include <math.h>

/* Welford's method: the squares of large counts would lose their last digits.
 */
void spread_add(struct spread *spread, double result)
{
	double distance = result - spread->mean;

	spread->n++;
	spread->mean += distance / (double)spread->n;
	spread->squares += distance * (result - spread->mean);
}

double spread_error(const struct spread *spread)
{
	double n = (double)spread->n;

	return spread->n < 2 ? 0 : sqrt(spread->squares / (n - 1) / n);
}

double spread_error_percent(const struct spread *spread)
{
	return spread->mean > 0 ? 100 * spread_error(spread) / spread->mean : 0;
}
