/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that a command line names, among those that were sampled. */
#ifndef DWELL_ASKED_H
#define DWELL_ASKED_H

#include "common/error.h"
#include "report/functions.h"

/*
 * Whether one of NAMES is that of FUNCTION, as the file has it or as it is shown;
 * without names all are meant.
 */
bool asked_has(const struct name_list *names, struct resolver *resolver,
	const struct function *function);
/*
 * Whether each of NAMES is that of a function in BY_EVENT, of N events; otherwise
 * an error that tells where it was inlined, or the nearest.
 */
struct error *asked_check(const struct name_list *names,
	struct resolver *resolver, const struct functions *by_event,
	size_t n) _must_check_;

#endif
