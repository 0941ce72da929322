/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares recordings with the first one, the baseline. Rows are matched by the
 * texts of their keys, not by addresses, which differ between builds. The
 * result contains the change of each row and whether it is significant. It
 * borrows from the options, but not from the recordings. Views only read it.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_H
#define DWELL_REPORT_DIFF_DIFF_H

#include "common/file/damages.h"
#include "report/options/options.h"
#include "report/util/string_table.h"

#define DIFF_SIDES_MAX 64u
/*
 * Part of the text of code without a symbol, instead of its address, which is
 * different in another build.
 */
#define DIFF_UNKNOWN "[unknown]"

/* A recording, or all recordings of a folder. Number 0 is the baseline. */
struct diff_side {
	char *path;    /* as on the command line, or the default; owned */
	uint64_t lost; /* lost samples */
	struct damages_sums damaged;
	double seconds; /* length; 0 unless rates are compared */
};

/* A key, by which samples are grouped into rows. Strings are owned. */
struct diff_key {
	char *name, *head;
	bool is_number; /* its texts are numbers, possibly with blanks */
};

/* The totals of an event in one side. */
struct diff_total {
	uint64_t samples,
		period; /* to which shares refer; 0: the event is missing */
	double squares; /* sum of the squared periods of the samples */
};

/* The values of a row in one side; all 0: the row is missing. */
struct diff_cell {
	uint64_t samples, period;
	double share; /* percentage of the event */
	double value; /* compared value: percentage, period, or rate */
};

/*
 * The change of a row since the baseline. Errors are standard errors if samples
 * are independent.
 */
struct diff_change {
	double delta, delta_error; /* of the values */
	double ratio, ratio_error; /* INFINITY: the row is new */
	/* value * weights[1] - value in the baseline * weights[0] */
	double wdiff, wdiff_error;
	double p;      /* p-value of the difference */
	bool is_known; /* false: all is 0; this side lacks the event, or both
			* sides lack the row */
	bool is_noise; /* not significant, given the number of rows */
	bool is_new, is_gone; /* only in this side; only in the baseline */
};

struct diff_row {
	uint32_t number;		   /* from 0, in order of creation */
	const uint32_t *keys;		   /* numbers of texts, one per key */
	const struct diff_cell *cells;	   /* by side */
	const struct diff_change *changes; /* by side; all 0 for side 0 */
};

/*
 * An event. After diff_keep_common() the baseline and another side have samples
 * of each event.
 */
struct diff_event {
	char *name;	     /* owned */
	uint32_t occurrence; /* from 0, among events of this name in a side */
	ARRAY(struct diff_total) totals; /* by side */
	ARRAY(struct diff_row) rows;	 /* sorted by diff_sort() */
	/* Memory of the rows, by row number. */
	ARRAY(uint32_t) keys;
	ARRAY(struct diff_cell) cells;
	ARRAY(struct diff_change) changes;
	struct hash_index by_keys;
};

struct diff {
	const struct options *options;
	const struct diff_style *style; /* the options' */
	ARRAY(struct diff_side) sides;
	ARRAY(struct diff_key) keys;
	ARRAY(struct diff_event) events;
	struct string_table texts;
};

/*
 * Runs the whole pipeline on each recording of OPTIONS, one after the other,
 * and compares the results. Fails if no event has samples in the baseline and
 * in another recording. The caller calls diff_deinit() also after an error.
 */
struct error *diff_make(
	const struct options *options, struct diff *ret) _must_check_;
void diff_deinit(struct diff *diff);

/*
 * Returns the options of side number SIDE: DIFF's options with the recordings
 * and the --time range of this side. The caller owns .inputs; the rest is
 * borrowed from DIFF's options.
 */
struct options diff_side_options(const struct diff *diff, size_t side);

/*
 * The steps of diff_make(), for callers that also compare other data than rows.
 * diff_begin() initializes RET and finds the recordings; RET needs
 * diff_deinit() also after an error.
 */
struct result;
struct error *diff_begin(
	const struct options *options, struct diff *ret) _must_check_;
/*
 * Returns an error if RESULT of side number SIDE cannot be compared, because
 * its pipeline failed with ERR, it IS_EMPTY, or its length is unknown. Takes
 * ownership of ERR. Sets the length of the side if rates are compared.
 */
struct error *diff_check_side(struct diff *diff, size_t side,
	const struct result *result, bool is_empty,
	struct error *err) _must_check_;
/* Adds the rows of RESULT, or only the totals of its events. */
void diff_take(struct diff *diff, size_t side, const struct result *result);
void diff_take_totals(
	struct diff *diff, size_t side, const struct result *result);
/*
 * After all sides were added: removes events that are not common, and fails if
 * none is common; computes the changes; sorts the rows. The last two can be
 * repeated with another style.
 */
struct error *diff_keep_common(struct diff *diff) _must_check_;
void diff_compute(struct diff *diff);
void diff_sort(struct diff *diff);
/*
 * Returns a short name of OWN, a side of DIFF: its path without folders if no
 * other side has the same, otherwise its path. Borrowed.
 */
const char *diff_side_name(
	const struct diff *diff, const struct diff_side *own);

/*
 * Returns ROW's change in side number SIDE, which must be known, computed by
 * the current style, which may have changed since diff_compute(). .is_noise is
 * not computed.
 */
struct diff_change diff_change_now(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row,
	size_t side);

/* Returns the text of ROW's key number KEY. Borrowed. */
static inline const char *diff_key_text(
	const struct diff *diff, const struct diff_row *row, size_t key)
{
	return string_table_at(&diff->texts, row->keys[key]);
}

/* Returns the value of CHANGE that the style selects, or its standard error. */
double diff_computed(const struct diff *diff, const struct diff_change *change);
double diff_computed_error(
	const struct diff *diff, const struct diff_change *change);
/* Returns "~" (noise), "new", "gone", "more", "less", or "" (unknown). */
const char *diff_verdict(
	const struct diff *diff, const struct diff_change *change);

#endif
