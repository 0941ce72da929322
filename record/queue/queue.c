/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/queue/queue.h"

#include <pthread.h>

#include "common/util/alloc.h"

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct queue_block *first, *last;	 /* blocks put and not taken */
	struct queue_block *unused[BLOCK_MIXED]; /* reusable, by block_kind */
	size_t limit, in_use, peak;		 /* bytes */
	size_t block_raw_size;
	bool is_closed;
};

static size_t block_room(enum block_kind kind)
{
	return kind == BLOCK_SIDEBAND ? QUEUE_SIDEBAND_MAX : BLOCK_RAW_MAX;
}

static size_t block_size(enum block_kind kind)
{
	return sizeof(struct queue_block) + block_room(kind);
}

struct queue *queue_create(size_t limit)
{
	struct queue *queue = xcalloc(1, sizeof(*queue));
	pthread_mutexattr_t attr;

	/*
	 * Avoid priority inversion: the drain thread can have a real-time
	 * priority, and the writer thread a lower priority.
	 */
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&queue->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_cond_init(&queue->filled, NULL);
	queue->limit = MAX(limit, 2 * block_size(BLOCK_SAMPLES));
	queue->block_raw_size = BLOCK_RAW_MAX;
	return queue;
}

static void free_list(struct queue_block *block)
{
	while (block) {
		struct queue_block *next = block->next;

		free(block);
		block = next;
	}
}

