/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a recording: one, or with --switch-output one after the other.
 * Each is whole: it has its own head, begins with what runs, and is closed with
 * its own symbols and accounts.
 *
 * A file is written under the name that was asked for; when it is closed it
 * gets the time behind it, if it isn't the only one.
 *
 * The main thread asks for the next file; the writing thread makes it, when
 * everything of the last one has passed by.
 */
#ifndef DWELL_RECORD_STREAM_OUTPUT_FILES_H
#define DWELL_RECORD_STREAM_OUTPUT_FILES_H

#include "common/elf/kallsyms.h"
#include "record/stream/drain.h"
#include "record/stream/losses.h"
#include "record/stream/output_file.h"
#include "record/stream/rotation_policy.h"
#include "record/symbols/file_tracker.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/batch.h"

/* All are borrowed until files_destroy(). */
struct files_setup {
	const struct switching *wish;
	const char *path;
	const struct features *head;
	const struct kallsyms *kallsyms;
	struct queue *queue;
	struct intake *intake;
	struct drain *drain;
	struct losses *losses;
	struct hits *hits;
	struct keeper *keeper;
	struct batch *batch; /* may be NULL */
};

struct files;

/* Creates the first file. */
struct error *files_create(
	const struct files_setup *setup, struct files **ret) _must_check_;
void files_destroy(struct files *files);

/* The file that is written now: the place stays, what is there changes. */
struct part *files_part(struct files *files);
/* As messages name it. */
const char *files_name(const struct files *files);

/*
 * For the main thread, after losses_read(): the next file shall begin. Asking
 * once more before it did changes nothing.
 */
void files_ask(struct files *files);
/*
 * For the main thread: whether that is under way. The writing thread reads the
 * setup's head then, which must not change.
 */
bool files_is_asked(const struct files *files);
/*
 * For the writing thread, at the end of a file: closes it and begins the next
 * one. STATE_RET gets the records that this one has to start with.
 */
struct error *files_turn(void *files, struct strbuf *state_ret) _must_check_;

/* At the end, all threads being at rest: closes the last file. */
struct error *files_finish(
	struct files *files, const char *reason) _must_check_;
/* Nothing was recorded: takes the first file back. */
void files_discard(struct files *files);
/* What became of the stacks of all files. */
const struct stacks *files_stacks(const struct files *files);
/* Bytes of all files, and how many there are. */
uint64_t files_size(const struct files *files);
size_t files_count(const struct files *files);

#endif
