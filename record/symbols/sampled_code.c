/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/sampled_code.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"

/* Entries of the caches that stand before the tables; powers of two. */
#define PLACES_CACHED 16384u
#define CHAINS_CACHED 4096u
#define THREADS_CACHED 256u
#define NO_DSO UINT32_MAX
/* A file that is mapped as data may have any number of places. */
#define DATA_PLACES_MAX 100000u

struct cached_place {
	uint64_t ip;
	uint32_t space, dso;
};

struct cached_thread {
	uint32_t pid, tid, space;
	uint32_t generation; /* of the maps when it was looked up */
	uint64_t valid_from, valid_until;
};

struct hits {
	struct hits_event *events;
	size_t n_events;
	struct replay replay;
	ARRAY(struct hit) places;
	struct hash_index by_place;
	ARRAY(uint64_t) samples; /* by DSO */
	size_t n_data;           /* places that are no code */
	struct cached_place cached_places[PLACES_CACHED];
	uint64_t cached_chains[CHAINS_CACHED]; /* hashes of what was seen */
	struct cached_thread cached_threads[THREADS_CACHED];
};

struct hits *hits_create(const struct hits_event *events, size_t n_events)
{
	struct hits *hits = xcalloc(1, sizeof(*hits));

	hits->events = xmemdup(events, n_events * sizeof(*events));
	hits->n_events = n_events;
	replay_init(&hits->replay);
	return hits;
}

static void forget(struct hits *hits)
{
	replay_deinit(&hits->replay);
	array_free(&hits->places);
	array_free(&hits->samples);
	hash_free(&hits->by_place);
}

/* From the start: threads that it isn't told of could end unseen. */
void hits_want_data(struct hits *hits)
{
	hits->replay.told.data = maps_create();
}

void hits_restart(struct hits *hits)
{
	bool wants_data = hits->replay.told.data;
	struct hits_event *events = hits->events;
	size_t n_events = hits->n_events;

	forget(hits);
	memset(hits, 0, sizeof(*hits));
	hits->events = events;
	hits->n_events = n_events;
	replay_init(&hits->replay);
	if (wants_data)
		hits_want_data(hits);
}

void hits_destroy(struct hits *hits)
{
	if (!hits)
		return;
	forget(hits);
	free(hits->events);
	free(hits);
}

void hits_add_sideband(
	struct hits *hits, const uint8_t *records, size_t size, uint64_t until)
{
	const struct sample_layout *layout = &hits_sideband(hits)->layout;

	replay_add(&hits->replay, layout, records, size);
	if (!replay_until(&hits->replay, until))
		return;
	/* Spaces have other numbers now. */
	memset(hits->cached_places, 0, sizeof(hits->cached_places));
	memset(hits->cached_chains, 0, sizeof(hits->cached_chains));
}

static bool is_known(struct hits *hits, uint64_t hash, const struct hit *hit)
{
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&hits->by_place, hash, &probe)) != HASH_NONE)
		if (hits->places.at[i].dso == hit->dso &&
			hits->places.at[i].place == hit->place)
			return true;
	return false;
}

/* Remembers HIT; false if it was known. */
static bool add_place(struct hits *hits, const struct hit *hit)
{
	uint64_t hash = hash_words(hit->place, hit->dso);

	if (is_known(hits, hash, hit))
		return false;
	hash_insert(&hits->by_place, hash, (uint32_t)hits->places.n);
	*array_push(&hits->places) = *hit;
	return true;
}

/* Looks IP up in SPACE and remembers the place; NO_DSO if nothing is there. */
static uint32_t resolve(struct hits *hits, uint32_t space, uint64_t ip)
{
	const struct mapping *mapping = maps_find(hits->replay.maps, space, ip);
	struct hit hit;

	if (!mapping)
		return NO_DSO;
	hit.dso = mapping->dso;
	hit.place = space == MAPS_KERNEL
		? ip
		: ip - mapping->start + mapping->offset;
	add_place(hits, &hit);
	while (hits->samples.n <= hit.dso)
		array_push(&hits->samples);
	return hit.dso;
}

static uint32_t see(struct hits *hits, uint32_t space, uint64_t ip)
{
	struct cached_place *cached = &hits->cached_places[
		(ip ^ ip >> 14 ^ space * 0x9e3779b1u) & (PLACES_CACHED - 1)];

	if (cached->ip != ip || cached->space != space) {
		uint32_t dso = resolve(hits, space, ip);

		/* What isn't mapped now may be later, in the same space. */
		if (dso == NO_DSO)
			return NO_DSO;
		*cached = (struct cached_place){ ip, space, dso };
	}
	return cached->dso;
}

static uint32_t space_of(struct hits *hits, const struct sample *sample)
{
	struct cached_thread *cached =
		&hits->cached_threads[sample->tid & (THREADS_CACHED - 1)];
	struct maps_context context;

	if (cached->tid == sample->tid && cached->pid == sample->pid &&
		cached->generation == hits->replay.generation &&
		sample->time >= cached->valid_from &&
		sample->time < cached->valid_until)
		return cached->space;
	context = maps_context(
		hits->replay.maps, sample->pid, sample->tid, sample->time);
	*cached = (struct cached_thread){
		.pid = sample->pid,
		.tid = sample->tid,
		.space = context.space,
		.generation = hits->replay.generation,
		.valid_from = context.valid_from,
		.valid_until = context.valid_until,
	};
	return context.space;
}

static uint32_t space_of_mode(uint8_t cpumode, uint32_t user_space)
{
	if (cpumode == MISC_USER)
		return user_space;
	return cpumode == MISC_KERNEL ? MAPS_KERNEL : MAPS_NO_SPACE;
}

