/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/timeline.h"

#include "common/perf/attr.h"
#include "common/util/budget.h"
#include "common/util/log.h"
#include "report/result/ordered_samples.h"
#include "report/result/request.h"

/*
 * Limit of memory for cached call chains in bytes, including their hash slots.
 */
#define KEPT_MAX MIB(8)
#define CHAIN_COST \
	(sizeof(struct timeline_chain) + 2 * sizeof(struct hash_slot))
/*
 * Bytes of a location, with its hash slots and the data that exports keep for
 * it.
 */
#define LOCATION_COST 256u
/* Bytes of a thread, with the data that exports keep. */
#define THREAD_COST KIB(1)

struct error *timeline_make(const struct options *options, struct timeline *ret)
{
	const struct input *input;
	struct filter *filter = &ret->options.filter;
	bool has_transforms, has_times = false;
	struct error *err;
	size_t i;

	ret->options = *options;
	ret->options.names.has_full_paths = true;
	ret->options.graph.key = BRANCH_ADDRESS;
	err = result_begin(&ret->options, &ret->result);
	if (err)
		return err;
	/*
	 * Move the filter of functions and DSOs from the samples to the changed
	 * stacks, if the options or the recording make transforms necessary.
	 */
	has_transforms = ret->result.transforms.at.n ||
		options->stacks.inline_self == OPTION_ON;
	if (has_transforms) {
		ret->code_filter = (struct filter){ .dsos = filter->dsos,
			.symbols = filter->symbols,
			.symbol_part = filter->symbol_part };
		filter->dsos = filter->symbols = (struct filter_names){ 0 };
		filter->symbol_part = NULL;
	}
	err = result_survey(&ret->result);
	if (err)
		return err;
	input = result_input(&ret->result);
	/* Such switches have no position in the order of samples. */
	if (options->time.counted && input->offcpu.stacks == OFFCPU_NO_EVENT)
		return error_hint(
			error_new("%s: context switches have no samples, so "
				  "this format cannot show their times",
				reader_path(input->reader)),
			"use '--format folded' or another format of counted "
			"stacks");
	if (has_transforms)
		ret->transformer = transformer_create(ret->result.resolver,
			&ret->result.transforms,
			options->stacks.inline_self == OPTION_ON);
	for (i = 0; i < reader_n_events(input->reader); i++)
		has_times |= reader_event(input->reader, i)->attr.sample_type &
			PERF_SAMPLE_TIME;
	if (!has_times)
		log_note("%s: samples have no times; all are shown at time 0, "
			 "in the order of the file",
			reader_path(input->reader));
	ret->ordered = ordered_samples_create(&ret->result, true);
	return NULL;
}

void timeline_deinit(struct timeline *timeline)
{
	ordered_samples_destroy(timeline->ordered);
	transformer_destroy(timeline->transformer);
	array_free(&timeline->path.frames);
	cut_stacks_deinit(&timeline->cut);
	array_free(&timeline->threads);
	array_free(&timeline->chains);
	array_free(&timeline->frames);
	hash_free(&timeline->by_thread);
	hash_free(&timeline->by_chain);
	result_deinit(&timeline->result);
}

const struct event *timeline_event(
	const struct timeline *timeline, const struct timeline_thread *thread)
{
	return reader_event(
		result_input(&timeline->result)->reader, thread->event);
}

const char *timeline_event_name(
	const struct timeline *timeline, const struct timeline_thread *thread)
{
	enum offcpu_counted time = timeline->options.time.counted;

	return time ? offcpu_counted_word(time)
		    : timeline_event(timeline, thread)->name;
}

bool timeline_counts_ns(
	const struct timeline *timeline, const struct timeline_thread *thread)
{
	return timeline->options.time.counted ||
		attr_counts_ns(&timeline_event(timeline, thread)->attr);
}

const char *timeline_name(const struct timeline *timeline,
	const struct timeline_thread *thread, char unnamed[SURVEY_COMM_SIZE])
{
	if (thread->is_rest)
		return HIST_REST;
	return survey_comm(&result_input(&timeline->result)->survey,
		thread->comm, thread->ids.tid, unnamed);
}

static uint32_t find_timeline_thread(
	struct timeline *timeline, const struct timeline_thread *wanted)
{
	uint64_t hash = hash_words(thread_ids_hash(&wanted->ids),
		(uint64_t)wanted->event << 1 | wanted->is_rest);
	uint32_t n = (uint32_t)timeline->threads.n;
	struct timeline_thread rest = { .event = wanted->event,
		.is_rest = true };

