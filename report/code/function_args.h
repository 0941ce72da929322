/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects the sampled functions that a command line names. */
#ifndef DWELL_REPORT_CODE_FUNCTION_ARGS_H
#define DWELL_REPORT_CODE_FUNCTION_ARGS_H

#include "common/util/error.h"
#include "report/code/functions.h"

/*
 * Sets .is_selected of the functions in BY_EVENT, of N events, that match
 * NAMES: the name in the file, the printed name, or an address. Without NAMES,
 * selects all. Returns an error if a name matches no function, with the
 * functions it was inlined into, or the nearest names.
 */
struct error *function_args_mark(const struct name_list *names,
	struct result *result, struct functions *by_event,
	size_t n) _must_check_;

#endif
