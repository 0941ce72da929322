/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that a command line names, among those that were sampled. */
#ifndef DWELL_REPORT_CODE_FUNCTION_ARGS_H
#define DWELL_REPORT_CODE_FUNCTION_ARGS_H

#include "common/util/error.h"
#include "report/code/functions.h"

/*
 * Marks those of the functions in BY_EVENT, of N events, that NAMES mean: by the name
 * that the file has or that is shown, or by an address; all of them without NAMES. An
 * error if one of NAMES means none: it tells where that was inlined, or the nearest.
 */
struct error *asked_mark(const struct name_list *names, struct result *result,
	struct functions *by_event, size_t n) _must_check_;

#endif
