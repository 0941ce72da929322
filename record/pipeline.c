/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/pipeline.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/synth/synth_kernel.h"
#include "record/synth/cgroups.h"
#include "record/sys/priority.h"
#include "record/sys/sysfile.h"
#include "record/unwind/callchain_rewrite.h"

#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"

static struct sampled_code *create_sampled_code(
	const struct pipeline *pipeline, const struct event_fds *opened)
{
	ARRAY(struct sampled_event) events = { 0 };
	struct perf_event_attr attr;
	struct sampled_event *event;
	struct sampled_code *sampled;

	array_each(&opened->selection->events, selected) {
		event = array_push(&events);
		event->id = selected->id;
		attr = rewrite_written_attr(opened->selection, selected);
		sample_layout_init(&event->layout, &attr);
	}
	event = array_push(&events);
	event->id = opened->sideband_id;
	event->layout = pipeline->sideband_layout;
	sampled = sampled_code_create(events.at, events.n);
	array_free(&events);
	return sampled;
}

static int writer_priority(int realtime)
{
	if (realtime < 0)
		return PRIORITY_NICE;
	return realtime > 1 ? realtime - 1 : realtime;
}

/*
 * Called before the process exits because memory is exhausted. Blocks are
 * always written to the file completely, so nothing has to be flushed.
 */
static void report_written_files(void *data)
{
	const struct pipeline *pipeline = data;

	log_error("the samples recorded until now are in %s",
		output_files_name(pipeline->files));
}

static struct error *create_output_files(
	struct pipeline *pipeline, const struct pipeline_setup *setup)
{
	const struct output_files_setup files = {
		.rotation = &setup->options->rotation,
		.path = setup->options->output,
		.head = setup->head,
		.kallsyms = setup->kallsyms,
		.queue = pipeline->queue,
		.intake = pipeline->intake,
		.drain = pipeline->drain,
		.losses = pipeline->losses,
		.unsampled_time = pipeline->unsampled_time,
		.sampled = pipeline->sampled,
		.tracker = pipeline->tracker,
		.batch = pipeline->batch,
	};

	return output_files_create(&files, &pipeline->files);
}

static struct error *start_writer(
	struct pipeline *pipeline, const struct options *options)
{
	struct error *err = blocks_create(pipeline->queue,
		output_files_current(pipeline->files), pipeline->sampled,
		(int)options->level, &pipeline->blocks);

	if (err)
		return err;
	blocks_set_limits(
		pipeline->blocks, options->rotation.size, options->max_size);
	blocks_on_switch(
		pipeline->blocks, output_files_switch, pipeline->files);
	if (pipeline->batch)
		blocks_set_batch(pipeline->blocks, pipeline->batch);
	return blocks_start(
		pipeline->blocks, writer_priority((int)options->realtime));
}

/* Creates the unwinder if stack copies are to be replaced by call chains. */
static struct error *create_unwinding(
	struct pipeline *pipeline, const struct pipeline_setup *setup)
{
	struct batch_setup batch = {
		.selection = setup->opened->selection,
		.sampled = pipeline->sampled,
		.tracker = pipeline->tracker,
	};

	if (batch.selection->keeps_stacks)
		copying_keep_stacks(intake_copying(pipeline->intake));
	if (!rewrite_is_needed(batch.selection))
		return NULL;
	pipeline->reader = batch.reader = stack_reader_create();
	pipeline->batch = batch_create(&batch);
	if (!pipeline->batch)
		return error_usage(
			"--call-graph dwarf: dwell cannot unwind stacks of "
			"this CPU architecture. To write stack copies for "
			"other programs: --call-graph dwarf --keep-stacks");
	copying_set_reader(intake_copying(pipeline->intake), pipeline->reader);
	return stack_reader_start(
		pipeline->reader, (int)setup->options->realtime);
}

struct error *pipeline_build(
	struct pipeline *pipeline, const struct pipeline_setup *setup)
{
	const struct options *options = setup->options;
	struct event_fds *opened = setup->opened;
	struct error *err;

	sample_layout_init(&pipeline->sideband_layout, &opened->sideband_attr);
	pipeline->queue = queue_create(options->queue_size);
	pipeline->intake = intake_create(opened, pipeline->queue);
	intake_set_filter(pipeline->intake, setup->filter);
	intake_set_target_tasks(pipeline->intake, setup->target_tasks);
	if (options->excludes_self)
		intake_exclude_self(pipeline->intake);
	pipeline->tracker = file_tracker_create();
	intake_set_tracker(pipeline->intake, pipeline->tracker);
	err = drain_create(opened, pipeline->intake, &pipeline->drain);
	if (err)
		return err;
	pipeline->procs = synth_procs_create(
		&pipeline->sideband_layout, opened->sideband_id);
	if (opened->sideband_attr.namespaces)
		synth_procs_enable_namespaces(pipeline->procs);
	if (opened->sideband_attr.mmap_data)
		synth_procs_enable_data(pipeline->procs);
	pipeline->losses =
		losses_create(opened, pipeline->intake, pipeline->drain);
	pipeline->unsampled_time =
		unsampled_time_create(opened, intake_counts(pipeline->intake));
	drain_read_clocks(pipeline->drain, pipeline->unsampled_time);
	pipeline->sampled = create_sampled_code(pipeline, opened);
	if (opened->sideband_attr.mmap_data)
		sampled_code_track_data(pipeline->sampled);
	err = create_unwinding(pipeline, setup);
	if (!err)
		err = create_output_files(pipeline, setup);
	if (err)
		return err;
	alloc_set_exit_handler(report_written_files, pipeline);
	return start_writer(pipeline, options);
}

static bool has_kernel_samples(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (!event->attr.exclude_kernel)
			return true;
	return false;
}

/*
 * Prints which setting makes the kernel symbols readable. In
 * kallsyms_show_value(), the kernel checks perf_event_paranoid if kptr_restrict
 * is 0.
 */
static void report_hidden_symbols(void)
{
	int64_t restricted;
	bool is_open =
		sysfile_number(KPTR_RESTRICT, &restricted) && restricted == 0;

	log_note("cannot read kernel symbols: the kernel hides them from this "
		 "user. As root: sysctl kernel.%s",
		is_open ? "perf_event_paranoid=1" : "kptr_restrict=0");
}

void pipeline_add_kernel_state(struct pipeline *pipe,
	const struct options *options, const struct selection *selection,
	struct kallsyms *kallsyms)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };

	if (has_kernel_samples(selection)) {
		if (!kallsyms_read("/proc/kallsyms", kallsyms))
			report_hidden_symbols();
		synth_modules_add(pipe->procs, kallsyms, &records);
		bpf_add_programs(pipe->procs, &records);
	}
	if (options->has_all_cgroups)
		cgroups_add_all(pipe->procs, &records);
	drain_inject(pipe->drain, &records);
}

void pipeline_destroy(struct pipeline *pipeline)
{
	alloc_set_exit_handler(NULL, NULL);
	drain_destroy(pipeline->drain);
	intake_destroy(pipeline->intake);
	blocks_destroy(pipeline->blocks);
	batch_destroy(pipeline->batch);
	stack_reader_destroy(pipeline->reader);
	sampled_code_destroy(pipeline->sampled);
	losses_destroy(pipeline->losses);
	unsampled_time_destroy(pipeline->unsampled_time);
	file_tracker_destroy(pipeline->tracker);
	synth_procs_destroy(pipeline->procs);
	queue_destroy(pipeline->queue);
	output_files_destroy(pipeline->files);
}
