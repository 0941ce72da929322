/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways to show recordings beside each other, each by diff_NAME.c. */
#ifndef DWELL_REPORT_DIFF_DIFF_VIEW_H
#define DWELL_REPORT_DIFF_DIFF_VIEW_H

#include "report/diff/diff.h"

/* A table of text for people, or with -t for simple programs. */
void diff_text_put(const struct diff *diff, struct strbuf *out);
/* For programs; the shapes are documented in dwell-diff(1). */
void diff_json_put(const struct diff *diff, struct strbuf *out);
void diff_csv_put(const struct diff *diff, struct strbuf *out);

#endif
