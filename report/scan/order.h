/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Visits samples, and other records, in the order of time. A file is nearly
 * sorted, so a record is buffered only while later parts of the file may
 * contain an older record.
 */
#ifndef DWELL_REPORT_SCAN_ORDER_H
#define DWELL_REPORT_SCAN_ORDER_H

#include "common/file/reader.h"
#include "report/survey/sample_selection.h"
#include "report/survey/survey.h"

/*
 * Called for each RECORD of a requested type. RECORD is borrowed until the call
 * returns; POSITION is its position in the file. Returns false if no more
 * records are needed.
 */
typedef bool order_visit(
	void *data, const struct record *record, uint64_t position);

/*
 * Calls TAKE in the order of time for every sample in the extents of READER
 * that contain samples of SELECTION. These extents may also contain other
 * samples. SURVEY is the survey of READER.
 */
void order_samples(struct reader *reader, const struct survey *survey,
	const struct sample_selection *selection, order_visit *take,
	void *data);

struct order_request {
	const struct sample_selection *selection; /* which samples */
	bool types[RECORD_END]; /* requested records besides samples */
	bool is_unsorted;	/* visit in the order of the file */
};
/*
 * Calls TAKE in the order of time for the records that WANTED requests. Records
 * without a time, which were not written by the kernel, come before all other
 * records.
 */
void order_records(struct reader *reader, const struct survey *survey,
	const struct order_request *wanted, order_visit *take, void *data);

#endif
