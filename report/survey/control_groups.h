/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths of control groups by the IDs in samples, and the
 * control group namespace of each thread over time, from NAMESPACES records.
 * The other kinds of namespaces are only printed (record_text.c).
 */
#ifndef DWELL_REPORT_SURVEY_CONTROL_GROUPS_H
#define DWELL_REPORT_SURVEY_CONTROL_GROUPS_H

#include "common/perf/record.h"
#include "common/util/array.h"

/* A zero-initialized struct is an empty table of control groups. */
struct control_groups {
	ARRAY(struct control_group {
		uint64_t id;
		char *path; /* owned */
	})
	at; /* sorted by ID after control_groups_sort() */
};

/*
 * Adds RECORD, a CGROUP record. Returns false if RECORD is damaged or GROUPS is
 * full.
 */
bool control_groups_add(
	struct control_groups *groups, const struct record *record);
void control_groups_sort(struct control_groups *groups);
/*
 * Returns the path of control group ID, borrowed from GROUPS, or NULL. Call
 * control_groups_sort() before.
 */
const char *control_groups_path(
	const struct control_groups *groups, uint64_t id);
void control_groups_deinit(struct control_groups *groups);

/* A zero-initialized struct is an empty table of control group namespaces. */
struct control_namespaces {
	ARRAY(struct control_namespace {
		uint32_t tid;
		uint64_t since; /* start time, from survey_time() */
		uint64_t device, inode;
		size_t order; /* number of the record in the file */
	})
	at; /* sorted by TID, then by time, after control_namespaces_sort() */
};

/*
 * Adds RECORD, a NAMESPACES record, if it contains a control group namespace.
 * Returns false if RECORD is damaged.
 */
bool control_namespaces_add(struct control_namespaces *namespaces,
	const struct record *record, uint64_t time);
void control_namespaces_sort(struct control_namespaces *namespaces);
/*
 * Returns the control group namespace of thread TID at TIME, borrowed from
 * NAMESPACES, or NULL. Call control_namespaces_sort() before.
 */
const struct control_namespace *control_namespaces_find(
	const struct control_namespaces *namespaces, uint32_t tid,
	uint64_t time);
void control_namespaces_deinit(struct control_namespaces *namespaces);

#endif
