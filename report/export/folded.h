/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack as one line: "main;work;leaf", callers first, as flame graph tools
 * have it. Control characters are made visible, and no name has a semicolon.
 */
#ifndef DWELL_REPORT_EXPORT_FOLDED_H
#define DWELL_REPORT_EXPORT_FOLDED_H

#include "common/util/array.h"
#include "report/resolve/resolve.h"
#include "report/survey/offcpu_time.h"

/* The names in such lines, each made once, unless they are too long to keep. */
struct folded {
	struct resolver *resolver; /* borrowed */
	struct strbuf names;
	ARRAY(struct folded_name {
		size_t at, size; /* in .names; nothing: not there */
	}) by_location;
};

void folded_deinit(struct folded *folded);
void folded_put_name(const char *name, struct strbuf *out);
/* CHAIN of locations, the sampled one first; an empty one is "[others]". */
void folded_put_stack(
	struct folded *folded, struct chain chain, struct strbuf *out);
/* Behind a stack, what its thread did there, if it didn't run. */
void folded_put_state(enum thread_state state, struct strbuf *out);

#endif
