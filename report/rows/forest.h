/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call trees of a report's rows, one after the other as a view asks for
 * them. While it shows one, those of the next rows are there already: several
 * threads grow them.
 */
#ifndef DWELL_REPORT_ROWS_FOREST_H
#define DWELL_REPORT_ROWS_FOREST_H

#include "report/rows/tree.h"

struct forest;

/* Both are borrowed. */
struct forest *forest_create(
	const struct scan *scan, const struct field_names *names);
/* NULL is fine. */
void forest_destroy(struct forest *forest);

/*
 * The tree of ROW, which is in HIST's rows, to be given to tree_deinit().
 * Quickest for those who go through the rows in their order.
 */
void forest_take(struct forest *forest, const struct hist *hist,
	const struct row *row, const struct tree_request *request,
	struct tree *ret);

#endif
