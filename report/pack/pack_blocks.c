/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_blocks.h"

#include "common/util/alloc.h"

struct pack_blocks {
	const struct reader *reader;
	struct writer *writer;
	int level;
	struct block_encoder *encoder;
	uint32_t sequence;
	uint64_t raw_size;	/* of all records */
	struct strbuf waiting;	/* records not yet written */
	struct block_info info; /* of .waiting */
	uint8_t out[RECORD_SIZE_ALIGNED];
};

struct pack_blocks *pack_blocks_create(
	const struct reader *reader, struct writer *writer, int level)
{
	struct pack_blocks *blocks = xcalloc(1, sizeof(*blocks));

	blocks->reader = reader;
	blocks->writer = writer;
	blocks->level = level;
	blocks->encoder = block_encoder_create();
	return blocks;
}

void pack_blocks_destroy(struct pack_blocks *blocks)
{
	if (!blocks)
		return;
	block_encoder_destroy(blocks->encoder);
	strbuf_free(&blocks->waiting);
	free(blocks);
}

/*
 * Returns the info of the first half of RAW's records. Times are bounds, so
 * both halves keep INFO's.
 */
static struct block_info first_half_info(
	const uint8_t *raw, const struct block_info *info)
{
	struct block_info half = *info;
	struct record record;

	half.raw_size = half.records = half.samples = 0;
	while (half.records < info->records / 2 &&
		record_at(raw + half.raw_size, info->raw_size - half.raw_size,
			false, &record)) {
		half.raw_size += record.size;
		half.records++;
		half.samples += record.type == RECORD_SAMPLE;
	}
	return half;
}

static struct error *encode_raw_block(struct pack_blocks *blocks,
	const uint8_t *raw, const struct block_info *whole)
{
	struct block_info info = *whole, half;
	struct error *err;
	size_t size;

	info.sequence = blocks->sequence;
	size = block_encode(
		blocks->encoder, blocks->level, &info, raw, blocks->out);
	if (size) {
		blocks->sequence++;
		return writer_put_block(
			blocks->writer, blocks->out, size, &info);
	}
	half = first_half_info(raw, whole);
	if (!half.raw_size || half.raw_size == whole->raw_size)
		return writer_put(blocks->writer, raw, whole->raw_size);
	info.raw_size = whole->raw_size - half.raw_size;
	info.records = whole->records - half.records;
	info.samples = whole->samples - MIN(whole->samples, half.samples);
	err = encode_raw_block(blocks, raw, &half);
	return err ? err : encode_raw_block(blocks, raw + half.raw_size, &info);
}

struct error *pack_blocks_put(struct pack_blocks *blocks, const void *raw,
	const struct block_info *info)
{
	struct error *err = pack_blocks_flush(blocks);

	blocks->raw_size += info->raw_size;
	return err ? err : encode_raw_block(blocks, raw, info);
}

/* Returns the time of RECORD, or 0 if it is a record of a tool without one. */
static uint64_t packed_record_time(
	const struct pack_blocks *blocks, const struct record *record)
{
	const struct sample_layout *layout;
	struct sample_id id;
	uint64_t time = 0;

	if (record->type >= RECORD_HEADER_ATTR ||
		!reader_n_events(blocks->reader))
		return 0;
	layout = reader_layout(
		blocks->reader, reader_event_of(blocks->reader, record));
	if (record->type != RECORD_SAMPLE)
		return sample_id_read(layout, record, &id) ? id.time : 0;
	if (layout->time && layout->time + sizeof(time) <= record->size)
		memcpy(&time, record->data + layout->time, sizeof(time));
	return time;
}

static void describe_record(
	struct block_info *info, const struct record *record, uint64_t time)
{
	bool is_sample = record->type == RECORD_SAMPLE;

	info->kind |= is_sample ? BLOCK_SAMPLES : BLOCK_SIDEBAND;
	info->raw_size += record->size;
	info->records++;
	info->samples += is_sample;
	if (!time)
		return;
	if (!info->first_time || time < info->first_time)
		info->first_time = time;
	info->last_time = MAX(info->last_time, time);
}

struct error *pack_blocks_add(
	struct pack_blocks *blocks, const struct record *record)
{
	struct error *err = NULL;

	if (blocks->waiting.n + record->size > BLOCK_RAW_MAX)
		err = pack_blocks_flush(blocks);
	strbuf_put(&blocks->waiting, record->data, record->size);
	describe_record(
		&blocks->info, record, packed_record_time(blocks, record));
	blocks->raw_size += record->size;
	return err;
}

struct error *pack_blocks_flush(struct pack_blocks *blocks)
{
	const struct block_info info = blocks->info;
	struct error *err;

	if (!info.records)
		return NULL;
	err = encode_raw_block(
		blocks, (const uint8_t *)blocks->waiting.at, &info);
	blocks->info = (struct block_info){ 0 };
	strbuf_clear(&blocks->waiting);
	return err;
}

uint64_t pack_blocks_raw(const struct pack_blocks *blocks)
{
	return blocks->raw_size;
}
