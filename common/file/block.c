/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/block.h"

#include <endian.h>
#include <zstd.h>

#include "common/util/alloc.h"

/*
 * One of the sixteen magic numbers of zstd frames that decoders skip (RFC 8878
 * 3.1.2).
 */
#define SKIPPABLE_MAGIC 0x184D2A5Du
#define SKIPPABLE_HEADER 8u
#define DESCRIPTION_VERSION 1u
#define FRAME_AT (RECORD_HEADER_SIZE + SKIPPABLE_HEADER + BLOCK_INFO_SIZE)

struct block_encoder {
	ZSTD_CCtx *cctx;
};

struct block_encoder *block_encoder_create(void)
{
	struct block_encoder *encoder = xcalloc(1, sizeof(*encoder));

	encoder->cctx = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(encoder->cctx, ZSTD_c_checksumFlag, 1);
	return encoder;
}

void block_encoder_destroy(struct block_encoder *encoder)
{
	if (!encoder)
		return;
	ZSTD_freeCCtx(encoder->cctx);
	free(encoder);
}

static void put_block_u32(uint8_t *out, uint32_t value)
{
	memcpy(out, &value, sizeof(value));
}

void block_info_write(
	const struct block_info *info, uint8_t out[BLOCK_INFO_SIZE])
{
	memset(out, 0, BLOCK_INFO_SIZE);
	out[0] = DESCRIPTION_VERSION;
	out[1] = (uint8_t)info->kind;
	put_block_u32(out + 4, info->raw_size);
	put_block_u32(out + 8, info->frame_size);
	put_block_u32(out + 12, info->records);
	put_block_u32(out + 16, info->samples);
	put_block_u32(out + 20, info->sequence);
	memcpy(out + 24, &info->first_time, 8);
	memcpy(out + 32, &info->last_time, 8);
}

bool block_info_read(struct bytes *b, struct block_info *ret)
{
	uint8_t version = bytes_u8(b);

	ret->kind = bytes_u8(b);
	bytes_u16(b);
	ret->raw_size = bytes_u32(b);
	ret->frame_size = bytes_u32(b);
	ret->records = bytes_u32(b);
	ret->samples = bytes_u32(b);
	ret->sequence = bytes_u32(b);
	ret->first_time = bytes_u64(b);
	ret->last_time = bytes_u64(b);
	return b->ok && version == DESCRIPTION_VERSION &&
		ret->kind >= BLOCK_SIDEBAND && ret->kind <= BLOCK_MIXED &&
		ret->raw_size > 0 && ret->raw_size <= BLOCK_RAW_MAX &&
		ret->frame_size <= RECORD_SIZE_ALIGNED - FRAME_AT;
}

size_t block_encode(struct block_encoder *encoder, int level,
	struct block_info *info, const void *raw,
	uint8_t out[RECORD_SIZE_ALIGNED])
{
	struct perf_event_header header = { .type = RECORD_COMPRESSED };
	size_t frame_size, padding;

	ZSTD_CCtx_setParameter(encoder->cctx, ZSTD_c_compressionLevel, level);
	/*
	 * In blocks of samples, similar samples are adjacent, so zstd finds
	 * matches at short distances. There, hash tables of 16,384 entries (14
	 * bits) find as many matches as tables of 131,072 entries, and fit into
	 * the CPU cache. For large records (stack copies) and levels above 4,
	 * zstd chooses the table size (0).
	 */
	bool is_near = level > 0 && level <= 4 && info->kind == BLOCK_SAMPLES &&
		info->raw_size / MAX(info->records, 1u) < KIB(1);
	int log = is_near ? 14 : 0;

	ZSTD_CCtx_setParameter(encoder->cctx, ZSTD_c_hashLog, log);
	ZSTD_CCtx_setParameter(encoder->cctx, ZSTD_c_chainLog, log);
	/* Leave room for up to 7 bytes of padding before the frame. */
	frame_size = ZSTD_compress2(encoder->cctx, out + FRAME_AT,
		RECORD_SIZE_ALIGNED - FRAME_AT - 7, raw, info->raw_size);
	if (ZSTD_isError(frame_size))
		return 0;
	padding = ALIGN_UP(FRAME_AT + frame_size, 8) - FRAME_AT - frame_size;
	memmove(out + FRAME_AT + padding, out + FRAME_AT, frame_size);
	memset(out + FRAME_AT, 0, padding);
	info->frame_size = (uint32_t)frame_size;
	header.size = (uint16_t)(FRAME_AT + padding + frame_size);
	memcpy(out, &header, sizeof(header));
	put_block_u32(out + RECORD_HEADER_SIZE, htole32(SKIPPABLE_MAGIC));
	put_block_u32(out + RECORD_HEADER_SIZE + 4,
		htole32(BLOCK_INFO_SIZE + (uint32_t)padding));
	block_info_write(info, out + RECORD_HEADER_SIZE + SKIPPABLE_HEADER);
	return header.size;
}

bool block_describe(const struct record *record, struct block_info *ret,
	const uint8_t **frame_ret)
{
	struct bytes b = bytes_of(record->data, record->size, record->swap);
	uint32_t type = bytes_u32(&b), magic, skip;
	uint16_t record_size;
	size_t padding;

	bytes_u16(&b);
	record_size = bytes_u16(&b);
	/* zstd's fields are little-endian on every machine. */
	b.swap = false;
	magic = le32toh(bytes_u32(&b));
	skip = le32toh(bytes_u32(&b));
	b.swap = record->swap;
	if (!b.ok || type != RECORD_COMPRESSED || magic != SKIPPABLE_MAGIC)
		return false;
	padding = skip - BLOCK_INFO_SIZE;
	if (padding > 7 || !block_info_read(&b, ret) ||
		record_size != FRAME_AT + padding + ret->frame_size)
		return false;
	*frame_ret = record->data + FRAME_AT + padding;
	return true;
}

bool block_decode(void *dctx, const struct block_info *info,
	const uint8_t *frame, void *out)
{
	size_t size = ZSTD_decompressDCtx(
		dctx, out, info->raw_size, frame, info->frame_size);

	return !ZSTD_isError(size) && size == info->raw_size;
}
