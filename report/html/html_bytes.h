/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appends numbers and texts in the encoding of html_data.h. */
#ifndef DWELL_REPORT_HTML_HTML_BYTES_H
#define DWELL_REPORT_HTML_HTML_BYTES_H

#include "common/util/strbuf.h"

void html_put_number(struct strbuf *out, uint64_t number);
/* Appends the size of BYTES as a number, then BYTES. */
void html_put_bytes(struct strbuf *out, const struct strbuf *bytes);
/* Appends TEXT, escaped. NULL is written as "". */
void html_put_text(struct strbuf *out, const char *text);

#endif
