/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the counts of context switches and the time off CPU as text or JSON.
 */
#ifndef DWELL_REPORT_VIEW_OFFCPU_TEXT_H
#define DWELL_REPORT_VIEW_OFFCPU_TEXT_H

#include "common/util/json.h"
#include "report/survey/offcpu_time.h"

/* Writes "0.300000 s blocked, ..., 0.000000 s preempted; 30 switches". */
void offcpu_text_put(const struct offcpu_counts *counts, struct strbuf *out);
/* Writes the same counts as an object. */
void offcpu_text_put_json(
	const struct offcpu_counts *counts, const char *key, struct json *json);

#endif
