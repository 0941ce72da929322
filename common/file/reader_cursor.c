/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An extent as chunks of records, read again as often as somebody likes. */
#include "config.h"

#include <zstd.h>

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/file/resync.h"
#include "common/util/alloc.h"

#define STREAM_ROOM (WINDOW_SIZE + RECORD_SIZE_MAX + 1)

_Static_assert(WINDOW_ROOM <= READER_ROOM, "a window may become a room");

/* Where blocks are passed over, a page has the next one's description. */
#define SKIPPING_SIZE KIB(4)

static void fill_window(struct cursor *cursor, uint64_t offset, size_t size)
{
	bool is_mapped = cursor->reader->is_mapped;

	cursor->window_at = offset;
	cursor->window_size = size;
	cursor->window = is_mapped && !cursor->is_skimming
		? reader_map(cursor, offset, size)
		: NULL;
	if (cursor->window)
		return;
	cursor->window = cursor->buffer;
	cursor->window_size = is_mapped && cursor->is_skimming
		? reader_read_headers(cursor, offset, size)
		: reader_read_at(cursor->reader, offset, cursor->buffer, size);
}

const uint8_t *cursor_peek(struct cursor *cursor, uint64_t offset, size_t size)
{
	uint64_t end = reader_part(cursor->reader, offset)->end;

	if (offset > end || size > end - offset)
		return NULL;
	if (offset < cursor->window_at ||
		offset + size > cursor->window_at + cursor->window_size) {
		size_t room = cursor->is_skipping && size <= SKIPPING_SIZE
			? SKIPPING_SIZE
			: WINDOW_ROOM;

		fill_window(cursor, offset, MIN((uint64_t)room, end - offset));
	}
	if (size > cursor->window_at + cursor->window_size - offset)
		return NULL;
	return cursor->window + (offset - cursor->window_at);
}

struct cursor *cursor_create(struct reader *reader)
{
	struct cursor *cursor = xcalloc(1, sizeof(*cursor));

	cursor->reader = reader;
	cursor->buffer = cursor->window = xmalloc(READER_ROOM);
	return cursor;
}

void cursor_destroy(struct cursor *cursor)
{
	if (!cursor)
		return;
	if (cursor->window_kept)
		reader_returns(cursor->reader, cursor->window_kept);
	reader_map_free(cursor);
	free(cursor->buffer);
	free(cursor->block);
	free(cursor->stream);
	ZSTD_freeDCtx(cursor->dctx);
	ZSTD_freeDStream(cursor->dstream);
	free(cursor);
}

void cursor_load(struct cursor *cursor, const struct extent *extent)
{
	cursor->extent = *extent;
	cursor->is_done = cursor->is_drained = false;
	cursor->given = 0;
	cursor->input = (ZSTD_inBuffer){ 0 };
}

/* Whole records, turned into this machine's byte order on the way out. */
static void give(struct cursor *cursor, uint8_t *data, size_t size,
	struct chunk *ret)
{
	if (cursor->reader->swap)
		reader_swap(cursor->reader, data, size);
	ret->data = data;
	ret->size = size;
}

/* Whether INFO describes the records in DATA. */
static bool is_described(
	const struct block_info *info, const uint8_t *data, bool swap)
{
	uint32_t records = 0, samples = 0;
	struct record record;
	size_t at = 0;

	for (; record_at(data + at, info->raw_size - at, swap, &record);
		at += record.size) {
		records++;
		samples += record.type == RECORD_SAMPLE;
	}
	return at == info->raw_size && records == info->records &&
		samples == info->samples &&
		(info->kind != BLOCK_SAMPLES || samples == records) &&
		(info->kind != BLOCK_SIDEBAND || !samples);
}

static int next_block(
	struct cursor *cursor, const uint8_t *data, struct chunk *ret)
{
	struct record record;
	struct block_info info;
	const uint8_t *frame;

	cursor->is_done = true;
	if (!cursor->block)
		cursor->block = xmalloc(BLOCK_RAW_MAX);
	if (!cursor->dctx)
		cursor->dctx = ZSTD_createDCtx();
	if (!record_at(data, cursor->extent.size, cursor->reader->swap,
		    &record) ||
		!block_describe(&record, &info, &frame) ||
		!block_decode(cursor->dctx, &info, frame, cursor->block))
		return -1;
	if (!is_described(&info, cursor->block, cursor->reader->swap))
		reader_damaged(cursor->reader, cursor->extent.offset,
			"the description of a block is damaged");
	give(cursor, cursor->block, info.raw_size, ret);
	return 0;
}

static void begin_input(struct cursor *cursor, const uint8_t *data)
{
	struct bytes b = bytes_of(
		data, cursor->extent.size, cursor->reader->swap);
	uint32_t type = bytes_u32(&b);
	uint64_t size;

	bytes_take(&b, RECORD_HEADER_SIZE - sizeof(type));
	size = bytes_left(&b);
	if (type == RECORD_COMPRESSED2)
		size = bytes_u64(&b);
	cursor->input.src = b.at;
	cursor->input.size = MIN(size, (uint64_t)bytes_left(&b));
}

/* How many of SIZE bytes are whole records, until one is none. */
static size_t whole_records(const uint8_t *data, size_t size, bool swap)
{
	struct record record;
	size_t done = 0;

	while (record_at(data + done, size - done, swap, &record))
		done += record.size;
	return done;
}

/* What begins like no record: a whole header, but of too small a size. */
static bool is_nonsense(const uint8_t *data, size_t size, bool swap)
{
	struct record record;

	return size >= RECORD_HEADER_SIZE &&
		!record_at(data, size, swap, &record) &&
		record.size < RECORD_HEADER_SIZE;
}

