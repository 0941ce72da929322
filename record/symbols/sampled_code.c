/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/sampled_code.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "record/symbols/code_samples.h"

/* Sizes of the caches of places, call chains and threads; powers of two. */
#define PLACES_CACHED 16384u
#define CHAINS_CACHED 4096u
#define THREADS_CACHED 256u
/* Maximum number of places in data, not code. */
#define DATA_PLACES_MAX 100000u

struct cached_place {
	uint64_t ip;
	uint32_t space, dso;
};

struct sampled_thread {
	uint32_t pid, tid, space;
	uint32_t generation; /* .generation of the sideband at the lookup */
	uint64_t valid_from, valid_until;
};

/* See sampled_code_on_unmapped(). */
struct unmapped_hook {
	void (*call)(void *data, uint32_t pid, uint64_t address, uint64_t time);
	void *data;
};

struct sampled_code {
	struct sampled_event *events;
	size_t n_events;
	struct unmapped_hook on_unmapped; /* .call NULL: none */
	struct sideband_order sideband;
	ARRAY(struct hit) places;
	struct hash_index by_place;
	ARRAY(uint64_t) samples; /* number of samples, by DSO */
	struct cut_chains cut_chains;
	struct code_samples code_samples;
	struct unnamed_code unnamed;
	struct removed_events removed; /* of all files */
	size_t n_data;		       /* number of places in data */
	struct cached_place cached_places[PLACES_CACHED];
	uint64_t cached_chains[CHAINS_CACHED]; /* hashes of call chains that
						  were added */
	struct sampled_thread cached_threads[THREADS_CACHED];
};

struct sampled_code *sampled_code_create(
	const struct sampled_event *events, size_t n_events)
{
	struct sampled_code *sampled = xcalloc(1, sizeof(*sampled));

	sampled->events = xmemdup(events, n_events * sizeof(*events));
	sampled->n_events = n_events;
	sideband_order_init(&sampled->sideband);
	return sampled;
}

static void free_sampled_places(struct sampled_code *sampled)
{
	sideband_order_deinit(&sampled->sideband);
	array_free(&sampled->places);
	array_free(&sampled->samples);
	cut_chains_deinit(&sampled->cut_chains);
	code_samples_deinit(&sampled->code_samples);
	unnamed_code_deinit(&sampled->unnamed);
	hash_free(&sampled->by_place);
}

/* Must be called first: otherwise the data maps miss the EXIT records. */
void sampled_code_track_data(struct sampled_code *sampled)
{
	sampled->sideband.state.data = maps_create();
}

void sampled_code_watch_removals(struct sampled_code *sampled)
{
	sampled->sideband.removed = &sampled->removed;
}

void sampled_code_on_unmapped(struct sampled_code *sampled,
	void (*on_unmapped)(
		void *data, uint32_t pid, uint64_t address, uint64_t time),
	void *data)
{
	sampled->on_unmapped = (struct unmapped_hook){ on_unmapped, data };
}

void sampled_code_restart(struct sampled_code *sampled)
{
	bool wants_data = sampled->sideband.state.data;
	struct removed_events *watched = sampled->sideband.removed;
	struct removed_events removed = sampled->removed;
	struct unmapped_hook on_unmapped = sampled->on_unmapped;
	struct sampled_event *events = sampled->events;
	size_t n_events = sampled->n_events;

	free_sampled_places(sampled);
	memset(sampled, 0, sizeof(*sampled));
	sampled->events = events;
	sampled->n_events = n_events;
	sampled->on_unmapped = on_unmapped;
	sampled->removed = removed;
	sideband_order_init(&sampled->sideband);
	sampled->sideband.removed = watched;
	if (wants_data)
		sampled_code_track_data(sampled);
}

void sampled_code_destroy(struct sampled_code *sampled)
{
	if (!sampled)
		return;
	free_sampled_places(sampled);
	removed_events_deinit(&sampled->removed);
	free(sampled->events);
	free(sampled);
}

void sampled_code_add_sideband(struct sampled_code *sampled,
	const uint8_t *records, size_t size, uint64_t until)
{
	const struct sample_layout *layout =
		&sampled_code_sideband_event(sampled)->layout;

	sideband_order_add(&sampled->sideband, layout, records, size);
	if (!sideband_order_advance(&sampled->sideband, until))
		return;
	/*
	 * The address spaces are renumbered: empty the caches that use numbers.
	 */
	memset(sampled->cached_places, 0, sizeof(sampled->cached_places));
	memset(sampled->cached_chains, 0, sizeof(sampled->cached_chains));
}

/* Adds the place HIT. Returns false if the place was added before. */
static bool add_sampled_place(
	struct sampled_code *sampled, const struct hit *hit)
{
	uint64_t hash = hash_words(hit->place, hit->dso);

