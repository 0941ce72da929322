/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main thread while samples are recorded: it enables and disables events as
 * -D and --control request, takes snapshots, and detects the end of the
 * recording.
 */
#ifndef DWELL_RECORD_MAIN_LOOP_H
#define DWELL_RECORD_MAIN_LOOP_H

#include "record/commands.h"
#include "record/control.h"
#include "record/open/open.h"
#include "record/options.h"
#include "record/stream/blocks.h"
#include "record/stream/output_files.h"

struct main_loop {
	const struct options *options;
	const struct event_fds *opened;
	struct control *control;
	struct commands *commands; /* NULL: no --control */
	struct blocks *blocks;
	struct drain *drain;
	struct output_files *files;
	void (*on_second)(void *data); /* called about once a second */
	void *data;
	uint64_t started;   /* clock_now_ns() */
	size_t step;	    /* index of the next step of -D */
	uint64_t repeat_ns; /* delay before events are enabled or disabled
			       again, in ns */
};

/*
 * Runs until the recording ends, and returns the reason. The caller sets all
 * members of LOOP but .started, .step and .repeat_ns. The pointers are
 * borrowed.
 */
enum control_end main_loop_run(struct main_loop *loop);

#endif
