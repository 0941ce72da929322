/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of copies of stacks: how many are whole, and why the others aren't. */
#ifndef DWELL_REPORT_UNWIND_UNWOUND_H
#define DWELL_REPORT_UNWIND_UNWOUND_H

#include "common/file/reader.h"
#include "common/unwind/unwind.h"

struct unwound {
	uint64_t stacks;
	uint64_t ends[UNWIND_ENDS]; /* how they end by themselves */
	/* Not among these: nothing was copied; as long as was asked for. */
	uint64_t empty, limited;
	/* Of UNWIND_TRUNCATED: whole by what was read of the process. */
	uint64_t completed;
	uint64_t joined;  /* of UNWIND_TRUNCATED: whole by other samples */
	uint64_t spliced; /* went on by the kernel's chain of frame pointers */
	uint64_t guessed; /* have frames found by frame pointers alone */
};

void unwound_add(struct unwound *into, const struct unwound *from);
/* That of a recording whose stacks were unwound by dwell's recorder; or zeroed. */
struct unwound unwound_recorded(struct reader *reader);
/*
 * "23097 (99.85 % whole, 440 of them joined; 34 longer than their copy; 30
 * of these go on by frame pointers)".
 */
void unwound_print(const struct unwound *unwound, struct strbuf *out);
/* The same as an object of JSON. */
void unwound_print_json(const struct unwound *unwound, struct strbuf *out);

#endif
