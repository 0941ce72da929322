/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/batch.h"

#include "common/util/alloc.h"
#include "common/util/cpus.h"
#include "common/util/log.h"
#include "record/unwind/deferred_unwind.h"
#include "record/unwind/outer_frame_cache.h"
#include "record/unwind/workers.h"

#define THREADS_MAX 8u
/*
 * One thread unwinds what 64 CPUs sample at 1 kHz; with more of both it should
 * still be a small part of them.
 */
#define CPUS_PER_THREAD 4u
/* What is unwound together, and from how many on threads are woken for it. */
#define SAMPLES_MAX 1024u
#define SAMPLES_SHARED 32u

/* Of a thread, how many wait for its next stacks, and how often each is tried.
 */
#define OF_PLACE_MAX 8u
#define TRIES_MAX 4u

/* A sample, and what became of it. */
struct unwound_sample {
	const struct block_info *info;
	const uint8_t *record;
	uint32_t place, share;
	size_t at, size; /* in what the share has written */
	struct unwinding_told told;
	unsigned tries;
	bool is_waiting; /* of an earlier batch */
};

/* What one thread has for itself. */
struct share {
	struct unwinding *unwinding;
	uint8_t *out; /* owned; ROOM bytes, of which N are used */
	size_t n, room;
};

struct batch {
	struct rules *rules;
	struct tails *tails;
	struct choices choices;
	struct stacks stacks;
	struct waiting waiting;
	struct workers *workers;
	size_t tid; /* where samples have it */
	struct unwound_sample samples[SAMPLES_MAX];
	size_t n_samples;
	/* Of the batch, by tails_place(). */
	struct place {
		uint32_t n, share; /* how many samples are of it, and whose */
		uint32_t n_waiting, waiting[OF_PLACE_MAX]; /* which wait */
	} places[TAILS_PLACES];
	size_t n_shares;
	struct share shares[];
};

static size_t count_threads(size_t wanted)
{
	size_t n = wanted ? wanted : cpus_usable() / CPUS_PER_THREAD;

	return MAX(MIN(n, (size_t)THREADS_MAX), (size_t)1);
}

/* What is written may be longer than what was read: the room grows, at first.
 */
static uint8_t *make_room(struct share *share)
{
	if (share->room - share->n < RECORD_SIZE_ALIGNED) {
		share->room = 2 * share->room + RECORD_SIZE_ALIGNED;
		share->out = xrealloc(share->out, share->room);
	}
	return share->out + share->n;
}

static void take(struct share *share, struct unwound_sample *sample)
{
	sample->at = share->n;
	sample->size = unwinding_take(share->unwinding, sample->record,
		make_room(share), &sample->told);
	share->n += sample->size;
	sample->tries++;
}

/* The oldest one waits no longer, if there are too many. */
static void let_wait(struct place *place, uint32_t number)
{
	if (place->n_waiting == OF_PLACE_MAX)
		memmove(place->waiting, place->waiting + 1,
			--place->n_waiting * sizeof(place->waiting[0]));
	place->waiting[place->n_waiting++] = number;
}

/* Those whose oldest frame is also one of the stack that was just kept. */
static void try_again(
	struct batch *batch, struct share *share, struct place *place)
{
	uint32_t n = 0, i;

	for (i = 0; i < place->n_waiting; i++) {
		struct unwound_sample *sample =
			&batch->samples[place->waiting[i]];

		if (tails_last_has(batch->tails, &sample->told.frame))
			take(share, sample);
		if (sample->told.is_cut && sample->tries < TRIES_MAX)
			place->waiting[n++] = place->waiting[i];
	}
	place->n_waiting = n;
}

static void unwind_share(void *data, size_t number)
{
	struct batch *batch = data;
	struct share *share = &batch->shares[number];
	size_t i;

	share->n = 0;
	for (i = 0; i < batch->n_samples; i++) {
		struct unwound_sample *sample = &batch->samples[i];
		struct place *place = &batch->places[sample->place];

		if (sample->share != number)
			continue;
		if (!sample->is_waiting)
			take(share, sample);
		if (sample->told.is_cut)
			let_wait(place, (uint32_t)i);
		if (sample->told.is_example)
			try_again(batch, share, place);
	}
}

struct batch *batch_create(const struct batch_setup *setup)
{
	size_t n = count_threads(setup->n_threads), i;
	struct batch *batch =
		xcalloc(1, sizeof(*batch) + n * sizeof(batch->shares[0]));
	struct unwinding_setup unwinding = {
		.selection = setup->selection,
		.hits = setup->hits,
		.depths = setup->depths,
		.choices = &batch->choices,
	};
	struct sample_layout layout;

