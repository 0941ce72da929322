/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of one interval or of a whole run, as numbers to print: rows,
 * which are ordered by event.
 */
#ifndef DWELL_RECORD_STAT_COUNT_TABLE_H
#define DWELL_RECORD_STAT_COUNT_TABLE_H

#include <sys/types.h>

#include "record/event/selected.h"

enum count_state {
	COUNT_VALID,
	COUNT_NONE,	   /* the event was never counted */
	COUNT_UNSUPPORTED, /* the machine cannot count the event */
	COUNT_ABSENT,	   /* the place cannot: the row is not shown */
};

/* A CPU or a thread whose events have rows of their own. */
struct count_place {
	int cpu;       /* -1: a thread */
	pid_t tid;     /* if it is a thread */
	char name[64]; /* of the thread */
};

struct count_row {
	const struct selected *event;	 /* borrowed */
	const struct count_place *place; /* borrowed; NULL: all together */
	enum count_state state;
	double value; /* estimated if the event was not counted all the time */
	double enabled_ns, running_ns;
	double deviation_percent; /* of the mean of several runs */
};

/* Each event has one row, or .n_places rows in the order of the places. */
struct count_table {
	ARRAY(struct count_row) rows;
	size_t n_places;
	bool is_interval;
	double end_ns;	    /* of the interval, since the start */
	double elapsed_ns;  /* by the clock on the wall */
	bool has_deviation; /* the counts are means of several runs */
};
void count_table_free(struct count_table *table);

/* Returns "<not counted>" or "<not supported>"; "" for COUNT_VALID. */
const char *count_state_name(enum count_state state);
/* Returns whether ROW is a time in ns, which is shown in ms. */
bool count_row_is_clock(const struct count_row *row);
/* Return the count of ROW as it is shown, and its unit, "" or "msec". */
double count_row_shown(const struct count_row *row);
const char *count_row_unit(const struct count_row *row);
/* Returns for how much of its enabled time ROW was counted, in percent. */
double count_row_share(const struct count_row *row);

/* A number that relates a count to another one: the right column. */
struct metric {
	double value;
	int digits; /* after the point */
	bool is_percent;
	const char *scale; /* "", "K", "M" or "G" */
	const char *unit;  /* "/sec", "insn per cycle" */
};
/*
 * Sets RET to the metric of the row with index ROW. Returns false if the table
 * does not have the counts for one.
 */
bool count_table_metric(
	const struct count_table *table, size_t row, struct metric *ret);

#endif
