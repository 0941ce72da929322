/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has files looked for in the order of their weight: where servers are asked,
 * what matters most should come first.
 */
#ifndef DWELL_REPORT_ROWS_HOTTEST_H
#define DWELL_REPORT_ROWS_HOTTEST_H

#include "report/resolve/resolve.h"
#include "report/scan/inputs.h"
#include "report/scan/scan.h"

/* Of the frames in SCAN's parts, which are of the input NUMBER. */
void hottest_resolve(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan);

#endif
