/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From -s and -F to what a report shows, groups by and sorts by. */
#ifndef DWELL_REPORT_RESULT_COLUMNS_H
#define DWELL_REPORT_RESULT_COLUMNS_H

#include "report/options/options.h"
#include "report/rows/hist.h"

/*
 * Fills the fields, columns, order and takes of REQUEST, whose has_children and
 * takes.mode are set: a report of branches or of accesses has other columns
 * where OPTIONS name none. A field that no recording of INPUTS can have is an
 * error.
 */
struct error *columns_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *request)
	_must_check_;
void columns_deinit(struct hist_request *request);

/* Whether callers can have what OPTIONS name; if not, they get no rows. */
bool columns_allow_callers(const struct options *options);
/* The grain of the locations (resolve.h) that OPTIONS need. */
unsigned columns_grain(const struct options *options);

#endif
