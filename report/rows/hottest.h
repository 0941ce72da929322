/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolves one frame per DSO, those with most samples first. If debuginfod
 * servers are used, the most important files are then requested first.
 */
#ifndef DWELL_REPORT_ROWS_HOTTEST_H
#define DWELL_REPORT_ROWS_HOTTEST_H

#include "report/resolve/resolve.h"
#include "report/scan/inputs.h"
#include "report/scan/scan.h"

/*
 * Uses the frames in the parts of SCAN, which belong to INPUT, number NUMBER.
 */
void hottest_resolve(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan);

#endif
