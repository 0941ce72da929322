/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of one interval or of a whole run, as numbers to print: rows,
 * which are ordered by event.
 */
#ifndef DWELL_RECORD_STAT_COUNT_TABLE_H
#define DWELL_RECORD_STAT_COUNT_TABLE_H

#include <sys/types.h>

#include "common/util/strbuf.h"
#include "record/event/selection.h"
#include "record/sys/topology.h"

enum count_state {
	COUNT_VALID,
	COUNT_NONE,	   /* the event was never counted */
	COUNT_UNSUPPORTED, /* the machine cannot count the event */
	COUNT_ABSENT,	   /* the place cannot: the row is not shown */
};

/* What has rows of its own. */
enum count_by {
	COUNT_BY_ALL, /* all CPUs and threads together */
	COUNT_BY_CPU,
	COUNT_BY_CORE,
	COUNT_BY_DIE,
	COUNT_BY_SOCKET,
	COUNT_BY_NODE,
	COUNT_BY_THREAD,
};

/* A CPU, a part of the machine, or a thread. */
struct count_place {
	struct topology_of_cpu at; /* numbers that do not identify it are 0 */
	pid_t tid;		   /* of a thread */
	char name[64];		   /* of a thread */
};

struct count_row {
	const struct selection_event *event; /* borrowed */
	const struct count_place *place;     /* borrowed; NULL: all together */
	enum count_state state;
	double value; /* estimated if the event was not counted all the time */
	double enabled_ns, running_ns;
	double deviation_percent; /* of the mean of several runs */
	unsigned n_counted;	  /* CPUs or threads in .value */
};

/* Each event has one row, or .n_places rows in the order of the places. */
struct count_table {
	ARRAY(struct count_row) rows;
	size_t n_places;
	enum count_by by;
	bool is_interval;
	bool has_cgroups;   /* -G: rows contain the name of the group */
	double end_ns;	    /* of the interval, since the start */
	double elapsed_ns;  /* by the clock on the wall */
	bool has_deviation; /* the counts are means of several runs */
};
void count_table_free(struct count_table *table);

/*
 * Returns the indexes of the rows of TABLE in the order in which perf stat
 * prints them, owned by the caller: by event, and the threads by their counts;
 * parts of the machine each with all events.
 */
size_t *count_table_order(const struct count_table *table);

/* Returns the member of a JSON object that names a place of BY. */
const char *count_by_name(enum count_by by);
/* Returns whether the places of BY are parts of the machine with any CPUs. */
bool count_by_is_part(enum count_by by);
/*
 * Appends the name of PLACE, which is not a thread: "CPU0", "S0-D0-C1". The
 * last number is padded to WIDTH.
 */
void count_place_put(enum count_by by, const struct count_place *place,
	int width, struct strbuf *out);

/* Returns "<not counted>" or "<not supported>"; "" for COUNT_VALID. */
const char *count_state_name(enum count_state state);
/* Returns whether ROW is a time in ns, which is shown in ms. */
bool count_row_is_clock(const struct count_row *row);
/*
 * Return the count of ROW as it is shown, in its unit ("msec", or that of the
 * PMU), and the digits behind the point: 2 if the scale is not a whole number.
 */
double count_row_shown(const struct count_row *row);
const char *count_row_unit(const struct count_row *row);
int count_row_digits(const struct count_row *row);
/* Returns for how much of its enabled time ROW was counted, in percent. */
double count_row_share(const struct count_row *row);

/* A number that relates a count to another one: the right column. */
struct count_metric {
	double value;
	int digits;	   /* after the point */
	const char *sign;  /* behind the number in text: "%", or a blank */
	const char *scale; /* "", "K", "M" or "G" */
	const char *unit;  /* "/sec", "insn per cycle" */
};
/*
 * Sets RET to the metric of the row with index ROW. Returns false if the table
 * does not have the counts for one.
 */
bool count_table_metric(
	const struct count_table *table, size_t row, struct count_metric *ret);
/*
 * Sets RET to the second metric of the row with index ROW, which has a line of
 * its own: the stalled cycles of instructions. Returns false if there is none.
 */
bool count_table_second_metric(
	const struct count_table *table, size_t row, struct count_metric *ret);

#endif
