/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/counter_deltas.h"

struct counter_delta {
	uint64_t id, last;
	struct thread_ids thread; /* zeroed: the counter counts all threads */
	uint32_t event;
};

static const struct thread_ids all_threads;

bool counter_deltas_are_needed(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type &
			PERF_SAMPLE_READ)
			return true;
	return false;
}

static uint64_t hash_counter(uint64_t id, const struct thread_ids *thread)
{
	return hash_words(id, thread_ids_hash(thread));
}

/*
 * Returns the index in deltas->counters of the counter with ID of THREAD;
 * HASH_NONE: not seen yet.
 */
static uint32_t find_counter(const struct counter_deltas *deltas, uint64_t id,
	const struct thread_ids *thread)
{
	uint64_t hash = hash_counter(id, thread);

	hash_each_match(&deltas->index, hash, i)
		if (deltas->counters.at[i].id == id &&
			!thread_ids_compare(
				&deltas->counters.at[i].thread, thread))
			return i;
	return HASH_NONE;
}

static struct counter_delta *add_counter_delta(struct counter_deltas *deltas,
	uint64_t id, const struct thread_ids *thread, uint32_t event)
{
	struct counter_delta *new;

	hash_insert(&deltas->index, hash_counter(id, thread),
		(uint32_t)deltas->counters.n);
	new = array_push(&deltas->counters);
	new->id = id;
	new->thread = *thread;
	new->event = event;
	return new;
}

void counter_deltas_init(
	struct counter_deltas *deltas, const struct reader *reader)
{
	size_t i;

	*deltas = (struct counter_deltas){ .reader = reader };
	for (i = 0; i < reader_n_events(reader); i++)
		array_each(&reader_event(reader, i)->ids, id)
			if (find_counter(deltas, *id, &all_threads) ==
				HASH_NONE)
				add_counter_delta(
					deltas, *id, &all_threads, (uint32_t)i);
}

void counter_deltas_deinit(struct counter_deltas *deltas)
{
	array_free(&deltas->counters);
	hash_free(&deltas->index);
}

/*
 * Returns the counter ID of THREAD, or NULL if ID is not known. Inherited
 * counters have one ID and a value for each thread (since Linux 6.13).
 */
static struct counter_delta *intern_counter(struct counter_deltas *deltas,
	uint64_t id, const struct thread_ids *thread)
{
	uint32_t known = find_counter(deltas, id, &all_threads), event, own;

	if (known == HASH_NONE)
		return NULL;
	event = deltas->counters.at[known].event;
	if (!reader_event(deltas->reader, event)->attr.inherit || !thread->tid)
		return &deltas->counters.at[known];
	own = find_counter(deltas, id, thread);
	return own == HASH_NONE ? add_counter_delta(deltas, id, thread, event)
				: &deltas->counters.at[own];
}

/*
 * Returns the increase of the counter value number I of SAMPLE, which is of
 * THREAD, and sets *EVENT to its event; 0: no increase, or the counter ID is
 * not known.
 */
static uint64_t take_counter_delta(struct counter_deltas *deltas,
	const struct sample *sample, const struct thread_ids *thread,
	uint64_t i, uint32_t *event)
{
	const struct sample_counts *counts = &sample->counts;
	struct sample_count count = sample_count_at(counts, i);
	struct counter_delta *counter = intern_counter(
		deltas, counts->has_id ? count.id : sample->id, thread);
	uint64_t period;

	if (!counter && !counts->has_id && counts->n == 1)
		counter = add_counter_delta(
			deltas, sample->id, &all_threads, *event);
	if (!counter)
		return 0;
	/* A lower value is that of a counter that began again at 0. */
	period = count.value < counter->last ? count.value
					     : count.value - counter->last;
	counter->last = count.value;
	*event = counter->event;
	return period;
}

bool counter_deltas_next(struct counter_deltas *deltas, struct sample *sample,
	const struct maps_context *at, uint64_t *i, uint32_t *event)
{
	const struct thread_ids thread = thread_ids_of(sample, at);

	if (!sample->counts.n)
		return !(*i)++;
	while (*i < sample->counts.n) {
		sample->period = take_counter_delta(
			deltas, sample, &thread, (*i)++, event);
		if (sample->period)
			return true;
	}
	return false;
}
