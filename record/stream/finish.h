/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a recording: writes the sections at the end of a file, and prints
 * the summary.
 */
#ifndef DWELL_RECORD_STREAM_FINISH_H
#define DWELL_RECORD_STREAM_FINISH_H

#include "common/elf/kallsyms.h"
#include "common/unwind/stack_counts.h"
#include "record/stream/losses.h"
#include "record/stream/output.h"
#include "record/stream/intake.h"
#include "record/stream/unsampled_time.h"
#include "record/symbols/file_tracker.h"
#include "record/symbols/sampled_code.h"

/*
 * A file that ends. All pointers are borrowed, and no other thread changes what
 * they point to.
 */
struct finish {
	const struct output_file *file;
	struct sampled_code *sampled;
	const struct loss *losses; /* array of N_LOSSES entries */
	size_t n_losses;
	struct unsampled_time
		*unsampled_time;	      /* read at the end of this file */
	const struct recorded_counts *counts; /* counts at end of this file */
	uint64_t own_samples; /* samples of the recorder itself */
	uint64_t shortened_stacks,
		omitted_stacks; /* stack copies that were shortened, and omitted */
	const struct stack_counts *stacks; /* NULL: no stack was unwound */
	struct queue *queue;
	const struct file_tracker *tracker;
	const struct runtimes *runtimes; /* may be NULL */
	const struct kallsyms *kallsyms;
	const struct features *head;
	const char *reason; /* why the recording of this file ended */
};
/* Writes the sections at the end of the file and closes the file. */
struct error *finish_file(const struct finish *finish) _must_check_;

/* Totals of the whole recording. */
struct finish_summary {
	const struct losses *losses;
	const struct unsampled_time *unsampled_time;
	const struct intake *intake;
	uint64_t size; /* bytes of all files */
	size_t n_files;
	const char *path; /* path of the last file */
	const struct stack_counts *stacks;
	const struct selection *selection;
	const struct runtimes *runtimes;    /* may be NULL */
	const struct sampled_code *sampled; /* sampled code of the last file */
	/* The sampled code, if call chains are by frame pointers; or NULL. */
	const struct sampled_code *by_frame_pointers;
	bool has_lost_sideband;
};
/*
 * Prints the number of samples and lost samples, the size, the compression
 * ratio, and how to avoid losses.
 */
void finish_report(const struct finish_summary *summary);

#endif
