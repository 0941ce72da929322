/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of records of tools (types from 64 on): tools/lib/perf, event.h. */
#ifndef DWELL_REPORT_SCRIPT_DUMP_TOOL_H
#define DWELL_REPORT_SCRIPT_DUMP_TOOL_H

#include "common/perf/record.h"
#include "common/util/strbuf.h"

/*
 * Appends the fields of RECORD to OUT, in one line. Types without fields, and
 * records that are too short, append nothing.
 */
void dump_tool(const struct record *record, struct strbuf *out);

#endif
