/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths of control groups (cgroups), by the IDs in samples, and the cgroup
 * namespace of each thread over time, from NAMESPACES records. The other kinds
 * of namespaces are only printed (record_text.c).
 */
#ifndef DWELL_REPORT_SURVEY_CONTROL_GROUPS_H
#define DWELL_REPORT_SURVEY_CONTROL_GROUPS_H

#include "common/perf/record.h"
#include "common/util/array.h"

/* Zero-initialized it is empty. */
struct control_groups {
	ARRAY(struct control_group {
		uint64_t id;
		char *path; /* owned */
	})
	at; /* by ID, after control_groups_sort() */
};

/*
 * Adds RECORD, a CGROUP. Returns false if it is damaged or the table is full.
 */
bool control_groups_add(
	struct control_groups *groups, const struct record *record);
void control_groups_sort(struct control_groups *groups);
/* Returns the path of cgroup ID, or NULL; borrowed. Call after sorting. */
const char *control_groups_path(
	const struct control_groups *groups, uint64_t id);
void control_groups_deinit(struct control_groups *groups);

/* Zero-initialized it is empty. */
struct namespaces {
	ARRAY(struct namespace {
		uint32_t tid;
		uint64_t since; /* survey_time() */
		uint64_t device, inode;
		size_t order; /* in the file */
	})
	at; /* by thread, then time, after namespaces_sort() */
};

/* Adds RECORD if it has a cgroup namespace. Returns false if it is damaged. */
bool namespaces_add(struct namespaces *namespaces, const struct record *record,
	uint64_t time);
void namespaces_sort(struct namespaces *namespaces);
/*
 * Returns the namespace of TID at TIME, or NULL; borrowed. Call after sorting.
 */
const struct namespace *namespaces_find(
	const struct namespaces *namespaces, uint32_t tid, uint64_t time);
void namespaces_deinit(struct namespaces *namespaces);

#endif