	hash_each_match(&timeline->by_thread, hash, i) {
		struct timeline_thread *known = &timeline->threads.at[i];

		if (known->event != wanted->event ||
			known->is_rest != wanted->is_rest ||
			thread_ids_compare(&known->ids, &wanted->ids))
			continue;
		known->comm = wanted->comm;
		return i;
	}
	if (!wanted->is_rest &&
		!budget_reserve(input_budget(result_input(&timeline->result)),
			THREAD_COST))
		return find_timeline_thread(timeline, &rest);
	hash_insert(&timeline->by_thread, hash, n);
	*array_push(&timeline->threads) = *wanted;
	return n;
}

/* Adds the locations of FRAME, the innermost first. */
static void add_timeline_frame(
	struct timeline *timeline, const struct frame *frame, bool is_sampled)
{
	uint32_t numbers[LINE_DEPTH_MAX];
	size_t n = resolver_expand(
		       timeline->result.resolver, frame, is_sampled, numbers),
	       i;

	for (i = 0; i < n; i++)
		*array_push(&timeline->frames) = numbers[i];
}

static void add_timeline_frames(
	struct timeline *timeline, const struct sample *sample, uint32_t space)
{
	size_t before = timeline->frames.n;
	struct stacks_walk walk = { sample->cpumode, false };
	struct frame frame;
	uint64_t i, n = sample->n_chain;

	if (!stacks_chain_is_valid(sample->chain, n))
		n = 0;
	for (i = 0; i < n; i++) {
		uint64_t entry = sample_chain_entry(sample, i);

		if (!stacks_walk(&walk, space, entry, &frame))
			continue;
		add_timeline_frame(
			timeline, &frame, timeline->frames.n == before);
	}
	if (timeline->frames.n > before)
		return;
	frame = stacks_frame(space, sample->ip, sample->cpumode);
	add_timeline_frame(timeline, &frame, true);
}

/*
 * Applies the transforms to the new CHAIN of SAMPLE, the last one in .frames.
 * The innermost frame of CHAIN is first.
 */
static void transform_timeline_chain(struct timeline *timeline,
	struct timeline_chain *chain, const struct sample *sample,
	uint32_t space)
{
	struct resolver *resolver = timeline->result.resolver;
	struct frame frame = stacks_frame(space, sample->ip, sample->cpumode);
	struct transform_path *path = &timeline->path;
	size_t i;

	array_clear(&path->frames);
	path->sampled = resolver_find(resolver, &frame).location;
	for (i = chain->at; i < timeline->frames.n; i++)
		*array_push(&path->frames) = timeline->frames.at[i];
	chain->is_left_out = !transformer_apply(timeline->transformer, path) ||
		!resolver_passes(
			resolver, &timeline->code_filter, path->sampled);
	timeline->frames.n = chain->at;
	if (chain->is_left_out)
		return;
	if (!path->frames.n)
		*array_push(&timeline->frames) = path->sampled;
	array_each(&path->frames, location)
		*array_push(&timeline->frames) = *location;
}

static const struct timeline_chain *find_timeline_chain(
	struct timeline *timeline, const struct sample *sample, uint32_t space)
{
	uint64_t hash = hash_words(
		hash_bytes(sample->chain, sample->n_chain * sizeof(uint64_t)),
		hash_words(sample->ip, (uint64_t)space << 8 | sample->cpumode));
	static const struct timeline_chain none;
	struct resolver *resolver = timeline->result.resolver;
	struct reader *reader = result_input(&timeline->result)->reader;
	struct timeline_chain *chain;
	uint32_t known = resolver_n_locations(resolver), *frames, other;
	size_t kept, j;
	bool is_cut;

