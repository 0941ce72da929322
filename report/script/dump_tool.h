/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that tools make (64 and up) as text: tools/lib/perf, event.h. */
#ifndef DWELL_REPORT_SCRIPT_DUMP_TOOL_H
#define DWELL_REPORT_SCRIPT_DUMP_TOOL_H

#include "common/perf/record.h"
#include "common/util/strbuf.h"

/*
 * What stands behind RECORD's name, in one line; nothing for a type that has
 * nothing to tell, or that is too short.
 */
void dump_tool(const struct record *record, struct strbuf *out);

#endif
