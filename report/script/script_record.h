/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints records other than samples, for --show-task-events and the other
 * options
 * --show-*-events of perf-script(1).
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_RECORD_H
#define DWELL_REPORT_SCRIPT_SCRIPT_RECORD_H

#include "common/util/cpus.h"
#include "report/script/script_line.h"
#include "report/util/script_records.h"

/* Sets the types of the chosen RECORDS in TYPES_RET. */
void script_records_types(
	const struct script_records *records, bool types_ret[RECORD_END]);

/* All pointers are borrowed. */
struct script_records_source {
	struct script_line *line;
	const struct reader *reader;
	const struct survey *survey;
	const struct cpus *cpus; /* filter; an empty list means all CPUs */
};

/*
 * Appends a line for RECORD at POSITION (struct chunk) to OUT: the fields that
 * a sample's line begins with, and the text of the record.
 */
void script_record_put(const struct script_records_source *source,
	const struct record *record, uint64_t position, struct strbuf *out);

#endif