	hash_each_match(&timeline->by_chain, hash, i)
		if (timeline->chains.at[i].hash == hash)
			return &timeline->chains.at[i];
	if (timeline->is_full)
		return &none;
	if (timeline->frames.n * sizeof(*timeline->frames.at) +
			timeline->chains.n * CHAIN_COST >
		KEPT_MAX) {
		array_clear(&timeline->chains);
		array_clear(&timeline->frames);
		hash_free(&timeline->by_chain);
	}
	hash_insert(&timeline->by_chain, hash, (uint32_t)timeline->chains.n);
	chain = array_push(&timeline->chains);
	*chain = (struct timeline_chain){ .hash = hash,
		.at = timeline->frames.n };
	add_timeline_frames(timeline, sample, space);
	timeline->cut.resolver = resolver;
	if (request_groups_cut_stacks(&timeline->options) &&
		cut_stacks_find(&timeline->cut, timeline->frames.at + chain->at,
			timeline->frames.n - chain->at, &kept, &is_cut)) {
		timeline->frames.n = chain->at + kept;
		if (is_cut)
			*array_push(&timeline->frames) =
				resolver_mark(resolver, CUT_STACKS_NAME);
	}
	if (timeline->transformer)
		transform_timeline_chain(timeline, chain, sample, space);
	chain->n = timeline->frames.n - chain->at;
	/* From here on, the outermost caller is first. */
	frames = timeline->frames.at + chain->at;
	for (j = 0; j < chain->n / 2; j++) {
		other = frames[chain->n - 1 - j];
		frames[chain->n - 1 - j] = frames[j];
		frames[j] = other;
	}
	if (budget_reserve(reader_budget(reader),
		    (uint64_t)(resolver_n_locations(resolver) - known) *
			    LOCATION_COST))
		return chain;
	timeline->is_full = true;
	log_note("%s: stacks need more memory than a recording of this size "
		 "may use; the other samples are shown without stacks",
		reader_path(reader));
	return chain;
}

struct timeline_run {
	struct timeline *timeline;
	struct outflow *out;
	timeline_take *take;
	void *data;
	struct offcpu_counts offcpu_counts;
};

static void pass_timeline_part(struct timeline_run *run,
	const struct timeline_chain *chain, const struct ordered_sample *one,
	const struct offcpu_part *part)
{
	struct timeline *timeline = run->timeline;
	uint32_t number = find_timeline_thread(timeline,
		&(struct timeline_thread){ one->event,
			thread_ids_of(one->sample, &one->at), one->at.comm });
	struct timeline_thread *thread = &timeline->threads.at[number];

	if (!timeline->has_first)
		timeline->first_time = part->from;
	timeline->has_first = true;
	/* The sample of a wait comes at its end, and its moment before. */
	thread->latest = MAX(thread->latest, part->from);
	run->take(run->data,
		&(struct timeline_moment){
			.thread = number,
			.time = thread->latest -
				MIN(thread->latest, timeline->first_time),
			.period = part->ns,
			.state = part->state,
			.frames = timeline->frames.at + chain->at,
			.n = chain->n,
		});
}

/*
 * Reports PARTS, of which one was found, one after the other: a thread is first
 * blocked and then waits for a CPU.
 */
static void pass_timeline_parts(struct timeline_run *run,
	const struct timeline_chain *chain, const struct ordered_sample *one,
	struct offcpu_parts *parts)
{
	struct ordered_sample shown = *one;
	uint64_t end = 0;

	shown.event = parts->offcpu->event;
	do {
		struct offcpu_part part = parts->part;

		/* Waits that were added up are shown as one, at their end. */
		if (part.span > part.ns)
			part.from += part.span - part.ns;
		part.from = MAX(part.from, end);
		end = part.from + part.ns;
		pass_timeline_part(run, chain, &shown, &part);
	} while (offcpu_parts_next(parts));
}

/* A sample without a selected part does not need its call chain. */
static bool take_timeline_sample(void *data, const struct ordered_sample *one)
{
	struct timeline_run *run = data;
	struct timeline *timeline = run->timeline;
	bool counts_time = timeline->options.time.counted;
	struct offcpu_parts parts = {
		.offcpu = &result_input(&timeline->result)->offcpu
	};
	const struct timeline_chain *chain;

	run->out->done = one->number;
	if (!outflow_some(run->out))
		return false;
	if (counts_time) {
		offcpu_parts_begin(
			&parts, one->event, one->sample, &run->offcpu_counts);
		if (!offcpu_parts_next(&parts))
			return true;
	}
	chain = find_timeline_chain(timeline, one->sample, one->at.space);
	if (chain->is_left_out)
		return true;
	if (counts_time)
		pass_timeline_parts(run, chain, one, &parts);
	else
		pass_timeline_part(run, chain, one,
			&(struct offcpu_part){ .state = OFFCPU_STATE_ON,
				.from = one->time,
				.ns = one->sample->period });
	return true;
}

void timeline_run(struct timeline *timeline, struct outflow *out,
	timeline_take *take, void *data)
{
	struct timeline_run run = { timeline, out, take, data, { { 0 } } };
	const struct ordered_samples_config config = {
		.take = take_timeline_sample, .data = &run
	};

	out->total = result_input(&timeline->result)->samples;
	ordered_samples_run(timeline->ordered, &config);
	if (!timeline->threads.n)
		result_report_empty(&timeline->result);
	else
		result_report_no_callers(&timeline->result);
	result_report_unmatched_transforms(&timeline->result);
}