	hash_each_match(&sampled->by_place, hash, i)
		if (sampled->places.at[i].dso == hit->dso &&
			sampled->places.at[i].place == hit->place)
			return false;
	hash_insert(&sampled->by_place, hash, (uint32_t)sampled->places.n);
	*array_push(&sampled->places) = *hit;
	return true;
}

/*
 * Adds the place of IP in SPACE. Returns the DSO number of the place, or CODE_NO_DSO
 * if nothing is mapped at IP.
 */
static uint32_t add_address(
	struct sampled_code *sampled, uint32_t space, uint64_t ip)
{
	struct cached_place *cached =
		&sampled->cached_places[(ip ^ ip >> 14 ^ space * 0x9e3779b1u) &
			(PLACES_CACHED - 1)];

	const struct mapping *mapping;
	struct hit hit;

	if (cached->ip == ip && cached->space == space)
		return cached->dso;
	mapping = maps_find(sampled->sideband.maps, space, ip);
	/* Not cached, because code can be mapped at IP later. */
	if (!mapping)
		return CODE_NO_DSO;
	hit.dso = mapping->dso;
	hit.place = space == MAPS_KERNEL
		? ip
		: ip - mapping->start + mapping->offset;
	add_sampled_place(sampled, &hit);
	while (sampled->samples.n <= hit.dso)
		array_push(&sampled->samples);
	*cached = (struct cached_place){ ip, space, hit.dso };
	return hit.dso;
}

static uint32_t address_space_of(
	struct sampled_code *sampled, const struct sample *sample)
{
	struct sampled_thread *cached =
		&sampled->cached_threads[sample->tid & (THREADS_CACHED - 1)];
	struct maps_context context;

	if (cached->tid == sample->tid && cached->pid == sample->pid &&
		cached->generation == sampled->sideband.generation &&
		sample->time >= cached->valid_from &&
		sample->time < cached->valid_until)
		return cached->space;
	context = maps_context(
		sampled->sideband.maps, sample->pid, sample->tid, sample->time);
	*cached = (struct sampled_thread){
		.pid = sample->pid,
		.tid = sample->tid,
		.space = context.space,
		.generation = sampled->sideband.generation,
		.valid_from = context.valid_from,
		.valid_until = context.valid_until,
	};
	return context.space;
}

/*
 * Adds the call chain of SAMPLE. Returns false if nothing is mapped at some
 * address, where code can be mapped later.
 */
static bool add_chain_addresses(struct sampled_code *sampled,
	const struct sample *sample, uint32_t space, uint32_t user)
{
	bool is_known = true;
	uint64_t i;

	for (i = 0; i < sample->n_chain; i++) {
		uint64_t ip = sample_chain_entry(sample, i);

		if (ip >= ABI_CONTEXT_FIRST)
			space = ip == (uint64_t)PERF_CONTEXT_KERNEL
				? MAPS_KERNEL
				: ip == (uint64_t)PERF_CONTEXT_USER
				? user
				: MAPS_NO_SPACE;
		else if (add_address(sampled, space, ip) == CODE_NO_DSO)
			is_known = false;
	}
	return is_known;
}

static bool is_kernel_address(uint64_t address)
{
	return address >> 63;
}

/*
 * Adds the place of the data address of SAMPLE, by the mappings of code, which
 * contain constants, or else by the mappings of data.
 */
static void add_data_address(struct sampled_code *sampled,
	const struct sample *sample, uint32_t user)
{
	struct maps *data = sampled->sideband.state.data;
	const struct mapping *mapping;
	struct maps_context context;
	const struct dso *dso;
	struct hit hit;

	if (add_address(sampled,
		    is_kernel_address(sample->addr) ? MAPS_KERNEL : user,
		    sample->addr) != CODE_NO_DSO ||
		!data || sampled->n_data >= DATA_PLACES_MAX)
		return;
	context = maps_context(data, sample->pid, sample->tid, sample->time);
	mapping = maps_find(data, context.space, sample->addr);
	if (!mapping)
		return;
	dso = maps_dso(data, mapping->dso);
	if (dso->is_data)
		return;
	hit.dso = maps_add_dso(sampled->sideband.maps, dso);
	hit.place = sample->addr - mapping->start + mapping->offset;
	sampled->n_data += add_sampled_place(sampled, &hit);
}

static void add_sampled_addresses(
	struct sampled_code *sampled, const struct sample *sample)
{
	uint32_t user = address_space_of(sampled, sample), dso;
	uint32_t space = sample->cpumode == MISC_USER ? user
		: sample->cpumode == MISC_KERNEL      ? MAPS_KERNEL
						      : MAPS_NO_SPACE;
	uint64_t hash, *cached, i;

