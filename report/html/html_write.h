/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an HTML page in one file. The data is compressed and in base64, so
 * that names in it cannot be read as HTML.
 */
#ifndef DWELL_REPORT_HTML_HTML_WRITE_H
#define DWELL_REPORT_HTML_HTML_WRITE_H

#include "report/html/html_data.h"
#include "report/util/export_stream.h"

/* Writes the page of DATA to OUT, and reports the progress. */
void html_write(const struct html_data *data, struct outflow *out);

#endif
