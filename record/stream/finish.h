/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a recording: what goes into the file when it is closed, and the
 * lines that tell the user what became of it.
 */
#ifndef DWELL_RECORD_STREAM_FINISH_H
#define DWELL_RECORD_STREAM_FINISH_H

#include "common/elf/kallsyms.h"
#include "record/stream/losses.h"
#include "record/stream/output_file.h"
#include "record/stream/ring_intake.h"
#include "record/symbols/file_tracker.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/stacks.h"

/* One file. Everything is borrowed, and no thread works on it any more. */
struct finish {
	const struct part *part;
	struct hits *hits;
	const struct loss *losses; /* of this file, */
	size_t n_losses;           /* so many lines */
	uint64_t own_samples;      /* of the recorder itself */
	uint64_t cut_stacks, bare_stacks; /* copied in part, or not at all */
	const struct stacks *stacks; /* NULL: nothing was unwound */
	struct queue *queue;
	const struct keeper *keeper;
	const struct kallsyms *kallsyms;
	const struct features *head;
	const char *reason; /* why it ended */
};
/* Closes the file with all that was learned. */
struct error *finish_file(const struct finish *finish) _must_check_;

/* The whole recording. */
struct summary {
	const struct losses *losses;
	const struct intake *intake;
	uint64_t size; /* bytes of all files */
	size_t n_files;
	const char *path; /* of the last file */
	const struct stacks *stacks;
	bool has_lost_sideband;
};
/* Samples, losses, bytes and ratio; and what would have helped. */
void finish_tell(const struct summary *summary);

#endif