static uint32_t space_of_marker(uint64_t marker, uint32_t user_space)
{
	switch (marker) {
	case (uint64_t)PERF_CONTEXT_KERNEL:
		return MAPS_KERNEL;
	case (uint64_t)PERF_CONTEXT_USER:
		return user_space;
	default:
		return MAPS_NO_SPACE;
	}
}

/* Four sums side by side: one multiplication needn't wait for the last. */
static uint64_t hash_chain(const struct sample *sample, uint32_t space)
{
	uint64_t lanes[4] = { space, sample->n_chain, 1, 2 }, i;

	for (i = 0; i + 4 <= sample->n_chain; i += 4) {
		lanes[0] = hash_words(lanes[0], sample_chain_entry(sample, i));
		lanes[1] = hash_words(
			lanes[1], sample_chain_entry(sample, i + 1));
		lanes[2] = hash_words(
			lanes[2], sample_chain_entry(sample, i + 2));
		lanes[3] = hash_words(
			lanes[3], sample_chain_entry(sample, i + 3));
	}
	for (; i < sample->n_chain; i++)
		lanes[0] = hash_words(lanes[0], sample_chain_entry(sample, i));
	return hash_words(hash_words(lanes[0], lanes[1]),
		hash_words(lanes[2], lanes[3]));
}

/* False if some of its code isn't mapped now: it may be later. */
static bool see_chain(struct hits *hits, const struct sample *sample,
	uint32_t space, uint32_t user)
{
	bool is_known = true;
	uint64_t i;

	for (i = 0; i < sample->n_chain; i++) {
		uint64_t ip = sample_chain_entry(sample, i);

		if (ip >= ABI_CONTEXT_FIRST)
			space = space_of_marker(ip, user);
		else if (see(hits, space, ip) == NO_DSO)
			is_known = false;
	}
	return is_known;
}

static bool is_kernels(uint64_t address)
{
	return address >> 63;
}

/* Where they came from and went to, which needn't be where the sample was. */
static void see_branches(
	struct hits *hits, const struct sample *sample, uint32_t user)
{
	uint64_t i;

	for (i = 0; i < sample->n_branches; i++) {
		uint64_t from = sample_entry_at(sample->branches, 3 * i);
		uint64_t to = sample_entry_at(sample->branches, 3 * i + 1);

		see(hits, is_kernels(from) ? MAPS_KERNEL : user, from);
		see(hits, is_kernels(to) ? MAPS_KERNEL : user, to);
	}
}

/* Data is looked up where mappings of data are; constants are with the code. */
static void see_data(
	struct hits *hits, const struct sample *sample, uint32_t user)
{
	struct maps *data = hits->replay.told.data;
	const struct mapping *mapping;
	struct maps_context context;
	const struct dso *dso;
	struct hit hit;

	if (see(hits, is_kernels(sample->addr) ? MAPS_KERNEL : user,
		    sample->addr) != NO_DSO ||
		!data || hits->n_data >= DATA_PLACES_MAX)
		return;
	context = maps_context(data, sample->pid, sample->tid, sample->time);
	mapping = maps_find(data, context.space, sample->addr);
	if (!mapping)
		return;
	dso = maps_dso(data, mapping->dso);
	if (dso->is_data)
		return;
	hit.dso = maps_add_dso(hits->replay.maps, dso);
	hit.place = sample->addr - mapping->start + mapping->offset;
	hits->n_data += add_place(hits, &hit);
}

static void add_sample(struct hits *hits, const struct sample *sample)
{
	uint32_t user = space_of(hits, sample), dso;
	uint32_t space = space_of_mode(sample->cpumode, user);
	uint64_t hash, *cached;

	dso = see(hits, space, sample->ip);
	if (dso != NO_DSO)
		hits->samples.at[dso]++;
	if (sample->addr)
		see_data(hits, sample, user);
	see_branches(hits, sample, user);
	if (!sample->n_chain)
		return;
	hash = hash_chain(sample, user);
	cached = &hits->cached_chains[hash & (CHAINS_CACHED - 1)];
	if (*cached != hash && see_chain(hits, sample, space, user))
		*cached = hash;
}

const struct sample_layout *hits_layout(
	const struct hits *hits, const struct record *record)
{
	uint64_t id;
	size_t i;

	if (sample_peek_id(&hits->events[0].layout, record, &id))
		for (i = 0; i + 1 < hits->n_events; i++)
			if (hits->events[i].id == id)
				return &hits->events[i].layout;
	return &hits->events[0].layout;
}

void hits_add_samples(struct hits *hits, const uint8_t *records, size_t size)
{
	struct sample sample;
	struct record record;
	size_t at = 0;

	while (record_at(records + at, size - at, false, &record)) {
		at += record.size;
		if (sample_read(hits_layout(hits, &record), &record, &sample))
			add_sample(hits, &sample);
	}
}

const struct hits_event *hits_sideband(const struct hits *hits)
{
	return &hits->events[hits->n_events - 1];
}

const struct replay *hits_replay(const struct hits *hits)
{
	return &hits->replay;
}

const struct maps *hits_maps(const struct hits *hits)
{
	return hits->replay.maps;
}

static int compare_hits(const void *a, const void *b)
{
	const struct hit *left = a, *right = b;

	if (left->dso != right->dso)
		return COMPARE(left->dso, right->dso);
	return COMPARE(left->place, right->place);
}

const struct hit *hits_sorted(struct hits *hits, size_t *n_ret)
{
	/* Sorting moves what the index points at. */
	hash_free(&hits->by_place);
	array_sort(&hits->places, compare_hits);
	*n_ret = hits->places.n;
	return hits->places.at;
}

uint64_t hits_samples(const struct hits *hits, uint32_t dso)
{
	return dso < hits->samples.n ? hits->samples.at[dso] : 0;
}
