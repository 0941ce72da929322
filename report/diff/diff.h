/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares recordings with the first recording, the baseline. A side is one of
 * the compared recordings. Rows are matched by the texts of their keys, not by
 * addresses, which differ between builds. A struct diff contains the change of
 * each row and whether the change is significant. A struct diff borrows from
 * the options, but not from the recordings. Views only read it.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_H
#define DWELL_REPORT_DIFF_DIFF_H

#include "common/file/damages.h"
#include "report/options/options.h"
#include "report/resolve/guessed_builds.h"
#include "report/resolve/moved_functions.h"
#include "report/util/string_table.h"

#define DIFF_SIDES_MAX 64u
/*
 * Name of code without a symbol. The address of the code would be different in
 * another build.
 */
#define DIFF_UNKNOWN "[unknown]"

/*
 * One of the compared recordings, or all recordings of a folder. Side number 0
 * is the baseline.
 */
struct diff_side {
	char *path;    /* as on the command line, or the default; owned */
	uint64_t lost; /* number of lost samples */
	struct damages_sums damaged;
	double seconds; /* length of the recording; 0 unless rates are
			   compared */
};

/* A key, by which samples are grouped into rows. Strings are owned. */
struct diff_key {
	char *name, *head;
	bool is_number; /* texts of the key are numbers, possibly with blanks */
};

/* The totals of an event in one side. */
struct diff_total {
	uint64_t samples,
		period; /* totals of the event; 0: the event is missing */
	double squares; /* sum of the squared periods of the samples */
};

/* The values of a row in one side; all 0: the row is missing. */
struct diff_cell {
	uint64_t samples, period;
	double share; /* period as a percentage of the event's period */
	double value; /* compared value: percentage, period, or rate */
};

/*
 * The change of a row since the baseline. The members *_error are standard
 * errors, if samples are independent.
 */
struct diff_change {
	double delta, delta_error; /* difference of the compared values */
	double ratio, ratio_error; /* INFINITY: the row is new */
	/* value * weights[1] - value in the baseline * weights[0] */
	double wdiff, wdiff_error;
	double p;      /* p-value of the difference */
	bool is_known; /* false: all members are 0; this side lacks the event,
			  or this side and the baseline lack the row */
	bool is_noise; /* the change is not significant, given the number of
			  rows */
	bool is_new, is_gone; /* the row is only in this side; only in the
				 baseline */
};

struct diff_row {
	uint32_t number;		   /* row number from 0, in order of
					      creation */
	const uint32_t *keys;		   /* numbers in .texts of struct diff,
					      one per key */
	const struct diff_cell *cells;	   /* by side number */
	const struct diff_change *changes; /* by side number; all members of
					      element 0 are 0 */
};

/*
 * An event of the compared recordings. After diff_keep_common(), the baseline
 * and another side have samples of each event.
 */
struct diff_event {
	char *name;	     /* event name; owned */
	uint32_t occurrence; /* number among the events of this name in a side,
				from 0 */
	bool counts_ns;	     /* periods are times in ns */
	ARRAY(struct diff_total) totals; /* by side number */
	ARRAY(struct diff_row) rows;	 /* sorted by diff_sort() */
	/* The memory to which the elements of .rows point, by row number. */
	ARRAY(uint32_t) keys;
	ARRAY(struct diff_cell) cells;
	ARRAY(struct diff_change) changes;
	struct hash_index by_keys;
};

struct diff {
	const struct options *options;
	/*
	 * As in .options, with the measure that diff_begin() chose. A view can
	 * change the style and call diff_compute() again. Borrows from
	 * .options.
	 */
	struct style_diff style;
	bool is_measure_chosen; /* no option selects the measure */
	ARRAY(struct diff_side) sides;
	ARRAY(struct diff_key) keys;
	ARRAY(struct diff_event) events;
	struct string_table texts;
	/*
	 * The guessed functions among the texts: DSO number in .guessed_builds
	 * + 1 by text number, or 0. May be shorter than .texts.
	 */
	ARRAY(uint32_t) guessed;
	struct guessed_builds guessed_builds;
	struct moved_functions moved;
};

/*
 * Reads and counts the recordings of OPTIONS, one after the other, and compares
 * the rows. Fails if no event has samples in the baseline and in another
 * recording. The caller calls diff_deinit() also after an error.
 */
struct error *diff_make(
	const struct options *options, struct diff *ret) _must_check_;
void diff_deinit(struct diff *diff);

/*
 * Returns the options of side number SIDE: DIFF's options with the recordings
 * and the --time range of this side. The caller owns .inputs; all other members
 * are borrowed from DIFF's options.
 */
struct options diff_side_options(const struct diff *diff, size_t side);

/*
 * The steps of diff_make(), for callers that also compare other data than rows.
 * diff_begin() initializes RET, finds the recordings and chooses the measure; RET
 * needs diff_deinit() also after an error.
 */
struct result;
struct error *diff_begin(
	const struct options *options, struct diff *ret) _must_check_;
/*
 * Sets the measure of DIFF's style, unless an option selects the measure:
 * periods if each recording is that of a command that ended, else periods per
 * second. Opens the recordings; a recording that cannot be opened counts as one
 * that is not of a command.
 */
void diff_choose_measure(struct diff *diff);
/*
 * Returns an error if RESULT of side number SIDE cannot be compared: because
 * creating RESULT failed with ERR, because RESULT has no samples (IS_EMPTY), or
 * because the length of the recording is needed and unknown. Takes ownership of
 * ERR. Sets the length of the side if rates are compared. If no option selects
 * rates and the length is unknown, percentages are compared instead.
 */
struct error *diff_check_side(struct diff *diff, size_t side,
	const struct result *result, bool is_empty,
	struct error *err) _must_check_;
/*
 * diff_take() adds the rows of RESULT to side number SIDE; diff_take_totals()
 * adds only the totals of the events in RESULT.
 */
void diff_take(struct diff *diff, size_t side, const struct result *result);
void diff_take_totals(
	struct diff *diff, size_t side, const struct result *result);
/*
 * Called after all sides were added. diff_match_builds() gives functions whose names
 * differ between builds one name (moved_functions.h), and makes unknown code of the
 * guessed functions of DSOs of which the sides have different builds.
 * diff_keep_common() removes events without
 * samples in the baseline or in all other sides, and fails if no event remains.
 * diff_compute() computes the changes, and diff_sort() sorts the rows; both can
 * be called again with another style.
 */
void diff_match_builds(struct diff *diff);
struct error *diff_keep_common(struct diff *diff) _must_check_;
void diff_compute(struct diff *diff);
void diff_sort(struct diff *diff);
/*
 * Returns a short name of OWN, a side of DIFF: the file name if all sides have
 * different file names, otherwise the path. Borrowed from OWN.
 */
const char *diff_side_name(
	const struct diff *diff, const struct diff_side *own);

/*
 * Returns the change of ROW in side number SIDE by the current style, which may
 * have changed since diff_compute(). The caller checks that .is_known of ROW's
 * change is true. .is_noise of the result is not computed.
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

/*
 * diff_computed() returns the difference, ratio or weighted difference of
 * CHANGE, as the style selects; diff_computed_error() returns the standard
 * error of this value.
 */
double diff_computed(const struct diff *diff, const struct diff_change *change);
double diff_computed_error(
	const struct diff *diff, const struct diff_change *change);
/*
 * Returns the verdict about CHANGE: "~" (noise), "new", "gone", "more", "less",
 * or "" (unknown).
 */
const char *diff_verdict(
	const struct diff *diff, const struct diff_change *change);

#endif
