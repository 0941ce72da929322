/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/unwound.h"

#include "common/util/alloc.h"

struct unwound {
	struct batch *batch;
	void (*put)(
		void *data, const struct block_info *info, const uint8_t *raw);
	void *data;
	size_t block_size;
	struct block_info info;
	uint8_t raw[BLOCK_RAW_MAX];
};

struct unwound *unwound_create(struct batch *batch,
	void (*put)(
		void *data, const struct block_info *info, const uint8_t *raw),
	void *data)
{
	struct unwound *unwound = xmalloc(sizeof(*unwound));

	unwound->batch = batch;
	unwound->put = put;
	unwound->data = data;
	unwound->block_size = BLOCK_RAW_MAX;
	unwound->info = (struct block_info){ .kind = BLOCK_SAMPLES };
	return unwound;
}

void unwound_destroy(struct unwound *unwound)
{
	free(unwound);
}

void unwound_set_block_size(struct unwound *unwound, size_t raw_size)
{
	unwound->block_size = MIN(raw_size, BLOCK_RAW_MAX);
}

static void put_unwound_block(struct unwound *unwound)
{
	if (unwound->info.raw_size)
		unwound->put(unwound->data, &unwound->info, unwound->raw);
	unwound->info = (struct block_info){ .kind = BLOCK_SAMPLES };
}

static void add_unwound_sample(void *data, const struct block_info *info,
	const uint8_t *sample, size_t size)
{
	struct unwound *unwound = data;

	memcpy(unwound->raw + unwound->info.raw_size, sample, size);
	unwound->info.raw_size += (uint32_t)size;
	unwound->info.records++;
	unwound->info.samples++;
	if (!unwound->info.first_time ||
		(info->first_time &&
			info->first_time < unwound->info.first_time))
		unwound->info.first_time = info->first_time;
	unwound->info.last_time = MAX(unwound->info.last_time, info->last_time);
	if (unwound->info.raw_size > unwound->block_size ||
		unwound->info.raw_size > BLOCK_RAW_MAX - RECORD_SIZE_ALIGNED)
		put_unwound_block(unwound);
}

void unwound_take(
	struct unwound *unwound, struct queue_block *const *blocks, size_t n)
{
	const struct batch_output output = { add_unwound_sample, unwound };

	batch_unwind(unwound->batch, blocks, n, &output);
}

void unwound_flush(struct unwound *unwound)
{
	const struct batch_output output = { add_unwound_sample, unwound };

	batch_flush(unwound->batch, &output);
	put_unwound_block(unwound);
}
