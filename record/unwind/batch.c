/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/batch.h"

#include <linux/perf_event.h>

#include "common/util/alloc.h"
#include "common/util/cpus.h"
#include "common/util/log.h"
#include "record/unwind/outer_frame_cache.h"
#include "record/unwind/workers.h"

/* Maximum number of deferred samples: at most 4 MiB of copied samples. */
#define DEFERRED_UNWIND_MAX 64u
#define DEFERRED_UNWIND_BATCHES_MAX 4u /* maximum wait */

/*
 * Copies of the deferred samples, which wait for later batches: the original
 * sample and the sample as it would be written now.
 */
struct deferred_unwind {
	struct deferred_sample {
		struct block_info info;	   /* of the block of the sample */
		uint8_t *record, *written; /* owned buffers, which only grow */
		size_t record_room, written_room;
		size_t size; /* of .written, in bytes */
		struct live_unwinding_outcome outcome;
		unsigned batches;
	} samples[DEFERRED_UNWIND_MAX];
	size_t n;
};

#define THREADS_MAX 8u
/*
 * One thread unwinds the samples of 64 CPUs at 1 kHz. At higher rates and with
 * more CPUs, unwinding should still use a small part of the CPUs.
 */
#define CPUS_PER_THREAD 4u
/* Maximum samples of a batch, and the minimum for the use of worker threads. */
#define SAMPLES_MAX 1024u
#define SAMPLES_SHARED 32u

/*
 * Maximum number of deferred samples of a bucket, and maximum number of
 * attempts to unwind a deferred sample.
 */
#define DEFERRED_PER_BUCKET_MAX 8u
#define ATTEMPTS_MAX 4u

/* A sample of the batch, and the result of unwinding the sample. */
struct unwound_sample {
	const struct block_info *info;
	const uint8_t *record;
	uint32_t bucket, share;
	size_t at, size; /* position in .out of the share, and bytes */
	struct live_unwinding_outcome outcome;
	unsigned attempts;
	bool is_deferred; /* the sample is from an earlier batch */
};

/* The state of one worker, which unwinds a share of the samples. */
struct batch_share {
	struct live_unwinding *unwinding;
	uint8_t *out; /* output, owned; .room bytes, .n bytes are used */
	size_t n, room;
};

struct batch {
	struct runtimes *runtimes; /* borrowed; NULL: none */
	struct rules *rules;
	struct rules_ahead *ahead; /* owned; NULL: nothing needs it */
	struct outer_frames *outer;
	struct frame_pointer_trials trials;
	struct stack_counts stacks;
	struct deferred_unwind deferred;
	struct workers *workers;
	size_t tid; /* offset of the TID in sample records */
	struct unwound_sample samples[SAMPLES_MAX];
	size_t n_samples;
	/* The samples of each outer_frames_bucket() of threads. */
	struct batch_bucket {
		uint32_t n, share; /* number of samples, and their share */
		uint32_t n_deferred,
			deferred[DEFERRED_PER_BUCKET_MAX]; /* indexes in
							      .samples */
	} buckets[OUTER_FRAMES_BUCKETS];
	size_t n_shares;
	struct batch_share shares[];
};

static void unwind_batch_sample(
	struct batch_share *share, struct unwound_sample *sample)
{
	sample->at = share->n;
	/* An unwound sample can exceed the original. */
	if (share->room - share->n < RECORD_SIZE_ALIGNED) {
		share->room = 2 * share->room + RECORD_SIZE_ALIGNED;
		share->out = xrealloc(share->out, share->room);
	}
	sample->size = live_unwinding_take(share->unwinding, sample->record,
		share->out + share->n, &sample->outcome);
	share->n += sample->size;
	sample->attempts++;
}

/*
 * Unwinds the deferred samples of BUCKET again if their outermost frame is also
 * in the stack that was just added to the cache.
 */
static void retry_deferred(struct batch *batch, struct batch_share *share,
	struct batch_bucket *bucket)
{
	uint32_t n = 0, i;

	for (i = 0; i < bucket->n_deferred; i++) {
		struct unwound_sample *sample =
			&batch->samples[bucket->deferred[i]];

		if (outer_frames_last_has(batch->outer, sample->outcome.thread,
			    sample->outcome.frame))
			unwind_batch_sample(share, sample);
		if (sample->outcome.is_cut && sample->attempts < ATTEMPTS_MAX)
			bucket->deferred[n++] = bucket->deferred[i];
	}
	bucket->n_deferred = n;
}

