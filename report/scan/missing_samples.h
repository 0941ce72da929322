/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats, for views, which samples are missing in the recordings of a report:
 * samples in damaged places of files, and samples of clock events whose timer
 * skipped periods.
 */
#ifndef DWELL_REPORT_SCAN_MISSING_SAMPLES_H
#define DWELL_REPORT_SCAN_MISSING_SAMPLES_H

#include "common/util/json.h"
#include "report/scan/inputs.h"

/* Returns the sums of damaged places and missing samples of all INPUTS. */
struct damages_sums missing_damage_sums(const struct inputs *inputs);
/* Appends SUMS to OUT: "3 damaged places, 955 samples are missing". */
void missing_damage_put_sums(
	const struct damages_sums *sums, struct strbuf *out);
/* Appends a line "# Damaged: ..." for each damaged place of INPUTS. */
void missing_damage_put_lines(const struct inputs *inputs, struct strbuf *out);
/*
 * Writes the damaged places of INPUTS as the member "damage", or nothing if
 * there are none.
 */
void missing_damage_put_json(const struct inputs *inputs, struct json *json);

/*
 * Appends a line that begins with "# " for each clock event of READER whose
 * timer skipped periods. The line contains the event's CPU time without
 * samples, from the section "unsampled" (common/file/section.h). The event
 * names are not escaped.
 */
void missing_clock_gaps_print(struct reader *reader, struct strbuf *out);
/*
 * Writes the CPU time without samples of clock events as the member
 * "unsampled", or nothing if there is no such time.
 */
void missing_clock_gaps_put_json(
	const struct inputs *inputs, struct json *json);

#endif
