/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins the histograms of events that were recorded as a group, so that one
 * table shows them side by side.
 */
#ifndef DWELL_REPORT_ROWS_GROUP_H
#define DWELL_REPORT_ROWS_GROUP_H

#include "report/rows/hist.h"

/*
 * Returns how many events from FIRST on one table shows: 1 unless FIRST leads a
 * group. IS_FORCED treats all events as a group if the recordings have no
 * groups. NAME_RET is borrowed from INPUTS; it is "" for a group without a
 * name.
 */
size_t group_size(const struct inputs *inputs, size_t first, bool is_forced,
	const char **name_ret);

/*
 * Adds the rows of LEADER's members, which were built with the same REQUEST, to
 * those of LEADER, and sorts them.
 */
void group_join(struct hist *leader, const struct hist_request *request,
	const struct field_names *names);

#endif
