/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cgroup namespace of each thread over time, from NAMESPACES records. The
 * other kinds of namespaces are only printed (record_text.c).
 */
#ifndef DWELL_REPORT_SURVEY_NAMESPACES_H
#define DWELL_REPORT_SURVEY_NAMESPACES_H

#include "common/perf/record.h"
#include "common/util/array.h"

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
