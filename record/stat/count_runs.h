/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The means of the counts of several runs of a command. */
#ifndef DWELL_RECORD_STAT_COUNT_RUNS_H
#define DWELL_RECORD_STAT_COUNT_RUNS_H

#include "common/util/error.h"
#include "record/stat/count_table.h"

/* The mean of the results of several runs. */
struct count_spread {
	size_t n;
	double mean;
	double squares; /* sum of the squares of the distances from the mean */
};

/* A zero-initialized struct has no runs. */
struct count_runs {
	struct count_spread elapsed_ns;
	/* In the order of the rows of the tables. */
	ARRAY(struct count_run_row {
		enum count_state state;
		struct count_spread value, enabled_ns, running_ns;
	})
	rows;
};

/*
 * Adds the counts of a run, and replaces those in TABLE by the means of all
 * runs so far. It is an error if TABLE does not have the rows of the first one.
 */
struct error *count_runs_take(
	struct count_runs *runs, struct count_table *table) _must_check_;
/*
 * Returns the standard deviation of the mean, in the unit of the results; 0 for
 * fewer than two results.
 */
double count_runs_error(const struct count_spread *spread);
/* Returns count_runs_error() in percent of the mean; 0 if the mean is 0. */
double count_runs_error_percent(const struct count_spread *spread);
void count_runs_free(struct count_runs *runs);

#endif
