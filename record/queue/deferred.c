/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/queue/deferred.h"

#include "common/perf/userchain.h"
#include "common/util/alloc.h"
#include "record/event/kernel_features.h"
#include "record/sys/bounded_store.h"

/* A second of samples at 4000 Hz on four CPUs, of some 256 bytes each. */
#define SAMPLES_MAX 16384
#define SAMPLES_BYTES MIB(4)
/* A round may take all sideband rings before the first sample: twice that. */
#define CHAINS_PER_CPU 2048
#define CHAINS_BYTES_PER_CPU KIB(256)
#define CPUS_FULL 64

struct deferred {
	struct shelf *samples; /* extra: where the chain's count stands */
	struct shelf *chains;  /* addresses, u64 each */
	void (*put)(void *data, const struct perf_event_header *sample);
	void *data;
	uint64_t unjoined;
	uint64_t joined[RECORD_SIZE_ALIGNED / sizeof(uint64_t)]; /* a record */
};

void deferred_ask(struct selection *selection, struct perf_event_attr *sideband)
{
	array_each (&selection->events, event) {
		/* Who leaves its CPU may not return to user space for long. */
		if (event->is_switch || !(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) ||
			event->attr.exclude_callchain_user ||
			event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			continue;
		offer_set_flag(&event->attr, ABI_FLAG_DEFER_CALLCHAIN);
		offer_set_flag(sideband, ABI_FLAG_DEFER_OUTPUT);
	}
}

bool deferred_is_on(const struct perf_event_attr *sideband)
{
	return offer_flag_is_set(sideband, ABI_FLAG_DEFER_OUTPUT);
}

void deferred_hide(struct perf_event_attr *attr)
{
	offer_clear_flag(attr, ABI_FLAG_DEFER_CALLCHAIN);
	offer_clear_flag(attr, ABI_FLAG_DEFER_OUTPUT);
}

/* SAMPLE with CHAIN's addresses, or without any, in place of the mark. */
static void put_joined(struct deferred *deferred,
	const struct shelf_item *sample, const struct shelf_item *chain)
{
	uint8_t *out = (uint8_t *)deferred->joined;
	struct userchain entries = { 0 };

	if (chain)
		entries = (struct userchain){ chain->key.cookie,
			chain->size / sizeof(uint64_t), chain->data };
	userchain_join(sample->data, sample->size, sample->extra, &entries,
		out);
	deferred->put(deferred->data, (const struct perf_event_header *)out);
}

static void put_unjoined(void *data, const struct shelf_item *sample)
{
	struct deferred *deferred = data;

	deferred->unjoined++;
	put_joined(deferred, sample, NULL);
}

struct deferred *deferred_create(size_t n_cpus,
	void (*put)(void *data, const struct perf_event_header *sample),
	void *data)
{
	struct deferred *deferred = xcalloc(1, sizeof(*deferred));
	size_t n = MIN(MAX(n_cpus, (size_t)4), (size_t)CPUS_FULL);

	deferred->put = put;
	deferred->data = data;
	deferred->samples = shelf_create(
		SAMPLES_MAX, SAMPLES_BYTES, put_unjoined, deferred);
	deferred->chains = shelf_create(
		n * CHAINS_PER_CPU, n * CHAINS_BYTES_PER_CPU, NULL, NULL);
	return deferred;
}

void deferred_destroy(struct deferred *deferred)
{
	if (!deferred)
		return;
	shelf_destroy(deferred->samples);
	shelf_destroy(deferred->chains);
	free(deferred);
}

bool deferred_take_sample(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	struct record record = { header->type, header->misc, header->size, raw,
		false };
	struct shelf_item item = { .data = raw, .size = header->size }, chain;
	struct sample sample;

	if (!sample_read(layout, &record, &sample) ||
		!userchain_is_awaited(&sample))
		return false;
	item.key.tid = sample.tid;
	item.key.cookie = sample_chain_entry(&sample, sample.n_chain - 1);
	item.extra = (uint32_t)(sample.chain - raw - sizeof(uint64_t));
	if (shelf_find(deferred->chains, &item.key, &chain))
		put_joined(deferred, &item, &chain);
	else
		shelf_put(deferred->samples, &item);
	return true;
}

void deferred_take_chain(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header)
{
	struct record record = { header->type, header->misc, header->size,
		(const uint8_t *)header, false };
	struct shelf_item chain = { 0 }, sample;
	struct userchain entries;
	struct sample_id id;

	if (!userchain_read(&record, &entries) ||
		!sample_id_read(layout, &record, &id))
		return;
	chain.key.cookie = entries.cookie;
	chain.key.tid = id.tid;
	chain.size = (uint32_t)(entries.n * sizeof(uint64_t));
	chain.data = entries.entries;
	while (shelf_take(deferred->samples, &chain.key, &sample))
		put_joined(deferred, &sample, &chain);
	/* Others of the same entry may still be in their ring. */
	shelf_put(deferred->chains, &chain);
}

void deferred_finish(struct deferred *deferred)
{
	shelf_clear(deferred->samples);
}

uint64_t deferred_unjoined(const struct deferred *deferred)
{
	return deferred->unjoined;
}
