/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts records from the other byte order to this machine's, in place, so
 * that only the reader handles byte orders.
 *
 * Not converted are texts, build IDs, raw data of samples (only the
 * tracepoint's format file describes the fields), stack copies, data of AUX and
 * TRACING_DATA records, sections in FEATURE records, and compressed data.
 */
#ifndef DWELL_COMMON_PERF_SWAP_H
#define DWELL_COMMON_PERF_SWAP_H

#include "common/perf/sample.h"

/*
 * Converts the record at DATA. RECORD is the header of that record, read with
 * .swap true. LAYOUT is the layout of the record's event. In short records
 * and unknown types, the known fields are converted.
 */
void swap_record(uint8_t *data, const struct record *record,
	const struct sample_layout *layout);

#endif
