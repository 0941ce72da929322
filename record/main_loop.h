/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the main thread does from the first sample to the last: it switches
 * samples on and off when -D or a command says so, and knows when to end.
 */
#ifndef DWELL_RECORD_MAIN_LOOP_H
#define DWELL_RECORD_MAIN_LOOP_H

#include "record/commands.h"
#include "record/control.h"
#include "record/open/open.h"
#include "record/options.h"
#include "record/stream/blocks.h"
#include "record/stream/output_files.h"

struct steering {
	const struct options *options;
	const struct opened *opened;
	struct control *control;
	struct commands *commands; /* NULL: none */
	struct blocks *blocks;
	struct drain *drain;
	struct files *files;
	void (*on_second)(void *data); /* called about once a second */
	void *data;
	uint64_t started; /* clock_now_ns() */
	size_t step;      /* of the schedule, the next one */
	uint64_t again_ns; /* from a switch to its next repetition */
};

/* All but the last three are set, all borrowed. Returns why it ended. */
enum control_end steer(struct steering *steering);

#endif
