/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trying what a library might not survive in a child first. A hostile file
 * then costs what made the child die, and not the report.
 */
#ifndef DWELL_REPORT_SURVEY_TRACEPOINT_TRY_H
#define DWELL_REPORT_SURVEY_TRACEPOINT_TRY_H

#include "common/util/base.h"

/*
 * Runs TRY(data, i) for i from 0 to N - 1 in a child; sets IS_BAD[i], zeroed
 * before, for each that a child died of, and goes on behind it. After
 * TRACEPOINT_DEATHS_MAX of these, or where no child can be made, all that are
 * left are bad.
 */
#define TRACEPOINT_DEATHS_MAX 16u
void tracepoint_try(void (*try)(void *data, size_t i), void *data, size_t n,
	bool *is_bad);

#endif
