/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the result of a comparison as text, JSON or CSV. */
#ifndef DWELL_REPORT_DIFF_DIFF_VIEW_H
#define DWELL_REPORT_DIFF_DIFF_VIEW_H

#include "report/diff/diff.h"

/* Appends DIFF as a text table, or as columns separated by a character (-t). */
void diff_text_put(const struct diff *diff, struct strbuf *out);
/* Append DIFF as JSON or CSV for programs, which dwell-diff(1) documents. */
void diff_json_put(const struct diff *diff, struct strbuf *out);
void diff_csv_put(const struct diff *diff, struct strbuf *out);

#endif
