/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/queue/block_fill.h"

static uint8_t *append_record(struct block_fill *filling,
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

uint8_t *block_fill_put_sideband(struct block_fill *filling, const void *record,
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
	struct block_fill *filling, struct queue_block **block, bool is_due)
{
	if (!*block)
		return;
	(*block)->until = filling->until;
	(*block)->is_due = is_due;
	queue_put(filling->queue, *block);
	*block = NULL;
}

static void put_both(struct block_fill *filling, bool is_due)
{
	put_filled_block(
		filling, &filling->sideband, is_due && !filling->samples);
	put_filled_block(filling, &filling->samples, is_due);
}

/* Reserves SIZE bytes for samples. Returns false if they must be dropped. */
static bool reserve_record(struct block_fill *filling, size_t size)
{
	size_t most = MIN(queue_block_size(filling->queue), BLOCK_RAW_MAX);

	if (filling->samples) {
		if (filling->samples->info.raw_size + size <= most)
			return true;
		put_both(filling, false);
	}
	filling->samples = queue_get(filling->queue, BLOCK_SAMPLES);
	return filling->samples;
}

uint8_t *block_fill_make_sample(
	struct block_fill *filling, size_t size, uint64_t time)
{
	if (unlikely(!reserve_record(filling, size)))
		return NULL;
	filling->samples->info.samples++;
	return append_record(filling, filling->samples, size, time);
}

uint8_t *block_fill_put_sample(struct block_fill *filling, const void *record,
	size_t size, uint64_t time)
{
	uint8_t *place = block_fill_make_sample(filling, size, time);

	return place ? memcpy(place, record, size) : NULL;
}

void block_fill_flush(struct block_fill *filling)
{
	put_both(filling, true);
}

void block_fill_end_file(struct block_fill *filling)
{
	struct queue_block *end = queue_get(filling->queue, BLOCK_SIDEBAND);

	end->ends_file = true;
	end->until = filling->until;
	queue_put(filling->queue, end);
}

void block_fill_discard(struct block_fill *filling)
{
	if (filling->sideband)
		queue_give_back(filling->queue, filling->sideband);
	if (filling->samples)
		queue_give_back(filling->queue, filling->samples);
}
