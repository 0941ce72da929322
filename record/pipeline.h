/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages that records go through, from the rings to the files, and what
 * looks on: put together in the order of the data. When they begin and end is
 * the session's.
 */
#ifndef DWELL_RECORD_PIPELINE_H
#define DWELL_RECORD_PIPELINE_H

#include "record/options.h"
#include "record/stream/blocks.h"
#include "record/stream/output_files.h"
#include "record/stream/sample_filter.h"
#include "record/synth/synth_procs.h"
#include "record/unwind/batch.h"

/* All are owned. */
struct pipeline {
	struct intake *intake;
	struct drain *drain;
	struct queue *queue;
	struct blocks *blocks;
	struct files *files;
	struct hits *hits;
	struct losses *losses;
	struct keeper *keeper;
	struct procs *procs;
	struct batch *batch; /* NULL: no samples have to be unwound */
	struct depths *depths;
	struct sample_layout sideband_layout;
};

/* All are borrowed until pipeline_destroy(). */
struct pipeline_setup {
	const struct options *options;
	struct opened *opened;
	struct sieve *sieve; /* may be NULL, as may KIN */
	struct kin *kin;
	const struct features *head;
	const struct kallsyms *kallsyms;
};

/* Creates the first file and starts the writing thread, but no other. */
struct error *pipeline_build(struct pipeline *pipeline,
	const struct pipeline_setup *setup) _must_check_;
/* All threads are at rest. */
void pipeline_destroy(struct pipeline *pipeline);

#endif
