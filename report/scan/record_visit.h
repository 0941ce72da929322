/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Visits the records of one type in the order of the file:
 *
 *	struct record_visit visit = { .reader = reader, .type = RECORD_SAMPLE };
 *
 *	while (record_visit_next(&visit))
 *		use visit.record
 *
 * Decompresses only what can contain such records. order.h visits in the order
 * of time; scan.h counts samples in several threads.
 */
#ifndef DWELL_REPORT_SCAN_RECORD_VISIT_H
#define DWELL_REPORT_SCAN_RECORD_VISIT_H

#include "common/file/reader.h"
#include "report/survey/sample_selection.h"

struct record_visit {
	struct reader *reader;
	uint32_t type; /* RECORD_SAMPLE, or a type of sideband records */
	/*
	 * For samples: extents that have none of this selection are left out.
	 * The others may also contain other samples. NULL: all.
	 */
	const struct sample_selection *selection;
	const char *progress; /* what is done, for progress_show(); or NULL */

	/* Set by record_visit_next(). */
	struct record record; /* borrowed until the next call */
	uint64_t position;    /* of .record in the file (struct reader_chunk) */

	/* Internal; zero before the first call. */
	struct cursor *cursor;
	size_t next_extent;
};

/*
 * Finds the next record. Returns false at the end, and frees what VISIT owns: a
 * visit goes on to its end.
 */
bool record_visit_next(struct record_visit *visit);

#endif
