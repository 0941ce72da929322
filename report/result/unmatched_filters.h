/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a filter wants and the recording does not have. */
#ifndef DWELL_REPORT_RESULT_UNMATCHED_FILTERS_H
#define DWELL_REPORT_RESULT_UNMATCHED_FILTERS_H

#include "report/result/result.h"

/*
 * Prints a note for each thread name, DSO and function of RESULT's filter that
 * no counted sample has, with the names that may be meant.
 */
void unmet_tell(const struct result *result);

#endif
