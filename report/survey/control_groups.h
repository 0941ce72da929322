/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paths of control groups, by the ids that samples have of them. */
#ifndef DWELL_REPORT_SURVEY_CONTROL_GROUPS_H
#define DWELL_REPORT_SURVEY_CONTROL_GROUPS_H

#include "common/perf/record.h"
#include "common/util/array.h"

/* A zeroed one is empty. */
struct control_groups {
	ARRAY(struct control_group {
		uint64_t id;
		char *path; /* owned */
	}) at; /* by id, once they are sorted */
};

/* False if RECORD, a CGROUP, can't be read, or they are too many. */
bool control_groups_add(
	struct control_groups *groups, const struct record *record);
void control_groups_sort(struct control_groups *groups);
/* Borrowed; NULL where nothing tells. Once they are sorted. */
const char *control_groups_path(
	const struct control_groups *groups, uint64_t id);
void control_groups_deinit(struct control_groups *groups);

#endif
