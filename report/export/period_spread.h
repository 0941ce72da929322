/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much the periods of samples differ, for formats that count samples. If
 * periods differ, shares of samples are not shares of the event.
 */
#ifndef DWELL_REPORT_EXPORT_PERIOD_SPREAD_H
#define DWELL_REPORT_EXPORT_PERIOD_SPREAD_H

#include <stdbool.h>

struct counted;

/*
 * Returns whether, for an event of COUNTED, the periods of its stacks differ by
 * more than a factor of 2. The period of a stack is the mean of its samples. The
 * 1 % of the samples with the smallest periods and the 1 % with the largest ones
 * are ignored, because the kernel begins with a period of 1 (-F).
 */
bool period_spread_is_large(const struct counted *counted);

#endif
