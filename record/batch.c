/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/batch.h"

#include "common/alloc.h"
#include "common/cpus.h"
#include "common/log.h"
#include "record/tails.h"
#include "record/workers.h"

#define THREADS_MAX 8u
/*
 * One thread unwinds what 64 CPUs sample at 1 kHz; with more of both it should
 * still be a small part of them.
 */
#define CPUS_PER_THREAD 4u
/* What is unwound together, and from how many on threads are woken for it. */
#define SAMPLES_MAX 1024u
#define SAMPLES_SHARED 32u

/* A sample, and what became of it. */
struct unwound_sample {
	const struct block_info *info;
	const uint8_t *record;
	uint32_t place, share;
	size_t at, size; /* in what the share has written */
	struct choices_seen seen;
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
	struct workers *workers;
	size_t tid; /* where samples have it */
	struct unwound_sample samples[SAMPLES_MAX];
	size_t n_samples;
	/* Of the batch, by tails_place(): how many samples are of it, and whose. */
	struct {
		uint32_t n, share;
	} places[TAILS_PLACES];
	size_t n_shares;
	struct share shares[];
};

static size_t count_threads(size_t wanted)
{
	size_t n = wanted ? wanted : cpus_usable() / CPUS_PER_THREAD;

	return MAX(MIN(n, (size_t)THREADS_MAX), (size_t)1);
}

/* What is written may be longer than what was read: the room grows, at first. */
static uint8_t *make_room(struct share *share)
{
	if (share->room - share->n < RECORD_SIZE_ALIGNED) {
		share->room = 2 * share->room + RECORD_SIZE_ALIGNED;
		share->out = xrealloc(share->out, share->room);
	}
	return share->out + share->n;
}

static void unwind_share(void *data, size_t number)
{
	struct batch *batch = data;
	struct share *share = &batch->shares[number];
	size_t i;

	share->n = 0;
	for (i = 0; i < batch->n_samples; i++) {
		struct unwound_sample *sample = &batch->samples[i];

		if (sample->share != number)
			continue;
		sample->at = share->n;
		sample->size = unwinding_take(share->unwinding, sample->record,
			make_room(share), &sample->seen);
		share->n += sample->size;
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
 * A place that comes for the first time goes with all of its samples: to whom it
 * was last, who has its rules in the cache, or to who has a quarter of a fair
 * share less to do.
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
	const struct batch_taker *taker)
{
	if (sample->seen.path)
		choices_see(&batch->choices, &sample->seen);
	taker->put(taker->data, sample->info,
		batch->shares[sample->share].out + sample->at, sample->size);
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
	for (i = 0; i < batch->n_samples; i++)
		give(batch, &batch->samples[i], taker);
	batch->n_samples = 0;
}

static void add(struct batch *batch, const struct block_info *info,
	const struct record *record)
{
	struct unwound_sample *sample = &batch->samples[batch->n_samples++];
	uint32_t tid = 0;

	if (record->size >= batch->tid + sizeof(tid))
		memcpy(&tid, record->data + batch->tid, sizeof(tid));
	*sample = (struct unwound_sample){
		.info = info,
		.record = record->data,
		.place = tails_place(tid),
	};
	batch->places[sample->place].n++;
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
			add(batch, info, &record);
			if (batch->n_samples == SAMPLES_MAX)
				unwind_all(batch, taker);
		}
	}
	unwind_all(batch, taker);
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
	struct stacks sum = { 0 };
	size_t i;

	for (i = 0; i < batch->n_shares; i++)
		stacks_add(&sum,
			unwinding_stacks(batch->shares[i].unwinding));
	return sum;
}
