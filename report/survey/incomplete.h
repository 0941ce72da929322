/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports the damaged places of recordings: on stderr, and in what a verb
 * prints. A verb that has read a damaged recording ends with EXIT_INCOMPLETE.
 */
#ifndef DWELL_REPORT_SURVEY_INCOMPLETE_H
#define DWELL_REPORT_SURVEY_INCOMPLETE_H

#include "common/file/reader.h"
#include "report/survey/damage.h"

/* Limit of lines for each recording; the sums count all places. */
#define INCOMPLETE_LINES_MAX 20u

/* The answer is incomplete because the recording is damaged. */
#define EXIT_INCOMPLETE 3

/*
 * Prints the places of READER that were not printed yet, one line each, and
 * the rest as a number. Thread-safe.
 */
void incomplete_report(struct reader *reader);
/*
 * From now on incomplete_report() prints nothing, and incomplete_close() prints
 * all places: for a verb that may refuse a damaged recording.
 */
void incomplete_hold(void);
/*
 * Marks the places of READER as printed, because an error names the damage.
 * Without this call incomplete_close() prints them beside the error.
 */
void incomplete_skip(struct reader *reader);
/* Whether incomplete_report() has printed damage, or an error has named it. */
bool incomplete_is_reported(void);
/* Prints what is left to print, and closes READER, which may be NULL. */
void incomplete_close(struct reader *reader);

/* Adds N damaged records, the first at POSITION, SAMPLES of them samples. */
void incomplete_add_records(
	struct reader *reader, const struct damage *records, uint64_t samples);

/* Appends ": 955 samples are missing, from 1.5 s to 2.5 s", or nothing. */
void incomplete_put_missing(
	const struct damage_place *place, struct strbuf *out);

#endif