void queue_destroy(struct queue *queue)
{
	size_t kind;

	if (!queue)
		return;
	free_list(queue->first);
	for (kind = 0; kind < ARRAY_SIZE(queue->unused); kind++)
		free_list(queue->unused[kind]);
	pthread_cond_destroy(&queue->filled);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

struct queue_block *queue_get(struct queue *queue, enum block_kind kind)
{
	struct queue_block *block = NULL;
	bool is_allowed;

	pthread_mutex_lock(&queue->lock);
	is_allowed = kind == BLOCK_SIDEBAND ||
		queue->in_use + block_size(kind) <= queue->limit;
	if (is_allowed) {
		queue->in_use += block_size(kind);
		queue->peak = MAX(queue->peak, queue->in_use);
		block = queue->unused[kind];
		if (block)
			queue->unused[kind] = block->next;
	}
	pthread_mutex_unlock(&queue->lock);
	if (!is_allowed)
		return NULL;
	if (!block)
		block = xmalloc(block_size(kind));
	block->next = NULL;
	block->room = block_room(kind);
	block->until = 0;
	block->ends_file = block->is_due = false;
	block->info = (struct block_info){ .kind = kind };
	return block;
}

void queue_put(struct queue *queue, struct queue_block *block)
{
	pthread_mutex_lock(&queue->lock);
	if (queue->last && queue->first)
		queue->last->next = block;
	else
		queue->first = block;
	queue->last = block;
	pthread_cond_signal(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

void queue_close(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_closed = true;
	pthread_cond_signal(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

struct queue_block *queue_take(struct queue *queue)
{
	struct queue_block *block;

	pthread_mutex_lock(&queue->lock);
	while (!queue->first && !queue->is_closed)
		pthread_cond_wait(&queue->filled, &queue->lock);
	block = queue->first;
	if (block)
		queue->first = block->next;
	pthread_mutex_unlock(&queue->lock);
	return block;
}

struct queue_block *queue_take_samples(struct queue *queue)
{
	struct queue_block *block;

	pthread_mutex_lock(&queue->lock);
	block = queue->first;
	if (block && (block->info.kind != BLOCK_SAMPLES || block->ends_file))
		block = NULL;
	if (block)
		queue->first = block->next;
	pthread_mutex_unlock(&queue->lock);
	return block;
}

void queue_give_back(struct queue *queue, struct queue_block *block)
{
	enum block_kind kind = block->info.kind;

	pthread_mutex_lock(&queue->lock);
	block->next = queue->unused[kind];
	queue->unused[kind] = block;
	queue->in_use -= block_size(kind);
	pthread_mutex_unlock(&queue->lock);
}

bool queue_is_empty(struct queue *queue)
{
	bool is_empty;

	pthread_mutex_lock(&queue->lock);
	is_empty = !queue->first;
	pthread_mutex_unlock(&queue->lock);
	return is_empty;
}

unsigned queue_fill_percent(struct queue *queue)
{
	size_t in_use;

	pthread_mutex_lock(&queue->lock);
	in_use = queue->in_use;
	pthread_mutex_unlock(&queue->lock);
	return (unsigned)(in_use * 100 / queue->limit);
}

size_t queue_peak_bytes(struct queue *queue)
{
	size_t peak;

	pthread_mutex_lock(&queue->lock);
	peak = queue->peak;
	pthread_mutex_unlock(&queue->lock);
	return peak;
}

void queue_set_block_size(struct queue *queue, size_t raw_size)
{
	__atomic_store_n(&queue->block_raw_size, raw_size, __ATOMIC_RELAXED);
}

size_t queue_block_size(const struct queue *queue)
{
	return __atomic_load_n(&queue->block_raw_size, __ATOMIC_RELAXED);
}

static uint8_t *append_record(struct queue_fill *filling,
	struct queue_block *block, size_t size, uint64_t time)
{
	struct block_info *info = &block->info;
	uint8_t *place = block->raw + info->raw_size;

	filling->raw_bytes += size;
	info->raw_size += (uint32_t)size;
	info->records++;
	if (!time)
		return place;
	if (!info->first_time || time < info->first_time)
		info->first_time = time;
	info->last_time = MAX(info->last_time, time);
	return place;
}

uint8_t *queue_fill_put_sideband(struct queue_fill *filling, const void *record,
	size_t size, uint64_t time)
{
	struct queue_block *block = filling->sideband;

	if (block && block->info.raw_size + size > block->room) {
		block->until = 0;
		queue_put(filling->queue, block);
		block = NULL;
	}
	if (!block)
		block = queue_get(filling->queue, BLOCK_SIDEBAND);
	filling->sideband = block;
	return memcpy(append_record(filling, block, size, time), record, size);
}

static void put_filled_block(
	struct queue_fill *filling, struct queue_block **block, bool is_due)
{
	if (!*block)
		return;
	(*block)->until = filling->until;
	(*block)->is_due = is_due;
	queue_put(filling->queue, *block);
	*block = NULL;
}

static void put_both(struct queue_fill *filling, bool is_due)
{
	put_filled_block(
		filling, &filling->sideband, is_due && !filling->samples);
	put_filled_block(filling, &filling->samples, is_due);
}

uint8_t *queue_fill_make_sample(
	struct queue_fill *filling, size_t size, uint64_t time)
{
	size_t most = MIN(queue_block_size(filling->queue), BLOCK_RAW_MAX);

	if (filling->samples && filling->samples->info.raw_size + size > most)
		put_both(filling, false);
	if (!filling->samples)
		filling->samples = queue_get(filling->queue, BLOCK_SAMPLES);
	/* If the queue is full, the sample is dropped. */
	if (unlikely(!filling->samples))
		return NULL;
	filling->samples->info.samples++;
	return append_record(filling, filling->samples, size, time);
}

uint8_t *queue_fill_put_sample(struct queue_fill *filling, const void *record,
	size_t size, uint64_t time)
{
	uint8_t *place = queue_fill_make_sample(filling, size, time);

	return place ? memcpy(place, record, size) : NULL;
}

void queue_fill_flush(struct queue_fill *filling)
{
	put_both(filling, true);
}

void queue_fill_end_file(struct queue_fill *filling)
{
	struct queue_block *end = queue_get(filling->queue, BLOCK_SIDEBAND);

	end->ends_file = true;
	end->until = filling->until;
	queue_put(filling->queue, end);
}

void queue_fill_discard(struct queue_fill *filling)
{
	if (filling->sideband)
		queue_give_back(filling->queue, filling->sideband);
	if (filling->samples)
		queue_give_back(filling->queue, filling->samples);
}
