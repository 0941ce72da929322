/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/queue/deferred.h"

#include "common/perf/userchain.h"
#include "common/util/alloc.h"
#include "record/event/kernel_features.h"
#include "record/sys/bounded_store.h"

/*
 * Limits of the samples that wait: one second of samples at 4000 Hz on four
 * CPUs, of about 256 bytes each.
 */
#define SAMPLES_MAX 16384
#define SAMPLES_BYTES MIB(4)
/*
 * Limits of the call chains that wait. The drain can read all sideband ring
 * buffers, which contain the chains, before the first sample, so these limits
 * are twice as high as otherwise needed.
 */
#define CHAINS_PER_CPU 2048
#define CHAINS_BYTES_PER_CPU KIB(256)
#define CPUS_FULL 64

struct deferred {
	/* Samples that wait; .extra: offset of the call chain's length. */
	struct bounded_store *samples;
	struct bounded_store *chains; /* call chains: addresses, u64 each */
	void (*put)(void *data, const struct perf_event_header *sample);
	void *data;
	uint64_t unjoined;
	/* The completed sample. */
	uint64_t joined[RECORD_SIZE_ALIGNED / sizeof(uint64_t)];
};

void deferred_request(
	struct selection *selection, struct perf_event_attr *sideband)
{
	array_each(&selection->events, event) {
		/*
		 * A thread that was switched out may not return to user space
		 * for long.
		 */
		if (event->is_switch ||
			!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) ||
			event->attr.exclude_callchain_user ||
			event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			continue;
		kernel_feature_set_flag(&event->attr, ABI_FLAG_DEFER_CALLCHAIN);
		kernel_feature_set_flag(sideband, ABI_FLAG_DEFER_OUTPUT);
	}
}

bool deferred_is_on(const struct perf_event_attr *sideband)
{
	return kernel_feature_flag_is_set(sideband, ABI_FLAG_DEFER_OUTPUT);
}

void deferred_clear_request(struct perf_event_attr *attr)
{
	kernel_feature_clear_flag(attr, ABI_FLAG_DEFER_CALLCHAIN);
	kernel_feature_clear_flag(attr, ABI_FLAG_DEFER_OUTPUT);
}

/*
 * Passes SAMPLE to PUT with the addresses of CHAIN in place of the cookie;
 * without addresses if CHAIN is NULL.
 */
static void put_joined_sample(struct deferred *deferred,
	const struct bounded_item *sample, const struct bounded_item *chain)
{
	uint8_t *out = (uint8_t *)deferred->joined;
	struct userchain entries = { 0 };

	if (chain)
		entries = (struct userchain){ chain->key.cookie,
			chain->size / sizeof(uint64_t), chain->data };
	userchain_join(
		sample->data, sample->size, sample->extra, &entries, out);
	deferred->put(deferred->data, (const struct perf_event_header *)out);
}

static void put_unjoined(void *data, const struct bounded_item *sample)
{
	struct deferred *deferred = data;

	deferred->unjoined++;
	put_joined_sample(deferred, sample, NULL);
}

struct deferred *deferred_create(size_t n_cpus,
	void (*put)(void *data, const struct perf_event_header *sample),
	void *data)
{
	struct deferred *deferred = xcalloc(1, sizeof(*deferred));
	size_t n = MIN(MAX(n_cpus, (size_t)4), (size_t)CPUS_FULL);

	deferred->put = put;
	deferred->data = data;
	deferred->samples = bounded_store_create(
		SAMPLES_MAX, SAMPLES_BYTES, put_unjoined, deferred);
	deferred->chains = bounded_store_create(
		n * CHAINS_PER_CPU, n * CHAINS_BYTES_PER_CPU, NULL, NULL);
	return deferred;
}

void deferred_destroy(struct deferred *deferred)
{
	if (!deferred)
		return;
	bounded_store_destroy(deferred->samples);
	bounded_store_destroy(deferred->chains);
	free(deferred);
}

bool deferred_take_sample(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	struct record record = { header->type, header->misc, header->size, raw,
		false };
	struct bounded_item item = { .data = raw, .size = header->size }, chain;
	struct sample sample;

	if (!sample_read(layout, &record, &sample) ||
		!userchain_is_awaited(&sample))
		return false;
	item.key.tid = sample.tid;
	item.key.cookie = sample_chain_entry(&sample, sample.n_chain - 1);
	item.extra = (uint32_t)(sample.chain - raw - sizeof(uint64_t));
	if (bounded_store_find(deferred->chains, &item.key, &chain))
		put_joined_sample(deferred, &item, &chain);
	else
		bounded_store_put(deferred->samples, &item);
	return true;
}

void deferred_take_chain(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header)
{
	struct record record = { header->type, header->misc, header->size,
		(const uint8_t *)header, false };
	struct bounded_item chain = { 0 }, sample;
	struct userchain entries;
	struct sample_id id;

	if (!userchain_read(&record, &entries) ||
		!sample_id_read(layout, &record, &id))
		return;
	chain.key.cookie = entries.cookie;
	chain.key.tid = id.tid;
	chain.size = (uint32_t)(entries.n * sizeof(uint64_t));
	chain.data = entries.entries;
	while (bounded_store_take(deferred->samples, &chain.key, &sample))
		put_joined_sample(deferred, &sample, &chain);
	/*
	 * Other samples with the same cookie may still be in their ring buffer.
	 */
	bounded_store_put(deferred->chains, &chain);
}

void deferred_finish(struct deferred *deferred)
{
	bounded_store_clear(deferred->samples);
}

uint64_t deferred_unjoined(const struct deferred *deferred)
{
	return deferred->unjoined;
}
