/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel told beside samples, as lines between them: perf script's
 * --show-task-events and its kin (perf-script(1)).
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_RECORD_H
#define DWELL_REPORT_SCRIPT_SCRIPT_RECORD_H

#include "common/util/cpus.h"
#include "report/script/script_line.h"
#include "report/util/script_records.h"

/* Adds the types of these to TYPES_RET. */
void script_records_types(
	const struct script_records *records, bool types_ret[RECORD_END]);

/* What their lines are made from; all are borrowed. */
struct script_teller {
	struct script_line *line;
	const struct reader *reader;
	const struct survey *survey;
	const struct cpus *cpus; /* only records of these; none named: all */
};

/*
 * The line of RECORD, of one of these types, which stands at POSITION
 * (struct chunk): what samples begin with, and the record's text.
 */
void script_record_put(const struct script_teller *teller,
	const struct record *record, uint64_t position, struct strbuf *out);

#endif
