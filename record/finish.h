/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a recording: what goes into the file when it is closed, and the
 * lines that tell the user what became of it.
 */
#ifndef DWELL_RECORD_FINISH_H
#define DWELL_RECORD_FINISH_H

#include "common/kallsyms.h"
#include "common/writer.h"
#include "record/hits.h"
#include "record/intake.h"
#include "record/keeper.h"
#include "record/losses.h"

/* Everything is borrowed, and at rest: no thread works on it any more. */
struct finish {
	struct writer *writer;
	struct hits *hits;
	const struct losses *losses;
	const struct intake *intake;
	struct queue *queue;
	const struct keeper *keeper;
	const struct kallsyms *kallsyms;
	const struct features *head;
	const char *reason; /* why it ended */
	const char *path;
	bool has_lost_sideband;
};

/* Closes the file with all that was learned. */
struct error *finish_file(const struct finish *finish) _must_check_;
/* Samples, losses, bytes and ratio; and what would have helped. */
void finish_tell(const struct finish *finish);

#endif
