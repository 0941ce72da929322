/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file of a recording, as it is written: most recordings have one, with
 * --switch-output there are many, one after the other.
 */
#ifndef DWELL_RECORD_STREAM_OUTPUT_FILE_H
#define DWELL_RECORD_STREAM_OUTPUT_FILE_H

#include "common/file/writer.h"
#include "record/stream/output.h"

struct part {
	struct output output;
	struct sink sink;
	struct writer *writer; /* NULL: there is no file now */
	/* What was put, before it was compressed, and when it was sampled. */
	uint64_t raw_bytes, first_time, last_time;
};

/* Creates the file at PATH; HEAD is borrowed until part_deinit(). */
struct error *part_begin(struct part *part, const char *path,
	const struct features *head) _must_check_;
/* INFO was put into it. */
void part_count(struct part *part, const struct block_info *info);
/* Everything is written: closes the descriptor and forgets the writer. */
struct error *part_end(struct part *part) _must_check_;
void part_deinit(struct part *part);

#endif
