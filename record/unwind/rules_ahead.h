/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the unwind rules of files when the files are mapped. A BPF program
 * needs rules before the first sample in a file, and the recorder would read
 * them after that sample. A thread takes the mappings from the file tracker.
 */
#ifndef DWELL_RECORD_UNWIND_RULES_AHEAD_H
#define DWELL_RECORD_UNWIND_RULES_AHEAD_H

#include "record/unwind/rules.h"

struct rules_ahead;

/*
 * RULES and TRACKER are borrowed. Returns NULL if the thread cannot be started:
 * then rules are read when they are needed.
 */
struct rules_ahead *rules_ahead_create(
	struct rules *rules, struct file_tracker *tracker);
void rules_ahead_destroy(struct rules_ahead *ahead);

#endif
