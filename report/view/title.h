/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the title of a table of rows in perf's words. */
#ifndef DWELL_REPORT_VIEW_TITLE_H
#define DWELL_REPORT_VIEW_TITLE_H

#include "report/result/result.h"

/* Appends "Samples: 12K of event 'cycles'", escaped. */
void title_put_samples(const struct result *result, const struct hist *hist,
	struct strbuf *out);
/* Appends "Event count (approx.): 1234". */
void title_put_period(const struct hist *hist, struct strbuf *out);

#endif
