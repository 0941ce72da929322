/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the records that perf's tools write (types from 64 on) as text.
 * tools/lib/perf/include/perf/event.h defines the records.
 */
#ifndef DWELL_REPORT_SCRIPT_DUMP_TOOL_H
#define DWELL_REPORT_SCRIPT_DUMP_TOOL_H

#include "common/perf/record.h"
#include "common/util/strbuf.h"

/*
 * Appends the fields of RECORD to OUT, in one line. Appends nothing if the
 * record type has no fields, and nothing or only the first fields if RECORD is
 * too short.
 */
void dump_tool(const struct record *record, struct strbuf *out);

#endif
