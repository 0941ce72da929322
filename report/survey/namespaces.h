/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which namespace of control groups each thread was in, as NAMESPACES records
 * tell. The other kinds of namespaces are printed only (record_text.c).
 */
#ifndef DWELL_REPORT_SURVEY_NAMESPACES_H
#define DWELL_REPORT_SURVEY_NAMESPACES_H

#include "common/perf/record.h"
#include "common/util/array.h"

/* A zeroed one is empty. */
struct namespaces {
	ARRAY(struct namespace {
		uint32_t tid;
		uint64_t since; /* survey_time() */
		uint64_t device, inode;
		size_t order; /* in the file */
	}) at; /* by thread, then time, once they are sorted */
};

/* False if RECORD can't be read; one without such a namespace is passed over. */
bool namespaces_add(struct namespaces *namespaces, const struct record *record,
	uint64_t time);
void namespaces_sort(struct namespaces *namespaces);
/* That of TID at TIME, borrowed; NULL if nothing tells. Once they are sorted. */
const struct namespace *namespaces_find(
	const struct namespaces *namespaces, uint32_t tid, uint64_t time);
void namespaces_deinit(struct namespaces *namespaces);

#endif
