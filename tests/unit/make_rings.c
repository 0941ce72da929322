/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "make_rings.h"

#include "common/util/alloc.h"

static void make_ring(struct rings_entry *ring, size_t size)
{
	ring->ring = (struct ring){
		.page = xcalloc(1, sizeof(*ring->ring.page)),
		.data = xcalloc(1, size),
		.size = size,
	};
	ring->owner = -1;
}

static void free_ring(struct rings_entry *ring)
{
	free(ring->ring.page);
	free((void *)ring->ring.data);
}

static void add_fd(struct rings *rings, uint32_t event, uint64_t id)
{
	hash_insert(&rings->opened.by_id, hash_words(id, 0),
		(uint32_t)rings->opened.fds.n);
	*array_push(&rings->opened.fds) =
		(struct event_fd){ .fd = -1, .event = event, .id = id };
}

static void open_all(struct rings *rings, size_t n)
{
	rings->opened = (struct event_fds){
		.selection = &rings->selection,
		.target = &rings->target,
		.sideband_attr = selection_sideband(false, true),
		.sideband_id = RINGS_SIDEBAND_CANONICAL,
		.sideband = rings->sideband,
		.samples = rings->samples,
		.n_rings = n,
	};
	add_fd(rings, 0, RINGS_CANONICAL);
	add_fd(rings, 0, RINGS_ID);
	add_fd(rings, 1, RINGS_SIDEBAND_CANONICAL);
	add_fd(rings, 1, RINGS_SIDEBAND_ID);
}

struct rings *rings_create(size_t n, size_t ring_size, size_t queue_limit)
{
	struct rings *rings = xcalloc(1, sizeof(*rings));
	struct selection_sampling sampling = { .frequency = 100 };
	const struct pmus no_pmus = { 0 };
	struct error *err;
	size_t i;

	rings->sideband = xcalloc(n, sizeof(*rings->sideband));
	rings->samples = xcalloc(n, sizeof(*rings->samples));
	for (i = 0; i < n; i++) {
		make_ring(&rings->sideband[i], KIB(64));
		make_ring(&rings->samples[i], ring_size);
		*array_push(&rings->target.online.list) = (uint32_t)i;
	}
	err = event_select(&rings->selection, "cpu-clock", &no_pmus);
	if (err)
		abort();
	selection_configure(&rings->selection, &sampling);
	rings->selection.events.at[0].id = RINGS_CANONICAL;
	open_all(rings, n);
	sample_layout_init(&rings->layout, &rings->opened.sideband_attr);
	rings->queue = queue_create(queue_limit);
	rings->intake = intake_create(&(struct intake_setup){
		.opened = &rings->opened, .queue = rings->queue });
	err = drain_create(&rings->opened, rings->intake, NULL, &rings->drain);
	if (err)
		abort();
	return rings;
}

void rings_destroy(struct rings *rings)
{
	size_t i;

	drain_destroy(rings->drain);
	intake_destroy(rings->intake);
	queue_destroy(rings->queue);
	for (i = 0; i < rings->opened.n_rings; i++) {
		free_ring(&rings->sideband[i]);
		free_ring(&rings->samples[i]);
	}
	free(rings->sideband);
	free(rings->samples);
	selection_deinit(&rings->selection);
	array_free(&rings->opened.fds);
	array_free(&rings->target.online.list);
	hash_free(&rings->opened.by_id);
	free(rings);
}

bool rings_put(struct ring *ring, const void *bytes, size_t size)
{
	uint64_t head = ring->page->data_head;
	uint64_t tail =
		__atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);
	size_t at = head & (ring->size - 1);
	size_t first = MIN(size, ring->size - at);

	if (head - tail + size > ring->size)
		return false;
	memcpy((uint8_t *)ring->data + at, bytes, first);
	memcpy((uint8_t *)ring->data, (const uint8_t *)bytes + first,
		size - first);
	__atomic_store_n(&ring->page->data_head, head + size, __ATOMIC_RELEASE);
	return true;
}

bool rings_put_sample(struct rings *rings, size_t cpu, uint64_t id, uint64_t ip,
	uint64_t time)
{
	const struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		RINGS_SAMPLE_SIZE };
	uint64_t words[7] = { 0, id, ip, UINT64_C(7) << 32 | 7, time, cpu, 1 };

	memcpy(words, &header, sizeof(header));
	return rings_put(&rings->samples[cpu].ring, words, sizeof(words));
}

bool rings_put_comm(struct rings *rings, size_t cpu, uint64_t time)
{
	struct record_comm comm = { .pid = 7, .tid = 7, .comm = "seven" };
	struct sample_id id = { .id = RINGS_SIDEBAND_ID, .time = time };
	_cleanup_strbuf_ struct strbuf record = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];

	sample_id_write(&rings->layout, &id, trailer);
	record_write_comm(&record, &comm, trailer, rings->layout.trailer_size);
	return rings_put(&rings->sideband[cpu].ring, record.at, record.n);
}
