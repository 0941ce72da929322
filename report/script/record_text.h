/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the records that the kernel writes, except samples, as text in the
 * format of perf script (tools/perf/util/event.c).
 */
#ifndef DWELL_REPORT_SCRIPT_RECORD_TEXT_H
#define DWELL_REPORT_SCRIPT_RECORD_TEXT_H

#include "common/perf/sample.h"

/*
 * Appends the fields of RECORD, which belongs to an event of LAYOUT, to OUT: "
 * 7/7: [0x1000(0x2000) @ 0]: r-xp /bin/sh". Appends nothing if the record type
 * has no fields, and nothing or only the first fields if RECORD is too short.
 */
void record_text(const struct record *record,
	const struct sample_layout *layout, struct strbuf *out);

/*
 * Appends the counter values in COUNTS, with IDs and lost samples if recorded:
 * " value: 10 id: 20 lost: 30".
 */
void record_text_counts(const struct sample_counts *counts, struct strbuf *out);

#endif
