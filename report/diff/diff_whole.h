/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The change of an event as a whole, which all views show first. */
#ifndef DWELL_REPORT_DIFF_DIFF_WHOLE_H
#define DWELL_REPORT_DIFF_DIFF_WHOLE_H

#include "report/diff/diff.h"

/*
 * The change of an event: of its period, or of its period per second if rates
 * are compared.
 */
struct diff_whole {
	bool is_known;	      /* false: all members are 0, because a recording
				 has no samples or no periods */
	double values[2];     /* of the baseline and of the other recording */
	double percent;	      /* the change, relative to the baseline */
	double percent_error; /* half the 95 % confidence interval */
	bool is_noise;	      /* the change is within this interval */
};

/* Returns the change of EVENT from the baseline to side number SIDE. */
struct diff_whole diff_whole_find(
	const struct diff *diff, const struct diff_event *event, size_t side);
/*
 * Appends this change as one sentence, such as "CPU time -36.6 % (4.29 s ->
 * 2.72 s), beyond sampling noise (1.4 %)", or nothing if it is not known.
 */
void diff_whole_put(const struct diff *diff, const struct diff_event *event,
	size_t side, struct strbuf *out);

/*
 * Appends WEIGHT, a period of EVENT that is 0 or more, with a unit: "1.57 s",
 * or "24.311G".
 */
void diff_weight_put(
	const struct diff_event *event, double weight, struct strbuf *out);

#endif