	dso = add_address(sampled, space, sample->ip);
	if (dso != CODE_NO_DSO)
		sampled->samples.at[dso]++;
	else if (sample->cpumode == MISC_USER && sampled->on_unmapped.call &&
		!is_kernel_address(sample->ip))
		sampled->on_unmapped.call(sampled->on_unmapped.data,
			sample->pid, sample->ip, sample->time);
	code_samples_add(&sampled->code_samples, sampled->sideband.maps, sample,
		user, dso);
	if (sample->addr)
		add_data_address(sampled, sample, user);
	/* A branch can lead to another space (user or kernel). */
	for (i = 0; i < sample->n_branches; i++) {
		uint64_t from = sample_entry_at(sample->branches, 3 * i);
		uint64_t to = sample_entry_at(sample->branches, 3 * i + 1);

		add_address(sampled,
			is_kernel_address(from) ? MAPS_KERNEL : user, from);
		add_address(sampled, is_kernel_address(to) ? MAPS_KERNEL : user,
			to);
	}
	if (!sample->n_chain)
		return;
	cut_chains_add(
		&sampled->cut_chains, sampled->sideband.maps, sample, user);
	/*
	 * Hash in four independent lanes, so that the multiplications need
	 * not wait for each other.
	 */
	uint64_t lanes[4] = { user, sample->n_chain, 1, 2 };

	for (i = 0; i + 4 <= sample->n_chain; i += 4) {
		lanes[0] = hash_words(lanes[0], sample_chain_entry(sample, i));
		lanes[1] =
			hash_words(lanes[1], sample_chain_entry(sample, i + 1));
		lanes[2] =
			hash_words(lanes[2], sample_chain_entry(sample, i + 2));
		lanes[3] =
			hash_words(lanes[3], sample_chain_entry(sample, i + 3));
	}
	for (; i < sample->n_chain; i++)
		lanes[0] = hash_words(lanes[0], sample_chain_entry(sample, i));
	hash = hash_words(
		hash_words(lanes[0], lanes[1]), hash_words(lanes[2], lanes[3]));
	cached = &sampled->cached_chains[hash & (CHAINS_CACHED - 1)];
	if (*cached != hash &&
		add_chain_addresses(sampled, sample, space, user))
		*cached = hash;
}

const struct sample_layout *sampled_code_layout(
	const struct sampled_code *sampled, const struct record *record)
{
	uint64_t id;
	size_t i;

	if (sample_peek_id(&sampled->events[0].layout, record, &id))
		for (i = 0; i + 1 < sampled->n_events; i++)
			if (sampled->events[i].id == id)
				return &sampled->events[i].layout;
	return &sampled->events[0].layout;
}

void sampled_code_add_samples(
	struct sampled_code *sampled, const uint8_t *records, size_t size)
{
	struct sample sample;
	struct record record;
	size_t at = 0;

	while (record_at(records + at, size - at, false, &record)) {
		at += record.size;
		if (sample_read(sampled_code_layout(sampled, &record), &record,
			    &sample))
			add_sampled_addresses(sampled, &sample);
	}
}

const struct sampled_event *sampled_code_sideband_event(
	const struct sampled_code *sampled)
{
	return &sampled->events[sampled->n_events - 1];
}

const struct sideband_order *sampled_code_sideband(
	const struct sampled_code *sampled)
{
	return &sampled->sideband;
}

const struct maps *sampled_code_maps(const struct sampled_code *sampled)
{
	return sampled->sideband.maps;
}

static int compare_sampled_places(const void *a, const void *b)
{
	const struct hit *left = a, *right = b;

	if (left->dso != right->dso)
		return COMPARE(left->dso, right->dso);
	return COMPARE(left->place, right->place);
}

const struct hit *sampled_code_sorted(
	struct sampled_code *sampled, size_t *n_ret)
{
	/* The indexes in .by_place are invalid after sorting. */
	hash_free(&sampled->by_place);
	array_sort(&sampled->places, compare_sampled_places);
	*n_ret = sampled->places.n;
	return sampled->places.at;
}

uint64_t sampled_code_samples(const struct sampled_code *sampled, uint32_t dso)
{
	return dso < sampled->samples.n ? sampled->samples.at[dso] : 0;
}

const struct cut_chains *sampled_code_cut_chains(
	const struct sampled_code *sampled)
{
	return &sampled->cut_chains;
}

void sampled_code_find_unnamed(struct sampled_code *sampled,
	const struct jit_section *jit, bool reads_runtimes)
{
	unnamed_code_deinit(&sampled->unnamed);
	unnamed_code_find(&sampled->unnamed, &sampled->code_samples,
		sampled->sideband.maps, jit, reads_runtimes);
}

const struct removed_events *sampled_code_removed(
	const struct sampled_code *sampled)
{
	return &sampled->removed;
}

const struct unnamed_code *sampled_code_unnamed(
	const struct sampled_code *sampled)
{
	return &sampled->unnamed;
}
