/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/drain.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>

#include "common/alloc.h"
#include "record/priority.h"

/* Blocks go on at least this often, so a killed recorder loses little. */
#define FLUSH_NS (700 * NSEC_PER_MSEC)
#define TIMEOUT_MIN_MS 1
#define TIMEOUT_MAX_MS 100
/* After so many bytes a ring's space is given back during a round. */
#define RELEASE_BYTES KIB(64)

/* An event as the drain sees it. */
struct drained_event {
	uint64_t id;
	struct sample_layout layout;
	struct drain_counts counts;
};

struct drain {
	struct opened *opened;
	struct queue *queue;
	struct drained_event *events; /* sideband last */
	uint32_t n_events, sideband;
	uint64_t *heads;
	struct pollfd *polls; /* the rings' owners, last the stop event */
	size_t n_polls;
	struct queue_block *block_sideband, *block_samples;
	uint8_t *scratch;
	uint64_t until, flushed, raw_bytes, first_time, last_time;
	uint64_t last_id; /* opened_event()'s last question and answer */
	uint32_t last_event;
	int timeout_ms, realtime, stop_fd;
	bool is_running;
	pthread_t thread;
	void (*see)(void *data, const struct record_task *fork);
	void *see_data;
	pthread_mutex_t inject_lock;
	struct strbuf injected; /* guarded by inject_lock */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* Sideband goes first: no sample is ever written before what it needs. */
static void flush(struct drain *drain)
{
	if (drain->block_sideband) {
		drain->block_sideband->until = drain->until;
		queue_put(drain->queue, drain->block_sideband);
	}
	if (drain->block_samples) {
		drain->block_samples->until = drain->until;
		queue_put(drain->queue, drain->block_samples);
	}
	drain->block_sideband = drain->block_samples = NULL;
}

static void append(struct queue_block *block, const void *record, size_t size,
	uint64_t time, uint8_t **copy_ret)
{
	struct block_info *info = &block->info;

	*copy_ret = memcpy(block->raw + info->raw_size, record, size);
	info->raw_size += (uint32_t)size;
	info->records++;
	if (!time)
		return;
	if (!info->first_time || time < info->first_time)
		info->first_time = time;
	info->last_time = MAX(info->last_time, time);
}

static uint8_t *put_sideband(struct drain *drain, const void *record,
	size_t size, uint64_t time)
{
	struct queue_block *block = drain->block_sideband;
	uint8_t *copy;

	if (block && block->info.raw_size + size > BLOCK_RAW_MAX) {
		block->until = 0;
		queue_put(drain->queue, block);
		block = NULL;
	}
	if (!block)
		block = queue_get(drain->queue, BLOCK_SIDEBAND);
	drain->block_sideband = block;
	append(block, record, size, time, &copy);
	drain->raw_bytes += size;
	return copy;
}

static uint64_t load_u64(const void *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t event_of(struct drain *drain, uint64_t id)
{
	if (unlikely(id != drain->last_id || !id)) {
		drain->last_id = id;
		drain->last_event = opened_event(drain->opened, id);
	}
	return drain->last_event;
}

/* Where records tell their event's id before the trailer, too. */
static size_t inner_id_offset(uint32_t type)
{
	switch (type) {
	case RECORD_LOST:
		return RECORD_HEADER_SIZE;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		return RECORD_HEADER_SIZE + 8;
	default:
		return 0;
	}
}

static void take_sideband(
	struct drain *drain, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	struct record record = { header->type, header->misc, header->size, raw,
		false };
	const struct sample_layout *layout =
		&drain->events[drain->sideband].layout;
	size_t end = header->size, inner = inner_id_offset(header->type);
	struct record_task fork;
	struct record_lost lost;
	uint32_t event;
	uint8_t *copy;

	if (end < RECORD_HEADER_SIZE + layout->trailer_size)
		return;
	/* All events have the same trailer. */
	event = event_of(drain, load_u64(raw + end - layout->trailer_id));
	copy = put_sideband(drain, raw, end,
		load_u64(raw + end - layout->trailer_time));
	memcpy(copy + end - layout->trailer_id, &drain->events[event].id, 8);
	if (inner)
		memcpy(copy + inner, &drain->events[event].id, 8);
	if (header->type == RECORD_LOST && record_read_lost(&record, &lost))
		drain->events[event].counts.lost_records += lost.lost;
	if (drain->see && header->type == RECORD_FORK &&
		record_read_task(&record, &fork))
		drain->see(drain->see_data, &fork);
}

/* Room for SIZE bytes of samples; false if they have to be dropped. */
static bool reserve_samples(struct drain *drain, size_t size)
{
	size_t most = MIN(queue_wish(drain->queue), BLOCK_RAW_MAX);

	if (drain->block_samples) {
		size_t filled = drain->block_samples->info.raw_size;

		if (filled + size <= most)
			return true;
		flush(drain);
	}
	drain->block_samples = queue_get(drain->queue, BLOCK_SAMPLES);
	return drain->block_samples;
}

static void take_sample(
	struct drain *drain, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	uint32_t index = 0;
	struct drained_event *event;
	uint64_t time;
	uint8_t *copy;

	if (drain->n_events > 2)
		index = event_of(drain, load_u64(raw + RECORD_HEADER_SIZE));
	event = &drain->events[index];
	if (unlikely(header->size < event->layout.time + 8u))
		return;
	if (unlikely(!reserve_samples(drain, header->size))) {
		event->counts.dropped++;
		return;
	}
	time = load_u64(raw + event->layout.time);
	append(drain->block_samples, raw, header->size, time, &copy);
	memcpy(copy + event->layout.id, &event->id, 8);
	drain->block_samples->info.samples++;
	drain->raw_bytes += header->size;
	event->counts.samples++;
	if (!drain->first_time || time < drain->first_time)
		drain->first_time = time;
	drain->last_time = MAX(drain->last_time, time);
}

static void take_ring(struct drain *drain, struct ring *ring, uint64_t head)
{
	const struct perf_event_header *header;
	uint64_t released = ring->tail;

	while ((header = ring_next(ring, head, drain->scratch))) {
		if (header->type == RECORD_SAMPLE)
			take_sample(drain, header);
		else
			take_sideband(drain, header);
		if (ring->tail - released >= RELEASE_BYTES) {
			ring_release(ring);
			released = ring->tail;
		}
	}
	ring_release(ring);
}

static void take_injected(struct drain *drain)
{
	struct strbuf records;
	struct record record;
	size_t at = 0;

	pthread_mutex_lock(&drain->inject_lock);
	records = drain->injected;
	drain->injected = (struct strbuf){ 0 };
	pthread_mutex_unlock(&drain->inject_lock);
	while (record_at((uint8_t *)records.at + at, records.n - at, false,
		&record)) {
		struct sample_id id;

		sample_id_read(&drain->events[drain->sideband].layout, &record,
			&id);
		put_sideband(drain, record.data, record.size, id.time);
		at += record.size;
	}
	strbuf_free(&records);
}

/* How full the fullest ring was, in percent, decides when to look again. */
static void adapt_timeout(struct drain *drain, unsigned fill)
{
	if (fill > 25)
		drain->timeout_ms /= 2;
	else if (fill < 6)
		drain->timeout_ms *= 2;
	drain->timeout_ms = MAX(drain->timeout_ms, TIMEOUT_MIN_MS);
	drain->timeout_ms = MIN(drain->timeout_ms, TIMEOUT_MAX_MS);
}

void drain_round(struct drain *drain)
{
	struct opened *opened = drain->opened;
	unsigned fill = 0;
	size_t i;

	for (i = 0; i < opened->n_rings; i++) {
		const struct ring *ring = &opened->samples[i].ring;

		if (!ring->page)
			continue;
		drain->heads[i] = ring_head(ring);
		fill = MAX(fill, (unsigned)((drain->heads[i] - ring->tail) *
					 100 / ring->size));
	}
	drain->until = now();
	take_injected(drain);
	for (i = 0; i < opened->n_rings; i++) {
		struct ring *ring = &opened->sideband[i].ring;
		uint64_t head;

		if (!ring->page)
			continue;
		head = ring_head(ring);
		fill = MAX(fill,
			(unsigned)((head - ring->tail) * 100 / ring->size));
		take_ring(drain, ring, head);
	}
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			take_ring(drain, &opened->samples[i].ring,
				drain->heads[i]);
	adapt_timeout(drain, fill);
	if (drain->until - drain->flushed >= FLUSH_NS) {
		flush(drain);
		drain->flushed = drain->until;
	}
}

static bool is_anything_left(const struct drain *drain)
{
	const struct opened *opened = drain->opened;
	size_t i;

	for (i = 0; i < opened->n_rings; i++) {
		const struct ring *sideband = &opened->sideband[i].ring;
		const struct ring *samples = &opened->samples[i].ring;

		if (sideband->page && ring_head(sideband) != sideband->tail)
			return true;
		if (samples->page && ring_head(samples) != samples->tail)
			return true;
	}
	return drain->injected.n > 0;
}

void drain_finish(struct drain *drain)
{
	do
		drain_round(drain);
	while (is_anything_left(drain));
	flush(drain);
}

/*
 * A descriptor whose task has exited answers POLLHUP for ever, while others
 * still write to its ring: the timeout must do then.
 */
static void retire_hung_up(struct drain *drain)
{
	size_t i;

	for (i = 0; i + 1 < drain->n_polls; i++)
		if (drain->polls[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			drain->polls[i].fd = -1;
}

static void *run(void *data)
{
	struct drain *drain = data;
	const struct pollfd *stop = &drain->polls[drain->n_polls - 1];

	priority_raise(drain->realtime, -20);
	while (!stop->revents) {
		drain_round(drain);
		if (poll(drain->polls, drain->n_polls, drain->timeout_ms) > 0)
			retire_hung_up(drain);
	}
	return NULL;
}

static void add_poll(struct drain *drain, int fd)
{
	drain->polls[drain->n_polls++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
}

static void init_event(struct drained_event *event, uint64_t id,
	const struct perf_event_attr *attr)
{
	event->id = id;
	sample_layout_init(&event->layout, attr);
}

struct error *drain_create(
	struct opened *opened, struct queue *queue, struct drain **ret)
{
	const struct selection *selection = opened->selection;
	int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct drain *drain;
	uint32_t i;

	if (stop_fd < 0)
		return error_errno(errno, "eventfd");
	*ret = drain = xcalloc(1, sizeof(*drain));
	drain->stop_fd = stop_fd;
	drain->opened = opened;
	drain->queue = queue;
	drain->sideband = (uint32_t)selection->events.n;
	drain->n_events = drain->sideband + 1;
	drain->events = xcalloc(drain->n_events, sizeof(*drain->events));
	for (i = 0; i < drain->sideband; i++)
		init_event(&drain->events[i], selection->events.at[i].id,
			&selection->events.at[i].attr);
	init_event(&drain->events[i], opened->sideband_id,
		&opened->sideband_attr);
	drain->heads = xcalloc(opened->n_rings, sizeof(*drain->heads));
	drain->scratch = xmalloc(RECORD_SIZE_MAX + 1);
	drain->polls =
		xcalloc(2 * opened->n_rings + 1, sizeof(*drain->polls));
	drain->timeout_ms = TIMEOUT_MAX_MS;
	pthread_mutex_init(&drain->inject_lock, NULL);
	return NULL;
}

void drain_destroy(struct drain *drain)
{
	if (!drain)
		return;
	close(drain->stop_fd);
	pthread_mutex_destroy(&drain->inject_lock);
	strbuf_free(&drain->injected);
	free(drain->events);
	free(drain->heads);
	free(drain->polls);
	free(drain->scratch);
	free(drain);
}

void drain_inject(struct drain *drain, const struct strbuf *records)
{
	pthread_mutex_lock(&drain->inject_lock);
	strbuf_put(&drain->injected, records->at, records->n);
	pthread_mutex_unlock(&drain->inject_lock);
}

void drain_watch(struct drain *drain,
	void (*see)(void *data, const struct record_task *fork), void *data)
{
	drain->see = see;
	drain->see_data = data;
}

struct error *drain_start(struct drain *drain, int realtime)
{
	size_t i;
	int errnum;

	for (i = 0; i < drain->opened->n_rings; i++) {
		add_poll(drain, drain->opened->samples[i].owner);
		add_poll(drain, drain->opened->sideband[i].owner);
	}
	add_poll(drain, drain->stop_fd);
	drain->realtime = realtime;
	errnum = pthread_create(&drain->thread, NULL, run, drain);
	if (errnum)
		return error_errno(errnum, "starting the collecting thread");
	drain->is_running = true;
	return NULL;
}

void drain_stop(struct drain *drain)
{
	const uint64_t one = 1;

	if (!drain->is_running)
		return;
	while (write(drain->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(drain->thread, NULL);
	drain->is_running = false;
}

void drain_counts(const struct drain *drain, struct drain_counts *counts)
{
	uint32_t i;

	for (i = 0; i < drain->n_events; i++)
		counts[i] = drain->events[i].counts;
}

void drain_times(const struct drain *drain, uint64_t *first, uint64_t *last)
{
	*first = drain->first_time;
	*last = drain->last_time;
}

uint64_t drain_raw_bytes(const struct drain *drain)
{
	return drain->raw_bytes;
}