static void unwind_share(void *data, size_t number)
{
	struct batch *batch = data;
	struct batch_share *share = &batch->shares[number];
	size_t i;

	share->n = 0;
	for (i = 0; i < batch->n_samples; i++) {
		struct unwound_sample *sample = &batch->samples[i];
		struct batch_bucket *bucket = &batch->buckets[sample->bucket];

		if (sample->share != number)
			continue;
		if (!sample->is_deferred)
			unwind_batch_sample(share, sample);
		if (sample->outcome.is_cut) {
			/*
			 * If there are too many, remove the oldest deferred
			 * sample.
			 */
			if (bucket->n_deferred == DEFERRED_PER_BUCKET_MAX)
				memmove(bucket->deferred, bucket->deferred + 1,
					--bucket->n_deferred *
						sizeof(bucket->deferred[0]));
			bucket->deferred[bucket->n_deferred++] = (uint32_t)i;
		}
		if (sample->outcome.is_example)
			retry_deferred(batch, share, bucket);
	}
}

struct batch *batch_create(const struct batch_setup *setup)
{
	size_t wanted = setup->n_threads ?: cpus_usable() / CPUS_PER_THREAD;
	size_t n = MAX(MIN(wanted, (size_t)THREADS_MAX), (size_t)1), i;
	struct batch *batch =
		xcalloc(1, sizeof(*batch) + n * sizeof(batch->shares[0]));
	struct live_unwinding_setup unwinding = {
		.selection = setup->selection,
		.sampled = setup->sampled,
		.runtimes = setup->runtimes,
		.reader = setup->reader,
		.bpf = setup->bpf,
		.trials = &batch->trials,
	};
	struct sample_layout layout;

	batch->rules = unwinding.rules = rules_create(setup->tracker);
	rules_set_bpf(batch->rules, setup->bpf);
	if (setup->bpf && setup->tracker)
		batch->ahead = rules_ahead_create(batch->rules, setup->tracker);
	batch->runtimes = setup->runtimes;
	batch->outer = unwinding.outer = outer_frames_create();
	batch->workers = workers_create(n, unwind_share, batch);
	batch->n_shares = n;
	/* The offset of the TID is the same for all events. */
	sample_layout_init(&layout, &setup->selection->events.at[0].attr);
	batch->tid = layout.tid + sizeof(uint32_t);
	for (i = 0; i < n; i++)
		batch->shares[i].unwinding = live_unwinding_create(&unwinding);
	if (batch->shares[0].unwinding)
		return batch;
	batch_destroy(batch);
	return NULL;
}

void batch_destroy(struct batch *batch)
{
	size_t i;

	if (!batch)
		return;
	workers_destroy(batch->workers);
	for (i = 0; i < batch->n_shares; i++) {
		live_unwinding_destroy(batch->shares[i].unwinding);
		free(batch->shares[i].out);
	}
	rules_ahead_destroy(batch->ahead);
	rules_destroy(batch->rules);
	outer_frames_destroy(batch->outer);
	for (i = 0; i < DEFERRED_UNWIND_MAX; i++) {
		free(batch->deferred.samples[i].record);
		free(batch->deferred.samples[i].written);
	}
	frame_pointer_trials_deinit(&batch->trials);
	free(batch);
}

void batch_restart(struct batch *batch)
{
	size_t i;

	rules_restart(batch->rules);
	if (batch->runtimes)
		runtimes_restart(batch->runtimes);
	outer_frames_restart(batch->outer);
	for (i = 0; i < batch->n_shares; i++)
		live_unwinding_restart(batch->shares[i].unwinding);
	batch->stacks = (struct stack_counts){ 0 };
}

/*
 * Distributes the samples: all samples of a bucket go to the share that unwound
 * the bucket last and has the unwind rules in its cache. Exception: another
 * share has fewer samples, by a quarter of the average or more.
 */
static void distribute_samples(struct batch *batch)
{
	size_t slack = batch->n_samples / batch->n_shares / 4;
	size_t loads[THREADS_MAX] = { 0 }, i;

	for (i = 0; i < batch->n_samples; i++) {
		uint32_t bucket = batch->samples[i].bucket;
		uint32_t n = batch->buckets[bucket].n, share, least, other;

		if (n) {
			share = batch->buckets[bucket].share;
			least = 0;
			for (other = 1; other < batch->n_shares; other++)
				if (loads[other] < loads[least])
					least = other;
			if (loads[share] > loads[least] + slack)
				share = least;
			loads[share] += n;
			batch->buckets[bucket].share = share;
			batch->buckets[bucket].n = 0;
		}
		batch->samples[i].share = batch->buckets[bucket].share;
	}
}

/*
 * Keeps the copy of deferred sample NUMBER for the next batch. At the end of a
 * batch, all copies are removed (.n is 0). Then deferred_unwind_keep() is
 * called for samples that are still deferred, in ascending order of NUMBER, and
 * deferred_unwind_add() for newly deferred samples. Both functions return false
 * if the sample must be written now.
 */
static bool deferred_unwind_keep(
	struct deferred_unwind *deferred, size_t number)
{
	struct deferred_sample kept = deferred->samples[number];

