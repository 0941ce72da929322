/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the call trees of the rows of a report for a view, which takes them
 * one by one. Several threads build the trees of the next rows in advance.
 */
#ifndef DWELL_REPORT_ROWS_FOREST_H
#define DWELL_REPORT_ROWS_FOREST_H

#include "report/rows/tree.h"

struct forest;

/* SCAN and NAMES are borrowed. */
struct forest *forest_create(
	const struct scan *scan, const struct field_names *names);
/* FOREST may be NULL. */
void forest_destroy(struct forest *forest);

/*
 * Returns the tree of ROW, which is one of HIST's rows. The caller frees it
 * with tree_deinit(). Fastest if rows are requested in their order. Not
 * thread-safe.
 */
void forest_take(struct forest *forest, const struct hist *hist,
	const struct row *row, const struct tree_request *request,
	struct tree *ret);

#endif
