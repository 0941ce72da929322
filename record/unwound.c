/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwound.h"

#include "common/alloc.h"

struct unwound {
	struct unwinding *unwinding;
	void (*put)(void *data, const struct block_info *info,
		const uint8_t *raw);
	void *data;
	size_t wish;
	struct block_info info;
	uint8_t raw[BLOCK_RAW_MAX];
};

struct unwound *unwound_create(struct unwinding *unwinding,
	void (*put)(void *data, const struct block_info *info,
		const uint8_t *raw),
	void *data)
{
	struct unwound *unwound = xmalloc(sizeof(*unwound));

	unwound->unwinding = unwinding;
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

void unwound_flush(struct unwound *unwound)
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

static void take(struct unwound *unwound, const struct record *record)
{
	size_t size = unwinding_take(unwound->unwinding, record->data,
		unwound->raw + unwound->info.raw_size);

	unwound->info.raw_size += (uint32_t)size;
	unwound->info.records++;
	unwound->info.samples++;
}

void unwound_take(struct unwound *unwound, const struct queue_block *block)
{
	struct record record;
	size_t at = 0;

	while (record_at(block->raw + at, block->info.raw_size - at, false,
		&record)) {
		at += record.size;
		take(unwound, &record);
		widen(&unwound->info, &block->info);
		if (unwound->info.raw_size > unwound->wish ||
			unwound->info.raw_size >
				BLOCK_RAW_MAX - RECORD_SIZE_ALIGNED)
			unwound_flush(unwound);
	}
}