	if (++kept.batches > DEFERRED_UNWIND_BATCHES_MAX)
		return false;
	deferred->samples[number] = deferred->samples[deferred->n];
	deferred->samples[deferred->n++] = kept;
	return true;
}

static void copy_record(
	uint8_t **at, size_t *room, const uint8_t *from, size_t size)
{
	if (size > *room) {
		*at = xrealloc(*at, size);
		*room = size;
	}
	memcpy(*at, from, size);
}

static bool deferred_unwind_add(struct deferred_unwind *deferred,
	const struct unwound_sample *sample, const uint8_t *written)
{
	const struct perf_event_header *header =
		(const struct perf_event_header *)sample->record;
	struct deferred_sample *copy = &deferred->samples[deferred->n];

	if (deferred->n == DEFERRED_UNWIND_MAX)
		return false;
	deferred->n++;
	copy_record(&copy->record, &copy->record_room, sample->record,
		header->size);
	copy_record(&copy->written, &copy->written_room, written, sample->size);
	copy->size = sample->size;
	copy->info = *sample->info;
	copy->outcome = sample->outcome;
	copy->batches = 0;
	return true;
}

static void unwind_batch(struct batch *batch, const struct batch_output *output)
{
	size_t i;

	distribute_samples(batch);
	if (batch->n_samples >= SAMPLES_SHARED)
		workers_run(batch->workers);
	else
		for (i = 0; i < batch->n_shares; i++)
			unwind_share(batch, i);
	rules_settle(batch->rules);
	if (batch->runtimes)
		runtimes_settle(batch->runtimes);
	batch->deferred.n = 0;
	for (i = 0; i < batch->n_samples; i++) {
		const struct unwound_sample *sample = &batch->samples[i];
		const uint8_t *written =
			sample->is_deferred && !sample->attempts
			? batch->deferred.samples[i].written
			: batch->shares[sample->share].out + sample->at;
		batch->buckets[sample->bucket].n_deferred = 0;
		if (!sample->outcome.is_cut ||
			!(sample->is_deferred
					? deferred_unwind_keep(
						  &batch->deferred, i)
					: deferred_unwind_add(&batch->deferred,
						  sample, written))) {
			if (sample->outcome.trial.path)
				frame_pointer_trials_add(
					&batch->trials, &sample->outcome.trial);
			stack_counts_add(
				&batch->stacks, &sample->outcome.stacks);
			output->put(output->data, sample->info, written,
				sample->size);
		}
	}
	batch->n_samples = 0;
}

static struct unwound_sample *add_to_batch(struct batch *batch,
	const struct block_info *info, const uint8_t *record)
{
	struct unwound_sample *sample = &batch->samples[batch->n_samples++];
	const struct perf_event_header *header =
		(const struct perf_event_header *)record;
	uint32_t tid = 0;

	if (header->size >= batch->tid + sizeof(tid))
		memcpy(&tid, record + batch->tid, sizeof(tid));
	*sample = (struct unwound_sample){
		.info = info,
		.record = record,
		.bucket = outer_frames_bucket(tid),
	};
	batch->buckets[sample->bucket].n++;
	return sample;
}

static void add_deferred_samples(struct batch *batch)
{
	size_t i;

	for (i = 0; i < batch->deferred.n; i++) {
		const struct deferred_sample *deferred =
			&batch->deferred.samples[i];
		struct unwound_sample *sample =
			add_to_batch(batch, &deferred->info, deferred->record);

		sample->is_deferred = true;
		sample->size = deferred->size;
		sample->outcome = deferred->outcome;
	}
}

void batch_unwind(struct batch *batch, struct queue_block *const *blocks,
	size_t n, const struct batch_output *output)
{
	struct record record;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct block_info *info = &blocks[i]->info;
		size_t at = 0;

		while (record_at(blocks[i]->raw + at, info->raw_size - at,
			false, &record)) {
			at += record.size;
			if (!batch->n_samples)
				add_deferred_samples(batch);
			add_to_batch(batch, info, record.data);
			if (batch->n_samples == SAMPLES_MAX)
				unwind_batch(batch, output);
		}
	}
	if (batch->n_samples)
		unwind_batch(batch, output);
}

void batch_flush(struct batch *batch, const struct batch_output *output)
{
	size_t i;

	for (i = 0; i < batch->deferred.n; i++) {
		const struct deferred_sample *deferred =
			&batch->deferred.samples[i];

		stack_counts_add(&batch->stacks, &deferred->outcome.stacks);
		output->put(output->data, &deferred->info, deferred->written,
			deferred->size);
	}
	batch->deferred.n = 0;
}

void batch_report(const struct batch *batch)
{
	size_t n = workers_started(batch->workers);

	if (n)
		log_verbose("unwound stacks with %zu threads", n + 1);
	frame_pointer_trials_report(&batch->trials);
}

struct stack_counts batch_stacks(const struct batch *batch)
{
	return batch->stacks;
}
