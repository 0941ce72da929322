/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/recording_stages.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/bpf/bpf_unwind.h"
#include "record/synth/cgroups.h"
#include "record/synth/synth_kernel.h"
#include "record/sys/priority.h"
#include "record/sys/sysfile.h"
#include "record/unwind/chain_rewrite.h"

#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"

static struct sampled_code *create_sampled_code(
	const struct recording_stages *stages, const struct event_fds *opened)
{
	ARRAY(struct sampled_event) events = { 0 };
	struct perf_event_attr attr;
	struct sampled_event *event;
	struct sampled_code *sampled;

	array_each(&opened->selection->events, selected) {
		event = array_push(&events);
		event->id = selected->id;
		attr = chain_rewrite_written_attr(opened->selection, selected);
		sample_layout_init(&event->layout, &attr);
	}
	event = array_push(&events);
	event->id = opened->sideband_id;
	event->layout = stages->sideband_layout;
	sampled = sampled_code_create(events.at, events.n);
	array_free(&events);
	return sampled;
}

/*
 * Called before the process exits because memory is exhausted. Blocks are
 * always written to the file completely, so nothing has to be flushed.
 */
static void report_written_files(void *data)
{
	const struct recording_stages *stages = data;

	log_error("the samples recorded until now are in %s",
		output_files_name(stages->files));
}

static void add_moved_code(void *data, const struct strbuf *records)
{
	const struct recording_stages *stages = data;

	drain_inject(stages->drain, records);
}

static void request_unmapped(
	void *data, uint32_t pid, uint64_t address, uint64_t time)
{
	moved_code_add_unmapped(data, pid, address, time);
}

/* Creates the stages up to the queue, with what they need of the unwinder. */
static struct error *create_intake(struct recording_stages *stages,
	const struct recording_stages_setup *setup)
{
	struct event_fds *opened = setup->opened;
	struct intake_setup intake = {
		.opened = opened,
		.queue = stages->queue,
		.filter = setup->filter,
		.target_tasks = setup->target_tasks,
		.bpf = setup->bpf,
		.excludes_self = setup->options->excludes_self,
	};

	stages->bpf = setup->bpf;
	stages->unwinds_samples = chain_rewrite_is_needed(opened->selection);
	if (stages->unwinds_samples || opened->selection->unwinds_in_kernel) {
		stages->reader = stack_reader_create();
		if (setup->options->languages)
			stages->runtimes =
				runtimes_create(setup->options->languages);
	}
	stages->moved = moved_code_create(&stages->sideband_layout,
		opened->sideband_id, add_moved_code, stages);
	stages->tracker = file_tracker_create(stages->moved);
	intake.tracker = stages->tracker;
	intake.reader = stages->reader;
	intake.runtimes = stages->runtimes;
	stages->intake = intake_create(&intake);
	stages->unsampled_time =
		unsampled_time_create(opened, intake_counts(stages->intake));
	return drain_create(
		opened, stages->intake, stages->unsampled_time, &stages->drain);
}

/* Creates the unwinder if stack copies are to be replaced by call chains. */
static struct error *create_batch(
	struct recording_stages *stages, const struct selection *selection)
{
	const struct batch_setup batch = {
		.selection = selection,
		.sampled = stages->sampled,
		.tracker = stages->tracker,
		.bpf = selection->unwinds_in_kernel ? stages->bpf : NULL,
		.reader = stages->reader,
		.runtimes = stages->runtimes,
	};

	if (!stages->reader)
		return NULL;
	stages->batch = batch_create(&batch);
	return stages->batch
		? NULL
		: error_usage(
			  "--call-graph dwarf: dwell cannot unwind stacks of "
			  "this CPU architecture. To write stack copies for "
			  "other programs: --call-graph dwarf --keep-stacks");
}

