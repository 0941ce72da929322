/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of the stacks that the report or the recorder unwound, as text and
 * JSON.
 */
#ifndef DWELL_REPORT_UNWIND_STACK_COUNTS_TEXT_H
#define DWELL_REPORT_UNWIND_STACK_COUNTS_TEXT_H

#include "common/file/reader.h"
#include "common/unwind/stack_counts.h"
#include "common/util/json.h"

/*
 * Returns the counts that dwell's recorder wrote, if the recorder unwound the
 * stacks; else zeroes.
 */
struct stack_counts stack_counts_text_recorded(struct reader *reader);
/*
 * Appends COUNTS as text like "23097 (99.85 % complete, 440 completed from
 * other samples; 34 longer than their copy; 30 continue by frame pointers)".
 */
void stack_counts_text_put(
	const struct stack_counts *counts, struct strbuf *out);
/* Writes COUNTS to JSON as an object with the name KEY. */
void stack_counts_text_put_json(
	const struct stack_counts *counts, const char *key, struct json *json);

#endif
