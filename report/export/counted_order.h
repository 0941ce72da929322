/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which order exports write counted stacks: by event, the largest first, then
 * by names. It is the same in each run, whichever thread counted what first.
 */
#ifndef DWELL_REPORT_EXPORT_COUNTED_ORDER_H
#define DWELL_REPORT_EXPORT_COUNTED_ORDER_H

#include "report/result/result.h"

/* Numbers of RESULT's stacks, all of them; the caller's. */
uint32_t *counted_order_make(const struct result *result);

#endif