struct error *recording_stages_build(struct recording_stages *stages,
	const struct recording_stages_setup *setup)
{
	const struct options *options = setup->options;
	struct event_fds *opened = setup->opened;
	const struct synth_procs_setup procs = {
		.layout = &stages->sideband_layout,
		.id = opened->sideband_id,
		.has_namespaces = opened->sideband_attr.namespaces,
		.has_data = opened->sideband_attr.mmap_data,
	};
	struct error *err;

	sample_layout_init(&stages->sideband_layout, &opened->sideband_attr);
	stages->queue = queue_create(options->queue_size);
	err = create_intake(stages, setup);
	if (err)
		return err;
	stages->procs = synth_procs_create(&procs);
	stages->losses = losses_create(opened, stages->intake, stages->drain);
	stages->sampled = create_sampled_code(stages, opened);
	if (opened->sideband_attr.mmap_data)
		sampled_code_track_data(stages->sampled);
	sampled_code_on_unmapped(
		stages->sampled, request_unmapped, stages->moved);
	if (!event_fds_are_cpu_wide(opened))
		sampled_code_watch_removals(stages->sampled);
	err = create_batch(stages, opened->selection);
	if (err)
		return err;
	if (stages->reader)
		err = stack_reader_start(
			stages->reader, (int)options->realtime);
	if (!err) {
		const struct output_files_setup files = {
			.rotation = &setup->options->rotation,
			.path = setup->options->output,
			.head = setup->head,
			.kallsyms = setup->kallsyms,
			.queue = stages->queue,
			.intake = stages->intake,
			.drain = stages->drain,
			.losses = stages->losses,
			.unsampled_time = stages->unsampled_time,
			.sampled = stages->sampled,
			.tracker = stages->tracker,
			.batch = stages->batch,
			.runtimes = stages->runtimes,
		};
		err = output_files_create(&files, &stages->files);
	}
	if (err)
		return err;
	alloc_set_exit_handler(report_written_files, stages);
	const struct blocks_setup blocks = {
		.queue = stages->queue,
		.file = output_files_current(stages->files),
		.sampled = stages->sampled,
		.batch = stages->unwinds_samples ? stages->batch : NULL,
		.level = (int)options->level,
		.file_limit = options->rotation.size,
		.limit = options->max_size,
		.switch_file = output_files_switch,
		.switch_data = stages->files,
	};
	err = blocks_create(&blocks, &stages->blocks);
	int realtime = (int)options->realtime;

	return err ? err
		   : blocks_start(stages->blocks,
			     realtime < 0	    ? PRIORITY_NICE
				     : realtime > 1 ? realtime - 1
						    : realtime);
}

void recording_stages_add_kernel_state(struct recording_stages *stages,
	const struct options *options, const struct selection *selection,
	struct kallsyms *kallsyms)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };
	bool has_kernel = false;

	array_each(&selection->events, event)
		has_kernel |= !event->attr.exclude_kernel;
	if (has_kernel) {
		if (!kallsyms_read("/proc/kallsyms", kallsyms)) {
			/*
			 * Print which setting makes the kernel symbols
			 * readable. In kallsyms_show_value(), the kernel checks
			 * perf_event_paranoid if kptr_restrict is 0.
			 */
			int64_t restricted;
			bool is_open =
				sysfile_number(KPTR_RESTRICT, &restricted) &&
				restricted == 0;

			log_note(
				"cannot read kernel symbols: the kernel hides them from this "
				"user. As root: sysctl kernel.%s",
				is_open ? "perf_event_paranoid=1"
					: "kptr_restrict=0");
		}
		synth_modules_add(stages->procs, kallsyms, &records);
		synth_bpf_add(stages->procs, &records);
	}
	if (options->has_all_cgroups)
		cgroups_add_all(stages->procs, &records);
	drain_inject(stages->drain, &records);
}

void recording_stages_destroy(struct recording_stages *stages)
{
	alloc_set_exit_handler(NULL, NULL);
	drain_destroy(stages->drain);
	intake_destroy(stages->intake);
	blocks_destroy(stages->blocks);
	batch_destroy(stages->batch);
	stack_reader_destroy(stages->reader);
	runtimes_destroy(stages->runtimes);
	sampled_code_destroy(stages->sampled);
	losses_destroy(stages->losses);
	unsampled_time_destroy(stages->unsampled_time);
	file_tracker_destroy(stages->tracker);
	moved_code_destroy(stages->moved);
	synth_procs_destroy(stages->procs);
	queue_destroy(stages->queue);
	output_files_destroy(stages->files);
}