/* perf compresses each file of a folder into one stream. */
static void begin_stream(struct cursor *cursor)
{
	const struct part *part =
		reader_part(cursor->reader, cursor->extent.offset);

	if (!cursor->dstream) {
		cursor->dstream = ZSTD_createDStream();
		cursor->stream = xmalloc(STREAM_ROOM);
	}
	if (cursor->stream_part == part)
		return;
	cursor->stream_part = part;
	ZSTD_DCtx_reset(cursor->dstream, ZSTD_reset_session_only);
	cursor->stream_size = cursor->stream_given = 0;
}

/*
 * A stream may ask for a window of 128 MB. It is taken as it fills: only who
 * fills it has to afford it.
 */
static bool affords_window(struct cursor *cursor)
{
	uint64_t used =
		MIN(cursor->expanded, (uint64_t)ZSTD_sizeof_DStream(
					      cursor->dstream));

	if (used > cursor->window_kept &&
		!reader_affords(
			cursor->reader, used - cursor->window_kept))
		return false;
	cursor->window_kept = MAX(used, cursor->window_kept);
	return true;
}

/* What is left of before moves to the front, to be gone on with. */
static void make_room(struct cursor *cursor)
{
	cursor->stream_size -= cursor->stream_given;
	memmove(cursor->stream, cursor->stream + cursor->stream_given,
		cursor->stream_size);
	cursor->stream_given = 0;
}

static void lose_stream(struct cursor *cursor)
{
	ZSTD_DCtx_reset(cursor->dstream, ZSTD_reset_session_only);
	cursor->stream_size = 0;
	cursor->is_done = true;
}

/*
 * Decompresses as much as there is room for, behind what is left of before.
 * False if that is damaged: then there is a new stream at best.
 */
static bool fill_stream(struct cursor *cursor)
{
	ZSTD_outBuffer output = { cursor->stream, STREAM_ROOM, 0 };

	make_room(cursor);
	output.pos = cursor->stream_size;
	while (output.pos < output.size) {
		size_t before = output.pos, read = cursor->input.pos;

		if (ZSTD_isError(ZSTD_decompressStream(
			    cursor->dstream, &output, &cursor->input)) ||
			!affords_window(cursor)) {
			lose_stream(cursor);
			return false;
		}
		if (output.pos == before && cursor->input.pos == read)
			break;
		cursor->expanded += output.pos - before;
	}
	cursor->is_drained = output.pos < output.size;
	cursor->stream_size = output.pos;
	return true;
}

/* How many bytes of whole records come next, once nonsense is left out. */
static size_t find_records(struct cursor *cursor)
{
	bool swap = cursor->reader->swap;
	uint8_t *data = cursor->stream + cursor->stream_given;
	size_t left = cursor->stream_size - cursor->stream_given;
	size_t step;

	while (is_nonsense(data, left, swap)) {
		cursor->has_nonsense = true;
		step = resync(data, left, swap);
		cursor->stream_given += step;
		data += step;
		left -= step;
	}
	return whole_records(data, left, swap);
}

/*
 * perf's compressed data: records straddle the pieces, so what is left behind
 * the last whole record stays in front of the next piece.
 */
static int next_stream(
	struct cursor *cursor, const uint8_t *data, struct chunk *ret)
{
	size_t whole;

	begin_stream(cursor);
	if (!cursor->input.src)
		begin_input(cursor, data);
	while (!(whole = find_records(cursor)) && !cursor->is_drained)
		if (!fill_stream(cursor))
			return -1;
	cursor->is_done = !whole;
	if (!whole)
		return 1;
	give(cursor, cursor->stream + cursor->stream_given, whole, ret);
	cursor->stream_given += whole;
	return 0;
}

static int next_chunk(struct cursor *cursor, struct chunk *ret)
{
	const struct extent *extent = &cursor->extent;
	const uint8_t *data = cursor_peek(cursor, extent->offset, extent->size);

	if (!data)
		return -1;
	if (extent->coding == EXTENT_BLOCK)
		return next_block(cursor, data, ret);
	if (extent->coding == EXTENT_STREAM)
		return next_stream(cursor, data, ret);
	cursor->is_done = true;
	give(cursor, cursor->window + (data - cursor->window), extent->size,
		ret);
	/* What was turned is no longer what the file has. */
	if (cursor->reader->swap)
		cursor->window_size = 0;
	return 0;
}

static void add_damage(struct cursor *cursor, int result)
{
	const struct extent *extent = &cursor->extent;

	if (result < 0)
		reader_block_damaged(cursor->reader, extent->offset,
			"compressed data are damaged", &extent->info);
	else if (cursor->has_nonsense)
		reader_damaged(cursor->reader, extent->offset,
			"compressed bytes are no records");
	cursor->has_nonsense = false;
}

int cursor_next(struct cursor *cursor, struct chunk *ret)
{
	int result = cursor->is_done ? 1 : next_chunk(cursor, ret);

	add_damage(cursor, result);
	if (result)
		return result;
	ret->position = cursor->extent.position + cursor->given;
	ret->offset = cursor->extent.offset;
	ret->coding = cursor->extent.coding;
	cursor->given += ret->size;
	return 0;
}

/* Most of a window is worth more than what is left of it. */
void reader_keep(struct reader *reader, struct chunk *chunk, uint8_t **room)
{
	struct cursor *cursor = reader->cursor;
	uint8_t *window = cursor->buffer;

	if (chunk->data == window && chunk->size > WINDOW_SIZE / 2) {
		cursor->window = cursor->buffer = *room;
		cursor->window_size = 0;
		*room = window;
	} else {
		memcpy(*room, chunk->data, chunk->size);
		chunk->data = *room;
	}
}
