/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the table of report --dsos. */
#ifndef DWELL_REPORT_VIEW_DSOS_PUT_H
#define DWELL_REPORT_VIEW_DSOS_PUT_H

#include "report/result/dsos.h"

void dsos_print(const struct dsos *dsos, struct strbuf *out);
/* Writes the table of report --dsos in the format VIEW ("json" or "csv"). */
void dsos_put_table(
	const struct dsos *dsos, const char *view, struct strbuf *out);

#endif
