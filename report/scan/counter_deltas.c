/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/counter_deltas.h"

struct delta {
	uint64_t id, last;
	uint32_t tid; /* 0: the counter counts all threads */
	uint32_t event;
};

bool deltas_are_needed(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type &
			PERF_SAMPLE_READ)
			return true;
	return false;
}

/*
 * Returns the index in deltas->counters of the counter with ID of thread TID;
 * HASH_NONE: not seen yet.
 */
static uint32_t find_counter(
	const struct deltas *deltas, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_words(id, tid);

	hash_each_match(&deltas->index, hash, i)
		if (deltas->counters.at[i].id == id &&
			deltas->counters.at[i].tid == tid)
			return i;
	return HASH_NONE;
}

static struct delta *add_counter_delta(
	struct deltas *deltas, uint64_t id, uint32_t tid, uint32_t event)
{
	struct delta *new;

	hash_insert(&deltas->index, hash_words(id, tid),
		(uint32_t)deltas->counters.n);
	new = array_push(&deltas->counters);
	new->id = id;
	new->tid = tid;
	new->event = event;
	return new;
}

void deltas_init(struct deltas *deltas, const struct reader *reader)
{
	size_t i;

	*deltas = (struct deltas){ .reader = reader };
	for (i = 0; i < reader_n_events(reader); i++)
		array_each(&reader_event(reader, i)->ids, id)
			if (find_counter(deltas, *id, 0) == HASH_NONE)
				add_counter_delta(deltas, *id, 0, (uint32_t)i);
}

void deltas_deinit(struct deltas *deltas)
{
	array_free(&deltas->counters);
	hash_free(&deltas->index);
}

/*
 * Returns the counter ID of SAMPLE's thread, or NULL if ID is not known.
 * Inherited counters have one ID and a value for each thread.
 */
static struct delta *intern_counter(
	struct deltas *deltas, const struct sample *sample, uint64_t id)
{
	uint32_t known = find_counter(deltas, id, 0), event, own;

	if (known == HASH_NONE)
		return NULL;
	event = deltas->counters.at[known].event;
	if (!reader_event(deltas->reader, event)->attr.inherit || !sample->tid)
		return &deltas->counters.at[known];
	own = find_counter(deltas, id, sample->tid);
	return own == HASH_NONE
		? add_counter_delta(deltas, id, sample->tid, event)
		: &deltas->counters.at[own];
}

/*
 * Returns the increase of SAMPLE's counter value number I, and sets *EVENT to
 * its event; 0: no increase, or the counter ID is not known.
 */
static uint64_t take_counter_delta(struct deltas *deltas,
	const struct sample *sample, uint64_t i, uint32_t *event)
{
	const struct sample_counts *counts = &sample->counts;
	struct sample_count count = sample_count_at(counts, i);
	struct delta *counter = intern_counter(
		deltas, sample, counts->has_id ? count.id : sample->id);
	uint64_t period;

	if (!counter && !counts->has_id && counts->n == 1)
		counter = add_counter_delta(deltas, sample->id, 0, *event);
	if (!counter)
		return 0;
	period = count.value - counter->last;
	counter->last = count.value;
	*event = counter->event;
	return period;
}

bool deltas_next(struct deltas *deltas, struct sample *sample, uint64_t *i,
	uint32_t *event)
{
	if (!sample->counts.n)
		return !(*i)++;
	while (*i < sample->counts.n) {
		sample->period =
			take_counter_delta(deltas, sample, (*i)++, event);
		if (sample->period)
			return true;
	}
	return false;
}
