/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Visits samples, and other records, in the order of time. A file is nearly
 * sorted, so only records that may be preceded by later parts of the file are
 * buffered.
 */
#ifndef DWELL_REPORT_SCAN_ORDER_H
#define DWELL_REPORT_SCAN_ORDER_H

#include "common/file/reader.h"
#include "report/survey/sample_selection.h"
#include "report/survey/survey.h"

/*
 * RECORD is of a requested type; borrowed until the call returns. Returns false
 * if no more records are needed.
 */
typedef bool order_visit(
	void *data, const struct record *record, uint64_t position);

/*
 * Calls VISIT for every sample in the extents of SELECTION, which may have more
 * samples than SELECTION. SURVEY is that of READER.
 */
void order_samples(struct reader *reader, const struct survey *survey,
	const struct sample_selection *selection, order_visit *take,
	void *data);

struct order_request {
	const struct sample_selection *selection; /* of the samples */
	bool types[RECORD_END]; /* requested records besides samples */
	bool is_unsorted;       /* visit in the order of the file */
};
/*
 * Does the same for the requested records. Records without a time, which were
 * not written by the kernel, come before all others.
 */
void order_records(struct reader *reader, const struct survey *survey,
	const struct order_request *wanted, order_visit *take, void *data);

#endif
