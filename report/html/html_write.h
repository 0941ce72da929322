/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One page with all that it shows and does, for a browser. The data stands in
 * it compressed and as base64: letters and digits, whatever names are in it.
 */
#ifndef DWELL_REPORT_HTML_HTML_WRITE_H
#define DWELL_REPORT_HTML_HTML_WRITE_H

#include "report/html/html_data.h"
#include "report/util/export_stream.h"

/* The page of DATA goes to OUT, which says how much that is. */
void html_write(const struct html_data *data, struct outflow *out);

#endif
