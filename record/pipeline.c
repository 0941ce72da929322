/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/pipeline.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/sys/priority.h"
#include "record/unwind/callchain_rewrite.h"

static struct hits *make_hits(
	const struct pipeline *pipeline, const struct opened *opened)
{
	ARRAY(struct hits_event) events = { 0 };
	struct perf_event_attr attr;
	struct hits_event *event;
	struct hits *hits;

	array_each(&opened->selection->events, selected) {
		event = array_push(&events);
		event->id = selected->id;
		attr = plain_written(opened->selection, selected);
		sample_layout_init(&event->layout, &attr);
	}
	event = array_push(&events);
	event->id = opened->sideband_id;
	event->layout = pipeline->sideband_layout;
	hits = hits_create(events.at, events.n);
	array_free(&events);
	return hits;
}

static int realtime_of_writer(int realtime)
{
	if (realtime < 0)
		return PRIORITY_NICE;
	return realtime > 1 ? realtime - 1 : realtime;
}

/* Every block is written whole at once, so there is nothing to flush. */
static void last_words(void *data)
{
	const struct pipeline *pipeline = data;

	log_error("what was recorded until now is in %s",
		files_name(pipeline->files));
}

static struct error *create_files(
	struct pipeline *pipeline, const struct pipeline_setup *setup)
{
	const struct files_setup files = {
		.wish = &setup->options->switching,
		.path = setup->options->output,
		.head = setup->head,
		.kallsyms = setup->kallsyms,
		.queue = pipeline->queue,
		.intake = pipeline->intake,
		.drain = pipeline->drain,
		.losses = pipeline->losses,
		.hits = pipeline->hits,
		.keeper = pipeline->keeper,
		.batch = pipeline->batch,
	};

	return files_create(&files, &pipeline->files);
}

static struct error *start_writing(
	struct pipeline *pipeline, const struct options *options)
{
	struct error *err = blocks_create(pipeline->queue,
		files_part(pipeline->files), pipeline->hits, options->level,
		&pipeline->blocks);

	if (err)
		return err;
	blocks_set_limits(
		pipeline->blocks, options->switching.size, options->max_size);
	blocks_on_turn(pipeline->blocks, files_turn, pipeline->files);
	if (pipeline->batch)
		blocks_unwind(pipeline->blocks, pipeline->batch);
	return blocks_start(pipeline->blocks,
		realtime_of_writer(options->realtime));
}

/* Where dwell can't unwind, what the kernel tells must do. */
static struct error *create_unwinding(
	struct pipeline *pipeline, const struct pipeline_setup *setup)
{
	struct batch_setup batch = {
		.selection = setup->opened->selection,
		.hits = pipeline->hits,
		.keeper = pipeline->keeper,
	};

	if (batch.selection->keeps_stacks)
		copying_keep(intake_copying(pipeline->intake));
	if (!plain_is_needed(batch.selection))
		return NULL;
	pipeline->depths = batch.depths = depths_create();
	pipeline->batch = batch_create(&batch);
	if (!pipeline->batch)
		return error_usage("--call-graph dwarf: dwell can't unwind "
				   "this machine's stacks; --keep-stacks leaves "
				   "that to others");
	copying_complete(
		intake_copying(pipeline->intake), pipeline->depths);
	return depths_start(pipeline->depths, setup->options->realtime);
}

struct error *pipeline_build(
	struct pipeline *pipeline, const struct pipeline_setup *setup)
{
	const struct options *options = setup->options;
	struct opened *opened = setup->opened;
	struct error *err;

	sample_layout_init(
		&pipeline->sideband_layout, &opened->sideband_attr);
	pipeline->queue = queue_create(options->queue_size);
	pipeline->intake = intake_create(opened, pipeline->queue);
	intake_use(pipeline->intake, setup->sieve);
	intake_follow(pipeline->intake, setup->kin);
	if (options->leaves_itself_out)
		intake_leave_out_own(pipeline->intake);
	pipeline->keeper = keeper_create();
	intake_tell(pipeline->intake, pipeline->keeper);
	err = drain_create(opened, pipeline->intake, &pipeline->drain);
	if (err)
		return err;
	pipeline->procs = procs_create(
		&pipeline->sideband_layout, opened->sideband_id);
	/* Unless this user isn't told. */
	if (opened->sideband_attr.namespaces)
		procs_tell_namespaces(pipeline->procs);
	if (opened->sideband_attr.mmap_data)
		procs_tell_data(pipeline->procs);
	pipeline->losses = losses_create(
		opened, pipeline->intake, pipeline->drain);
	pipeline->hits = make_hits(pipeline, opened);
	if (opened->sideband_attr.mmap_data)
		hits_want_data(pipeline->hits);
	err = create_unwinding(pipeline, setup);
	if (!err)
		err = create_files(pipeline, setup);
	if (err)
		return err;
	alloc_before_dying(last_words, pipeline);
	return start_writing(pipeline, options);
}

void pipeline_destroy(struct pipeline *pipeline)
{
	alloc_before_dying(NULL, NULL);
	drain_destroy(pipeline->drain);
	intake_destroy(pipeline->intake);
	blocks_destroy(pipeline->blocks);
	batch_destroy(pipeline->batch);
	depths_destroy(pipeline->depths);
	hits_destroy(pipeline->hits);
	losses_destroy(pipeline->losses);
	keeper_destroy(pipeline->keeper);
	procs_destroy(pipeline->procs);
	queue_destroy(pipeline->queue);
	files_destroy(pipeline->files);
}
