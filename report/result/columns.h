/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts --sort and --fields to the columns, keys and order of a report. */
#ifndef DWELL_REPORT_RESULT_COLUMNS_H
#define DWELL_REPORT_RESULT_COLUMNS_H

#include "report/options/options.h"
#include "report/rows/hist.h"

/*
 * Fills .fields, .columns, .order and .sample_keys of REQUEST. .has_children
 * and .sample_keys.mode are already set. If OPTIONS name no columns, the
 * defaults depend on the mode (branches, accesses). Returns an error for a
 * field that no recording of INPUTS has.
 */
struct error *columns_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *request) _must_check_;
void columns_deinit(struct hist_request *request);

/*
 * Returns whether the columns depend on what the recording contains: OPTIONS
 * name none, and the output is for people. Programs can rely on the columns of
 * CSV, JSON and -t.
 */
bool columns_are_free(const struct options *options);
/*
 * Returns whether rows are grouped by the places where threads wait, without
 * rows of callers: if OPTIONS name the key waits_in, or by default in text for
 * people about off-CPU time with stacks.
 */
bool columns_are_wait_sites(
	const struct options *options, const struct inputs *inputs);
/*
 * Removes the key NAME of REQUEST, after columns_make(). Rows must be built
 * anew.
 */
void columns_remove_key(struct hist_request *request, const char *name);

/*
 * Returns whether callers have the fields that OPTIONS name. If not, callers
 * have no rows.
 */
bool columns_allow_callers(const struct options *options);
/* Returns the RESOLVE_* flags (resolve.h) that OPTIONS need. */
unsigned columns_grain(const struct options *options);

#endif
