/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples, and other records, in the order of time, for those who print them: a
 * file is nearly sorted, so only what may still be preceded by later bytes is
 * held back.
 */
#ifndef DWELL_REPORT_SCAN_ORDER_H
#define DWELL_REPORT_SCAN_ORDER_H

#include "common/file/reader.h"
#include "report/survey/sample_selection.h"
#include "report/survey/survey.h"

/* RECORD is of a wanted type; borrowed until the call returns. */
typedef void order_take(
	void *data, const struct record *record, uint64_t position);

/*
 * SURVEY must be of READER. Calls TAKE for every sample of what PICK wants
 * read, which may be more than PICK wants.
 */
void order_samples(struct reader *reader, const struct survey *survey,
	const struct pick *pick, order_take *take, void *data);

struct order_wanted {
	const struct pick *pick; /* of the samples */
	bool types[RECORD_END];  /* which records beside samples */
	bool is_unsorted;        /* all as the file has them */
};
/*
 * The same for all that is WANTED. What the kernel didn't write has no time,
 * and comes before all that does.
 */
void order_records(struct reader *reader, const struct survey *survey,
	const struct order_wanted *wanted, order_take *take, void *data);

#endif
