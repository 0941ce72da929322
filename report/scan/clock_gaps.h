/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU time of clock events that has no sample because the timer skipped
 * periods, read from the section "unsampled" (common/file/unsampled_section.h).
 */
#ifndef DWELL_REPORT_SCAN_CLOCK_GAPS_H
#define DWELL_REPORT_SCAN_CLOCK_GAPS_H

#include "common/util/json.h"
#include "report/scan/inputs.h"

/*
 * Appends a line that begins with "# " for each clock event of READER that has
 * such time. The names are not escaped.
 */
void clock_gaps_print(struct reader *reader, struct strbuf *out);
/* Writes the member "unsampled", or nothing if no recording has such time. */
void clock_gaps_put_json(const struct inputs *inputs, struct json *json);

#endif
