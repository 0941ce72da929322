/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages of a recording, from ring buffer to file, and the modules that
 * observe the records. recording_stages_build() creates these stages and
 * modules in the order of the data; the session (session.c) starts and stops
 * them.
 */
#ifndef DWELL_RECORD_RECORDING_STAGES_H
#define DWELL_RECORD_RECORDING_STAGES_H

#include "record/options.h"
#include "record/stream/blocks.h"
#include "record/stream/output_files.h"
#include "record/stream/sample_filter.h"
#include "record/synth/synth_procs.h"
#include "record/unwind/batch.h"

/* Members are owned, except .bpf. */
struct recording_stages {
	struct intake *intake;
	struct drain *drain;
	struct queue *queue;
	struct blocks *blocks;
	struct output_files *files;
	struct sampled_code *sampled;
	struct losses *losses;
	struct unsampled_time *unsampled_time;
	struct moved_code *moved;
	struct file_tracker *tracker;
	struct synth_procs *procs;
	struct runtimes *runtimes; /* NULL: no stack copies are unwound */
	struct batch *batch;	   /* NULL: no stack is unwound by rules */
	bool unwinds_samples; /* .batch unwinds samples with stack copies; else
				 it only reads rules for BPF */
	struct stack_reader *reader;
	struct bpf_unwind *bpf; /* borrowed; NULL: no BPF */
	struct sample_layout sideband_layout;
};

/*
 * All members are borrowed until recording_stages_destroy(). TARGET_TASKS and
 * FILTER may be NULL.
 */
struct recording_stages_setup {
	const struct options *options;
	struct event_fds *opened;
	struct sample_filter *filter; /* may be NULL, as may TARGET_TASKS */
	struct inherited_tasks *target_tasks;
	const struct features *head;
	const struct kallsyms *kallsyms;
	struct bpf_unwind *bpf; /* NULL: no BPF */
};

/*
 * Creates the members of STAGES and the first file, and starts the writer
 * thread. Call recording_stages_destroy() also after an error.
 */
struct error *recording_stages_build(struct recording_stages *stages,
	const struct recording_stages_setup *setup) _must_check_;
/*
 * Appends records of the state of the kernel before the start to the sideband
 * of STAGES: the kernel and its modules, BPF programs and, with --all-cgroups,
 * the control groups. KALLSYMS is read if SELECTION samples the kernel; a note
 * reports hidden symbols.
 */
void recording_stages_add_kernel_state(struct recording_stages *stages,
	const struct options *options, const struct selection *selection,
	struct kallsyms *kallsyms);
/* Frees all stages. The threads of the stages must have ended before. */
void recording_stages_destroy(struct recording_stages *stages);

#endif
