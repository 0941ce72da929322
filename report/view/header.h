/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about recordings, before what is in them. */
#ifndef DWELL_REPORT_VIEW_HEADER_H
#define DWELL_REPORT_VIEW_HEADER_H

#include "report/result/result.h"

/* The lines of --header, "# ..." each, escaped, of each input in turn. */
void header_put_all(const struct result *result, struct strbuf *out);
/* The same for programs, as the options' view: a document of its own. */
void header_put_table(const struct result *result, struct strbuf *out);
/* The same as a member of a JSON object. */
void header_put_member(const struct result *result, struct strbuf *out);

#endif