	batch->rules = unwinding.rules = rules_create(setup->keeper);
	batch->tails = unwinding.tails = tails_create();
	batch->workers = workers_create(n, unwind_share, batch);
	batch->n_shares = n;
	/* Every event's samples have it in the same place. */
	sample_layout_init(&layout, &setup->selection->events.at[0].attr);
	batch->tid = layout.tid + sizeof(uint32_t);
	for (i = 0; i < n; i++)
		batch->shares[i].unwinding = unwinding_create(&unwinding);
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
		unwinding_destroy(batch->shares[i].unwinding);
		free(batch->shares[i].out);
	}
	rules_destroy(batch->rules);
	tails_destroy(batch->tails);
	waiting_deinit(&batch->waiting);
	choices_deinit(&batch->choices);
	free(batch);
}

void batch_restart(struct batch *batch)
{
	size_t i;

	rules_restart(batch->rules);
	tails_restart(batch->tails);
	for (i = 0; i < batch->n_shares; i++)
		unwinding_restart(batch->shares[i].unwinding);
	batch->stacks = (struct stacks){ 0 };
}

static uint32_t least_loaded(const struct batch *batch, const size_t *loads)
{
	uint32_t best = 0, i;

	for (i = 1; i < batch->n_shares; i++)
		if (loads[i] < loads[best])
			best = i;
	return best;
}

/*
 * A place that comes for the first time goes with all of its samples: to whom
 * it was last, who has its rules in the cache, or to who has a quarter of a
 * fair share less to do.
 */
static void share_out(struct batch *batch)
{
	size_t slack = batch->n_samples / batch->n_shares / 4;
	size_t loads[THREADS_MAX] = { 0 }, i;

	for (i = 0; i < batch->n_samples; i++) {
		uint32_t place = batch->samples[i].place;
		uint32_t n = batch->places[place].n, share, least;

		if (n) {
			share = batch->places[place].share;
			least = least_loaded(batch, loads);
			if (loads[share] > loads[least] + slack)
				share = least;
			loads[share] += n;
			batch->places[place].share = share;
			batch->places[place].n = 0;
		}
		batch->samples[i].share = batch->places[place].share;
	}
}

static void give(struct batch *batch, const struct unwound_sample *sample,
	const uint8_t *written, const struct batch_taker *taker)
{
	if (sample->told.seen.path)
		choices_see(&batch->choices, &sample->told.seen);
	stacks_add(&batch->stacks, &sample->told.stacks);
	taker->put(taker->data, sample->info, written, sample->size);
}

static void settle(
	struct batch *batch, size_t number, const struct batch_taker *taker)
{
	const struct unwound_sample *sample = &batch->samples[number];
	const uint8_t *written = sample->is_waiting && !sample->tries
		? batch->waiting.samples[number].written
		: batch->shares[sample->share].out + sample->at;

	batch->places[sample->place].n_waiting = 0;
	if (!sample->told.is_cut ||
		!(sample->is_waiting
				? waiting_keep(&batch->waiting, number)
				: waiting_add(&batch->waiting, sample->info,
					  sample->record, written, sample->size,
					  &sample->told)))
		give(batch, sample, written, taker);
}

static void unwind_all(struct batch *batch, const struct batch_taker *taker)
{
	size_t i;

	share_out(batch);
	if (batch->n_samples >= SAMPLES_SHARED)
		workers_run(batch->workers);
	else
		for (i = 0; i < batch->n_shares; i++)
			unwind_share(batch, i);
	rules_settle(batch->rules);
	waiting_begin(&batch->waiting);
	for (i = 0; i < batch->n_samples; i++)
		settle(batch, i, taker);
	batch->n_samples = 0;
}

static struct unwound_sample *add(struct batch *batch,
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
		.place = tails_place(tid),
	};
	batch->places[sample->place].n++;
	return sample;
}

static void add_held(struct batch *batch)
{
	size_t i;

	for (i = 0; i < batch->waiting.n; i++) {
		const struct waiting_sample *waiting =
			&batch->waiting.samples[i];
		struct unwound_sample *sample =
			add(batch, &waiting->info, waiting->record);

		sample->is_waiting = true;
		sample->size = waiting->size;
		sample->told = waiting->told;
	}
}

void batch_unwind(struct batch *batch, struct queue_block *const *blocks,
	size_t n, const struct batch_taker *taker)
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
				add_held(batch);
			add(batch, info, record.data);
			if (batch->n_samples == SAMPLES_MAX)
				unwind_all(batch, taker);
		}
	}
	if (batch->n_samples)
		unwind_all(batch, taker);
}

void batch_flush(struct batch *batch, const struct batch_taker *taker)
{
	size_t i;

	for (i = 0; i < batch->waiting.n; i++) {
		const struct waiting_sample *waiting =
			&batch->waiting.samples[i];

		stacks_add(&batch->stacks, &waiting->told.stacks);
		taker->put(taker->data, &waiting->info, waiting->written,
			waiting->size);
	}
	waiting_begin(&batch->waiting);
}

void batch_tell(const struct batch *batch)
{
	size_t n = workers_started(batch->workers);

	if (n)
		log_verbose("stacks were unwound by %zu threads", n + 1);
	choices_tell(&batch->choices);
}

struct stacks batch_stacks(const struct batch *batch)
{
	return batch->stacks;
}
