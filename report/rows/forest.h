/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the call trees of the rows of a report for a view, which takes the
 * trees one by one. Several threads build the trees of the next rows in
 * advance.
 */
#ifndef DWELL_REPORT_ROWS_FOREST_H
#define DWELL_REPORT_ROWS_FOREST_H

#include "report/rows/tree.h"

struct forest;

/* Creates a forest without trees. SCAN and NAMES are borrowed. */
struct forest *forest_create(
	const struct scan *scan, const struct field_names *names);
/* FOREST may be NULL. */
void forest_destroy(struct forest *forest);

/*
 * Writes the call tree of ROW, a row of HIST, to RET. The caller frees RET with
 * tree_deinit(). Fastest if the rows are requested in the order of HIST. Not
 * thread-safe.
 */
void forest_take(struct forest *forest, const struct hist *hist,
	const struct row *row, const struct tree_request *request,
	struct tree *ret);

#endif
