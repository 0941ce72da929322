/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of records of the kernel, except samples, in the format of perf
 * script (tools/perf/util/event.c).
 */
#ifndef DWELL_REPORT_SCRIPT_RECORD_TEXT_H
#define DWELL_REPORT_SCRIPT_RECORD_TEXT_H

#include "common/perf/sample.h"

/*
 * Appends the fields of RECORD, which belongs to an event of LAYOUT, to OUT:
 * " 7/7: [0x1000(0x2000) @ 0]: r-xp /bin/sh". Types without fields append
 * nothing; a record that is too short appends its first fields.
 */
void record_text(const struct record *record,
	const struct sample_layout *layout, struct strbuf *out);

/* Appends counters: " value: 10 id: 20 lost: 30", as far as recorded. */
void record_text_counts(const struct sample_counts *counts, struct strbuf *out);

#endif
