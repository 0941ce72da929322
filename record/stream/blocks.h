/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer thread: takes blocks from the queue, compresses each block into
 * one record, and appends this record to the file. If the queue fills up, the
 * compression level is reduced. All records are also passed to struct
 * sampled_code.
 */
#ifndef DWELL_RECORD_STREAM_BLOCKS_H
#define DWELL_RECORD_STREAM_BLOCKS_H

#include "common/util/error.h"
#include "record/queue/queue.h"
#include "record/stream/output.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/batch.h"

struct blocks;

/* Pointers are borrowed until blocks_destroy(). */
struct blocks_setup {
	struct queue *queue;
	struct output_file *file;
	struct sampled_code *sampled;
	struct batch *batch; /* unwinds samples with stack copies; NULL: none */
	int level;	     /* of zstd; 0 writes records without compression */
	/*
	 * Sizes for notices to the main thread: BLOCKS_LARGE when the current
	 * file, BLOCKS_FULL when all files together have this size. 0: no limit.
	 */
	uint64_t file_limit, limit;
	/*
	 * Closes a file and creates the next file in the same struct
	 * output_file (output_files_switch()). The records that it appends to
	 * STATE are written at the start of the next file.
	 */
	struct error *(*switch_file)(void *data, struct strbuf *state);
	void *switch_data;
};

struct error *blocks_create(
	const struct blocks_setup *setup, struct blocks **ret) _must_check_;
void blocks_destroy(struct blocks *blocks);

/*
 * Starts the writer thread. REALTIME is the argument of priority_raise(); the
 * nice level is -19.
 */
struct error *blocks_start(struct blocks *blocks, int realtime) _must_check_;

/* Notices of the writer thread for the main thread, as bits. */
enum blocks_notice {
	BLOCKS_FAILED = 1, /* a write failed; all further blocks are dropped */
	BLOCKS_LARGE = 2,  /* the current file has reached its size limit */
	BLOCKS_FULL = 4,   /* all files together have reached the size limit;
			      writing continues */
};
/* Returns a descriptor that is readable while there are new notices. */
int blocks_notice_fd(const struct blocks *blocks);
/* Returns the new notices and clears them. */
unsigned blocks_take_notice(struct blocks *blocks);
/*
 * Waits until the closed queue is empty and the writer thread has ended.
 * Returns the first error of the writer thread.
 */
struct error *blocks_join(struct blocks *blocks) _must_check_;

#endif
