/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports the damaged places of recordings (struct damage_place: a file offset
 * at which data could not be read), on stderr and in the output of verbs. A
 * verb that has read a damaged recording exits with EXIT_INCOMPLETE.
 */
#ifndef DWELL_REPORT_SURVEY_INCOMPLETE_H
#define DWELL_REPORT_SURVEY_INCOMPLETE_H

#include "common/file/reader.h"
#include "common/util/base.h"

/*
 * The number of records that could not be read, and the position of the first.
 */

struct incomplete_damage {
	uint64_t n;
	/*
	 * position in the file of the first damaged record, as in `script -D`;
	 * valid if .n > 0
	 */
	uint64_t first;
};

/*
 * Adds N damaged records to DAMAGE. FIRST is the position in the file of the
 * first of the N records.
 */
static inline void incomplete_damage_add(
	struct incomplete_damage *damage, uint64_t n, uint64_t first)
{
	if (n && (!damage->n || first < damage->first))
		damage->first = first;
	damage->n += n;
}

/*
 * Limit of the damaged places that are printed for each recording, one line
 * each. The sums in the messages count all damaged places.
 */
#define INCOMPLETE_LINES_MAX 20u

/*
 * Exit status: the output is incomplete because the recording is damaged, or
 * because its sideband needs too much memory.
 */
#define EXIT_INCOMPLETE 3

/*
 * Prints the damaged places of READER's recording that were not printed yet,
 * one line each up to INCOMPLETE_LINES_MAX, and the number of the others.
 * Thread-safe.
 */
void incomplete_report(struct reader *reader);
/*
 * From now on incomplete_report() prints nothing, and incomplete_close() prints
 * all damaged places. For verbs that may reject a damaged recording.
 */
void incomplete_hold(void);
/*
 * Marks the damaged places of READER as printed, for callers whose error
 * message describes the damage. Without this call, incomplete_close() prints
 * the damaged places in addition to the error.
 */
void incomplete_skip(struct reader *reader);
/*
 * Returns whether damage or incomplete_report_limit() was printed, or damage
 * was marked as printed by incomplete_skip(). A recording that was never closed
 * does not count as damaged.
 */
bool incomplete_is_reported(void);
/*
 * Prints the damaged places that were not printed yet, and closes READER, which
 * may be NULL.
 */
void incomplete_close(struct reader *reader);

/*
 * Adds RECORDS, the damaged records of READER's recording, to its damaged
 * places. SAMPLES of the damaged records are samples.
 */
void incomplete_add_records(struct reader *reader,
	const struct incomplete_damage *records, uint64_t samples);

/*
 * Prints that RECORDS of READER's recording were left out because they need
 * more memory than reader_budget() allows. The recording is not damaged, but
 * the output is incomplete: the verb exits with EXIT_INCOMPLETE.
 */
void incomplete_report_limit(
	const struct reader *reader, const struct incomplete_damage *records);

/*
 * Prints that LOST, the number of lost samples of READER's recording, has
 * reached the limit UINT64_MAX, if so, and that the output is incomplete.
 */
void incomplete_report_lost(const struct reader *reader, uint64_t lost);
/*
 * Prints that the periods of SAMPLES samples of READER's recording were not
 * counted, because their sum is too large, and that the output is incomplete.
 */
void incomplete_report_periods(const struct reader *reader, uint64_t samples);

/*
 * Appends the missing samples of PLACE to OUT: ": 955 samples are missing, from
 * 1.5 s to 2.5 s", or nothing if no samples are missing.
 */
void incomplete_put_missing(
	const struct damage_place *place, struct strbuf *out);

#endif
