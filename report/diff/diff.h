/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings beside each other: the rows of each, matched by the texts of their
 * keys (never by addresses, as programs were built anew meanwhile), what became
 * of them since the first one, and how much of that may be chance. Views read
 * it and change nothing. It doesn't outlive the options, and needs no recording
 * any more.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_H
#define DWELL_REPORT_DIFF_DIFF_H

#include "common/file/damages.h"
#include "report/options/options.h"
#include "report/util/string_table.h"

#define DIFF_SIDES_MAX 64u
/*
 * In the text of a function that nobody knows: its address says nothing in
 * another build.
 */
#define DIFF_UNKNOWN "[unknown]"

/* A recording, or those of a folder. Number 0 is the baseline. */
struct diff_side {
	char *path;     /* as it was named, or by default; owned */
	uint64_t lost;  /* samples */
	struct damages_sums damaged;
	double seconds; /* that it covers; 0 unless rates are compared */
};

/* A key that rows are told apart by. Owned. */
struct diff_key {
	char *name, *head;
	bool is_number; /* its text is one, but for blanks */
};

/* All that one side has of an event. */
struct diff_total {
	uint64_t samples, period; /* what shares are of; 0: it lacks the event */
	double squares; /* of the samples' periods */
};

/* What one side has of a row; all 0: nothing. */
struct diff_cell {
	uint64_t samples, period;
	double share; /* of the event, in percent */
	double value; /* what is compared: in percent, a period, or a rate */
};

/*
 * What became of a row since the baseline. Errors are standard errors, of
 * independent samples.
 */
struct diff_change {
	double delta, delta_error; /* of the values */
	double ratio, ratio_error; /* INFINITY: it is new */
	double wdiff, wdiff_error; /* value * weights[1] - it * weights[0] */
	double p;      /* how often chance alone makes such a difference */
	bool is_known; /* else all is 0: this side lacks the event, or the row
			* is in neither */
	bool is_noise; /* it may be chance, as there are so many rows */
	bool is_new, is_gone; /* only this side has it, only the baseline */
};

struct diff_row {
	uint32_t number;             /* from 0, as it was found */
	const uint32_t *keys;        /* texts, one for each key */
	const struct diff_cell *cells;     /* by side */
	const struct diff_change *changes; /* by side; number 0 is all 0 */
};

/* One that the baseline has samples of, and another side. */
struct diff_event {
	char *name;          /* owned */
	uint32_t occurrence; /* of its name in each side, from 0 */
	ARRAY(struct diff_total) totals; /* by side */
	ARRAY(struct diff_row) rows;     /* in the order that was asked for */
	/* What rows point at, by their numbers. */
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
	struct texts texts;
};

/*
 * Runs the whole pipeline on each recording that OPTIONS name, one after the
 * other, and compares. Without a common event with samples there is an error.
 * RET is zeroed first, and is to be given to diff_deinit() also after an error.
 */
struct error *diff_make(
	const struct options *options, struct diff *ret) _must_check_;
void diff_deinit(struct diff *diff);

/*
 * The options of side number SIDE alone: those of all of them, with its
 * recordings and its part of --time. What is returned owns .inputs; all else is
 * borrowed from DIFF's options.
 */
struct options diff_side_options(const struct diff *diff, size_t side);

/*
 * The parts of diff_make(), for those who compare something else than rows: which
 * recordings there are; whether RESULT of number SIDE, whose pipeline ended with
 * ERR, can be compared, or IS_EMPTY;
 */
struct result;
struct error *diff_begin(
	const struct options *options, struct diff *ret) _must_check_;
struct error *diff_check_side(struct diff *diff, size_t side,
	const struct result *result, bool is_empty,
	struct error *err) _must_check_;
/* its rows, or only what its events add up to; */
void diff_take(struct diff *diff, size_t side, const struct result *result);
void diff_take_totals(
	struct diff *diff, size_t side, const struct result *result);
/*
 * and when all are there, whether any event is common, others being left out, what
 * became of rows, and their order; again when the style has changed.
 */
struct error *diff_keep_common(struct diff *diff) _must_check_;
void diff_compute(struct diff *diff);
void diff_sort(struct diff *diff);
/*
 * What OWN, a side of DIFF, is called where there is little room: its path without
 * folders, where that tells sides apart. Borrowed.
 */
const char *diff_side_name(
	const struct diff *diff, const struct diff_side *own);

/*
 * What ROW's change in number SIDE, which is known, is by the style as it is now,
 * whatever the others were computed by; but whether it .is_noise isn't known.
 */
struct diff_change diff_change_now(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row,
	size_t side);

/*
 * Says so if what the baseline has lost has come again in a file of another name:
 * "app" and "app.new".
 */
void diff_tell_renamed(const struct diff *diff);

/* The text of ROW's key number KEY. Borrowed. */
static inline const char *diff_key_text(
	const struct diff *diff, const struct diff_row *row, size_t key)
{
	return texts_at(&diff->texts, row->keys[key]);
}

/* What CHANGE is by the style's way to compute, and its standard error. */
double diff_computed(const struct diff *diff, const struct diff_change *change);
double diff_computed_error(
	const struct diff *diff, const struct diff_change *change);
/* "~" (noise), "new", "gone", "more", "less", or "". */
const char *diff_verdict(
	const struct diff *diff, const struct diff_change *change);

#endif
