/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts unwound stack copies: how many are complete, and why others are not.
 */
#ifndef DWELL_REPORT_UNWIND_UNWOUND_H
#define DWELL_REPORT_UNWIND_UNWOUND_H

#include "common/file/reader.h"
#include "common/unwind/unwind.h"
#include "common/util/json.h"

struct unwound {
	uint64_t stacks;
	uint64_t ends[UNWIND_ENDS]; /* why unwinding of the copy ended */
	/* Not in .ends: without a copy; of the requested depth. */
	uint64_t empty, limited;
	uint64_t no_file; /* not in .ends: in files that could not be opened */
	/* Of UNWIND_TRUNCATED: completed by reading the process's memory. */
	uint64_t completed;
	uint64_t joined;  /* of UNWIND_TRUNCATED: completed by other samples */
	uint64_t spliced; /* continued by the kernel's frame pointers */
	uint64_t guessed; /* have frames found only by frame pointers */
};

void unwound_add(struct unwound *into, const struct unwound *from);
/*
 * Returns the counts of dwell's recorder, if it unwound the stacks; else
 * zeroes.
 */
struct unwound unwound_recorded(struct reader *reader);
/*
 * Appends "23097 (99.85 % whole, 440 of them joined; 34 longer than their copy;
 * 30 of these go on by frame pointers)".
 */
void unwound_print(const struct unwound *unwound, struct strbuf *out);
/* Writes the same counts as an object. */
void unwound_put_json(
	const struct unwound *unwound, const char *key, struct json *json);

#endif
