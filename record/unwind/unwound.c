/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/unwound.h"

#include "common/util/alloc.h"

struct unwound {
	struct batch *batch;
	void (*put)(void *data, const struct block_info *info,
		const uint8_t *raw);
	void *data;
	size_t wish;
	struct block_info info;
	uint8_t raw[BLOCK_RAW_MAX];
};

struct unwound *unwound_create(struct batch *batch,
	void (*put)(void *data, const struct block_info *info,
		const uint8_t *raw),
	void *data)
{
	struct unwound *unwound = xmalloc(sizeof(*unwound));

	unwound->batch = batch;
	unwound->put = put;
	unwound->data = data;
	unwound->wish = BLOCK_RAW_MAX;
	unwound->info = (struct block_info){ .kind = BLOCK_SAMPLES };
	return unwound;
}

void unwound_destroy(struct unwound *unwound)
{
	free(unwound);
}

void unwound_wish(struct unwound *unwound, size_t raw_size)
{
	unwound->wish = MIN(raw_size, BLOCK_RAW_MAX);
}

static void put_out(struct unwound *unwound)
{
	if (unwound->info.raw_size)
		unwound->put(unwound->data, &unwound->info, unwound->raw);
	unwound->info = (struct block_info){ .kind = BLOCK_SAMPLES };
}

/* The block's times hold for all of its samples. */
static void widen(struct block_info *info, const struct block_info *with)
{
	if (!info->first_time ||
		(with->first_time && with->first_time < info->first_time))
		info->first_time = with->first_time;
	info->last_time = MAX(info->last_time, with->last_time);
}

static void take(void *data, const struct block_info *info,
	const uint8_t *sample, size_t size)
{
	struct unwound *unwound = data;

	memcpy(unwound->raw + unwound->info.raw_size, sample, size);
	unwound->info.raw_size += (uint32_t)size;
	unwound->info.records++;
	unwound->info.samples++;
	widen(&unwound->info, info);
	if (unwound->info.raw_size > unwound->wish ||
		unwound->info.raw_size > BLOCK_RAW_MAX - RECORD_SIZE_ALIGNED)
		put_out(unwound);
}

void unwound_take(struct unwound *unwound,
	struct queue_block *const *blocks, size_t n)
{
	const struct batch_taker taker = { take, unwound };

	batch_unwind(unwound->batch, blocks, n, &taker);
}

void unwound_flush(struct unwound *unwound)
{
	const struct batch_taker taker = { take, unwound };

	batch_flush(unwound->batch, &taker);
	put_out(unwound);
}
