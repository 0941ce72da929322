/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mean of the results of several runs, and how exact it is. */
#ifndef DWELL_RECORD_STAT_SPREAD_H
#define DWELL_RECORD_STAT_SPREAD_H

#include "common/util/base.h"

/* A zero-initialized spread has no results. */
struct spread {
	size_t n;
	double mean;
	double squares; /* sum of the squares of the distances from the mean */
};

void spread_add(struct spread *spread, double result);
/*
 * Returns the standard deviation of the mean, in the unit of the results; 0 for
 * fewer than two results.
 */
double spread_error(const struct spread *spread);
/* Returns spread_error() in percent of the mean; 0 if the mean is 0. */
double spread_error_percent(const struct spread *spread);

#endif
