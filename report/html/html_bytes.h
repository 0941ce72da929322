/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and texts as a page's data has them (html_data.h). */
#ifndef DWELL_REPORT_HTML_HTML_BYTES_H
#define DWELL_REPORT_HTML_HTML_BYTES_H

#include "common/util/strbuf.h"

void html_put_number(struct strbuf *out, uint64_t number);
/* Its size, and itself. */
void html_put_bytes(struct strbuf *out, const struct strbuf *bytes);
/* What is no text in it is escaped; NULL is "". */
void html_put_text(struct strbuf *out, const char *text);

#endif
