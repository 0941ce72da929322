/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects the sampled functions that a command line names. */
#ifndef DWELL_REPORT_CODE_FUNCTION_ARGS_H
#define DWELL_REPORT_CODE_FUNCTION_ARGS_H

#include "common/util/error.h"
#include "report/code/functions.h"

/*
 * Sets .is_selected of the functions in BY_EVENT, an array of N events, that
 * match NAMES: by the name in the file, by the printed name, or by an address.
 * If NAMES is empty, selects all functions. If a name matches no function,
 * returns an error with the functions into which this name was inlined, or with
 * similar names.
 */
struct error *function_args_mark(const struct filter_names *names,
	struct result *result, struct functions *by_event,
	size_t n) _must_check_;

#endif
