/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output formats of a comparison. */
#ifndef DWELL_REPORT_DIFF_DIFF_VIEW_H
#define DWELL_REPORT_DIFF_DIFF_VIEW_H

#include "report/diff/diff.h"

/* A text table, or columns separated by a character (-t). */
void diff_text_put(const struct diff *diff, struct strbuf *out);
/* Formats for programs, documented in dwell-diff(1). */
void diff_json_put(const struct diff *diff, struct strbuf *out);
void diff_csv_put(const struct diff *diff, struct strbuf *out);

#endif
