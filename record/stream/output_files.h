/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a recording: one, or with --switch-output several, one after the
 * other. Each file is complete: it has its own header, starts with the state of
 * the running processes, and is closed with its own symbols and counts.
 *
 * A file is written under the name of -o. If there are several files, the time
 * is appended to the name when a file is closed.
 *
 * The main thread requests the next file. The writer thread creates the next
 * file after all records of the current file.
 */
#ifndef DWELL_RECORD_STREAM_OUTPUT_FILES_H
#define DWELL_RECORD_STREAM_OUTPUT_FILES_H

#include "common/elf/kallsyms.h"
#include "common/unwind/stack_counts.h"
#include "record/stream/drain.h"
#include "record/stream/losses.h"
#include "record/stream/output.h"
#include "record/stream/unsampled_time.h"
#include "record/symbols/file_tracker.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/batch.h"

/* All members are borrowed until output_files_destroy(). */
struct output_files_setup {
	const struct output_rotation *rotation;
	const char *path;
	const struct features *head;
	const struct kallsyms *kallsyms;
	struct queue *queue;
	struct intake *intake;
	struct drain *drain;
	struct losses *losses;
	struct unsampled_time *unsampled_time;
	struct sampled_code *sampled;
	struct file_tracker *tracker;
	struct batch *batch;		 /* NULL: no stacks are unwound */
	const struct runtimes *runtimes; /* may be NULL */
};

struct output_files;

/* Creates the first file. */
struct error *output_files_create(const struct output_files_setup *setup,
	struct output_files **ret) _must_check_;
void output_files_destroy(struct output_files *files);

/* Returns the current file. The address is the same for all files. */
struct output_file *output_files_current(struct output_files *files);
/* Returns the name of the current file for messages. */
const char *output_files_name(const struct output_files *files);

/*
 * Requests the next file. Called by the main thread after losses_read(). Does
 * nothing while a request is pending.
 */
void output_files_request_switch(struct output_files *files);
/*
 * Returns true while a request for the next file is pending. The writer thread
 * then reads setup.head, which must not change. Called by the main thread.
 */
bool output_files_is_switching(const struct output_files *files);
/*
 * Closes the current file and creates the next file. Called by the writer
 * thread at the end of a file. STATE_RET gets the records that the next file
 * starts with.
 */
struct error *output_files_switch(
	void *files, struct strbuf *state_ret) _must_check_;

/* Closes the last file. All other threads must have ended. */
struct error *output_files_finish(
	struct output_files *files, const char *reason) _must_check_;
/* Removes the first file when the recording could not start. */
void output_files_discard(struct output_files *files);
/* Returns the counts of unwound stacks of all files. */
const struct stack_counts *output_files_stacks(
	const struct output_files *files);
/* Return the bytes, and the number, of all closed files. */
uint64_t output_files_size(const struct output_files *files);
size_t output_files_count(const struct output_files *files);

#endif
