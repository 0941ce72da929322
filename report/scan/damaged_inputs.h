/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats the damaged places of all recordings of a report for its views. */
#ifndef DWELL_REPORT_SCAN_DAMAGED_INPUTS_H
#define DWELL_REPORT_SCAN_DAMAGED_INPUTS_H

#include "common/util/json.h"
#include "report/scan/inputs.h"

/* Returns the sums of all INPUTS. */
struct damages_sums damaged_inputs_sums(const struct inputs *inputs);
/* Appends "3 damaged places, 955 samples are missing". */
void damaged_inputs_put_sums(
	const struct damages_sums *sums, struct strbuf *out);
/* Appends a line "# Damaged: ..." for each place. */
void damaged_inputs_put_lines(const struct inputs *inputs, struct strbuf *out);
/* Writes the member "damage", or nothing if there is no damaged place. */
void damaged_inputs_put_json(const struct inputs *inputs, struct json *json);

#endif
