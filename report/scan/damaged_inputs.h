/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The damaged places of all recordings of a report, as its views print them. */
#ifndef DWELL_REPORT_SCAN_DAMAGED_INPUTS_H
#define DWELL_REPORT_SCAN_DAMAGED_INPUTS_H

#include "report/scan/inputs.h"

/* The sums of all INPUTS. */
struct damages_sums damaged_inputs_sums(const struct inputs *inputs);
/* "3 damaged places, 955 samples are missing" */
void damaged_inputs_put_sums(
	const struct damages_sums *sums, struct strbuf *out);
/* A line "# Damaged: ..." for each place, or nothing. */
void damaged_inputs_put_lines(const struct inputs *inputs, struct strbuf *out);
/* A member "damage": [...] and a comma, or nothing. */
void damaged_inputs_put_member(const struct inputs *inputs, struct strbuf *out);

#endif
