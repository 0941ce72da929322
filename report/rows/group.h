/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins the histograms of events that were recorded as a group, so that one
 * table shows the events side by side.
 */
#ifndef DWELL_REPORT_ROWS_GROUP_H
#define DWELL_REPORT_ROWS_GROUP_H

#include "report/rows/hist.h"

/*
 * Returns the number of events, from number FIRST on, that one table shows: 1
 * unless FIRST is the leader of a group. IS_FORCED treats all events as a group
 * if the recordings have no groups. *NAME_RET is the name of the group,
 * borrowed from INPUTS; "" for a group without a name.
 */
size_t group_size(const struct inputs *inputs, size_t first, bool is_forced,
	const char **name_ret);

/*
 * Adds the rows of LEADER->members, the histograms of the other group members,
 * to the rows of LEADER, and sorts the rows. All histograms were built with
 * REQUEST.
 */
void group_join(struct hist *leader, const struct hist_request *request,
	const struct field_names *names);

#endif
