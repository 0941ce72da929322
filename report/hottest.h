/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has files looked for in the order of their weight: where servers are asked,
 * what matters most should come first.
 */
#ifndef DWELL_HOTTEST_H
#define DWELL_HOTTEST_H

#include "report/inputs.h"
#include "report/resolve.h"
#include "report/scan.h"

/* Of the frames in SCAN's parts, which are of the input NUMBER. */
void hottest_resolve(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan);

#endif
