/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that were recorded as a group, side by side in one table. */
#ifndef DWELL_REPORT_ROWS_GROUP_H
#define DWELL_REPORT_ROWS_GROUP_H

#include "report/rows/hist.h"

/*
 * How many events from FIRST on are shown as one: 1 unless it leads a group.
 * IS_FORCED makes a group of all events of recordings without groups. NAME_RET
 * is borrowed from INPUTS, "" for a group without a name.
 */
size_t group_size(const struct inputs *inputs, size_t first, bool is_forced,
	const char **name_ret);

/*
 * Adds the rows of LEADER's members, which were built with the same REQUEST, to
 * its own, and sorts them anew.
 */
void group_join(struct hist *leader, const struct hist_request *request,
	const struct field_names *names);

#endif
