/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack as one line in the format of flame graph tools: "main;work;leaf",
 * callers first. Control characters are escaped, and semicolons in names are
 * replaced.
 */
#ifndef DWELL_REPORT_EXPORT_FOLDED_H
#define DWELL_REPORT_EXPORT_FOLDED_H

#include "common/util/array.h"
#include "report/resolve/resolve.h"
#include "report/survey/offcpu_time.h"

/* The names in these lines; they are kept up to a limit of memory. */
struct folded {
	struct resolver *resolver; /* borrowed */
	struct strbuf names;
	ARRAY(struct folded_name {
		size_t at, size; /* in .names; size 0: not kept */
	})
	by_location;
};

void folded_deinit(struct folded *folded);
void folded_put_name(const char *name, struct strbuf *out);
/*
 * Appends CHAIN, which has the sampled location first, to OUT; an empty chain
 * is
 * "[others]".
 */
void folded_put_stack(
	struct folded *folded, struct chain chain, struct strbuf *out);
/* Appends the state of a thread that was not running, as a further frame. */
void folded_put_state(enum thread_state state, struct strbuf *out);

#endif
