/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cursors: read an extent as chunks of records, any number of times. */
#include "config.h"

#include <zstd.h>

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/file/resync.h"
#include "common/util/alloc.h"
#include "common/util/budget.h"

#define STREAM_ROOM (WINDOW_SIZE + RECORD_SIZE_MAX + 1)

/*
 * Window size while blocks are skipped: a page contains the description of the
 * next block.
 */
#define SKIPPING_SIZE KIB(4)
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

		bool is_mapped = cursor->reader->is_mapped;

		room = MIN((uint64_t)room, end - offset);
		cursor->window_at = offset;
		cursor->window_size = room;
		cursor->window = is_mapped && !cursor->is_skimming
			? reader_map(cursor, offset, room)
			: NULL;
		if (!cursor->window) {
			cursor->window = cursor->buffer;
			cursor->window_size = is_mapped && cursor->is_skimming
				? reader_read_headers(cursor, offset, room)
				: reader_read_at(cursor->reader, offset,
					  cursor->buffer, room);
		}
	}
	if (size > cursor->window_at + cursor->window_size - offset)
		return NULL;
	return cursor->window + (offset - cursor->window_at);
}

struct cursor *cursor_create(struct reader *reader)
{
	struct cursor *cursor = xcalloc(1, sizeof(*cursor));

	cursor->reader = reader;
	cursor->buffer = cursor->window = xmalloc(WINDOW_ROOM);
	return cursor;
}

void cursor_destroy(struct cursor *cursor)
{
	if (!cursor)
		return;
	if (cursor->window_kept)
		budget_release(&cursor->reader->budget, cursor->window_kept);
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
	cursor->chunk = (struct reader_chunk){ 0 };
	cursor->chunk_at = 0;
	cursor->input = (ZSTD_inBuffer){ 0 };
}

/*
 * Sets RET to the whole records in DATA, and swaps the records to this
 * machine's byte order in place.
 */
static void return_records(struct cursor *cursor, uint8_t *data, size_t size,
	struct reader_chunk *ret)
{
	if (cursor->reader->swap)
		reader_swap(cursor->reader, data, size);
	ret->data = data;
	ret->size = size;
}

/*
 * Returns true if the number and kind of the records in DATA, a decompressed
 * block, are as in INFO.
 */
static bool is_block_described(
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

/*
 * Prepares the decompression of an EXTENT_STREAM. perf compresses each file of
 * a directory into a separate stream, so a new file resets the decompressor.
 */
static void begin_cursor_stream(struct cursor *cursor)
{
	const struct reader_part *part =
		reader_part(cursor->reader, cursor->extent.offset);

	if (!cursor->dstream) {
		cursor->dstream = ZSTD_createDStream();
		cursor->stream = xmalloc(STREAM_ROOM);
	}
	if (cursor->stream_part == part)
		return;
	cursor->stream_part = part;
	cursor->is_over_limit = false;
	ZSTD_DCtx_reset(cursor->dstream, ZSTD_reset_session_only);
	cursor->stream_size = cursor->stream_given = 0;
}

/*
 * Reserves memory for the zstd window, which has up to 128 MB. Only the part of
 * the window that decompressed data have filled counts. Returns false if the
 * budget does not suffice.
 */
static bool reserve_zstd_window(struct cursor *cursor)
{
	uint64_t used = MIN(cursor->expanded,
		(uint64_t)ZSTD_sizeof_DStream(cursor->dstream));

	if (used > cursor->window_kept &&
		!budget_reserve(
			&cursor->reader->budget, used - cursor->window_kept)) {
		cursor->is_over_limit = true;
		return false;
	}
	cursor->window_kept = MAX(used, cursor->window_kept);
	return true;
}

/*
 * Skips bytes in cursor->stream that are not records. Returns the size of the
 * whole records that follow the skipped bytes.
 */
static size_t find_stream_records(struct cursor *cursor)
{
	bool swap = cursor->reader->swap;
	uint8_t *data = cursor->stream + cursor->stream_given;
	size_t left = cursor->stream_size - cursor->stream_given;
	size_t step, done = 0;
	struct record record;

	while (left >= RECORD_HEADER_SIZE &&
		!record_at(data, left, swap, &record) &&
		record.size < RECORD_HEADER_SIZE) {
		cursor->has_nonsense = true;
		step = resync_find(data, left, swap);
		cursor->stream_given += step;
		data += step;
		left -= step;
	}
	while (record_at(data + done, left - done, swap, &record))
		done += record.size;
	return done;
}

/*
 * Returns the next records of an EXTENT_STREAM, perf's compressed data. A
 * record can begin in one extent and end in the next one, so the bytes after
 * the last whole record stay in cursor->stream for the next extent.
 */
static int next_stream_chunk(
	struct cursor *cursor, const uint8_t *data, struct reader_chunk *ret)
{
	size_t whole;

	begin_cursor_stream(cursor);
	if (!cursor->input.src) {
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
	while (!(whole = find_stream_records(cursor)) && !cursor->is_drained) {
		ZSTD_outBuffer output = { cursor->stream, STREAM_ROOM, 0 };

		/* Move the bytes that were not yet returned to the front. */
		cursor->stream_size -= cursor->stream_given;
		memmove(cursor->stream, cursor->stream + cursor->stream_given,
			cursor->stream_size);
		cursor->stream_given = 0;
		output.pos = cursor->stream_size;
		while (output.pos < output.size) {
			size_t before = output.pos, read = cursor->input.pos;

			if (ZSTD_isError(ZSTD_decompressStream(cursor->dstream,
				    &output, &cursor->input)) ||
				!reserve_zstd_window(cursor)) {
				/*
				 * After damaged data, decompression can only
				 * continue with a new stream.
				 */
				ZSTD_DCtx_reset(cursor->dstream,
					ZSTD_reset_session_only);
				cursor->stream_size = 0;
				cursor->is_done = true;
				return -1;
			}
			if (output.pos == before && cursor->input.pos == read)
				break;
			cursor->expanded += output.pos - before;
		}
		cursor->is_over_limit = false;
		cursor->is_drained = output.pos < output.size;
		cursor->stream_size = output.pos;
	}
	cursor->is_done = !whole;
	if (!whole)
		return 1;
	return_records(
		cursor, cursor->stream + cursor->stream_given, whole, ret);
	cursor->stream_given += whole;
	return 0;
}

static int next_cursor_chunk(struct cursor *cursor, struct reader_chunk *ret)
{
	const struct extent *extent = &cursor->extent;
	const uint8_t *data = cursor_peek(cursor, extent->offset, extent->size);

	if (!data)
		return -1;
	if (extent->coding == EXTENT_BLOCK) {
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
			!block_decode(
				cursor->dctx, &info, frame, cursor->block))
			return -1;
		if (!is_block_described(
			    &info, cursor->block, cursor->reader->swap))
			reader_add_damage(cursor->reader, cursor->extent.offset,
				"the description of a block is damaged");
		return_records(cursor, cursor->block, info.raw_size, ret);
		return 0;
	}
	if (extent->coding == EXTENT_STREAM)
		return next_stream_chunk(cursor, data, ret);
	cursor->is_done = true;
	return_records(cursor, cursor->window + (data - cursor->window),
		extent->size, ret);
	/*
	 * The window's records are swapped now. Read the window again for the
	 * next chunk, because records must not be swapped twice.
	 */
	if (cursor->reader->swap)
		cursor->window_size = 0;
	return 0;
}

int cursor_next(struct cursor *cursor, struct reader_chunk *ret)
{
	int result = cursor->is_done ? 1 : next_cursor_chunk(cursor, ret);

	const struct extent *extent = &cursor->extent;

	if (result < 0)
		reader_add_block_damage(cursor->reader, extent->offset,
			cursor->is_over_limit
				? "compressed data need " READER_MEMORY_EXCESS
				: "compressed data are damaged",
			&extent->info);
	else if (cursor->has_nonsense)
		reader_add_damage(cursor->reader, extent->offset,
			"decompressed bytes are not records");
	cursor->has_nonsense = false;
	if (result)
		return result;
	ret->position = cursor->extent.position + cursor->given;
	ret->offset = cursor->extent.offset;
	ret->coding = cursor->extent.coding;
	cursor->given += ret->size;
	return 0;
}

bool cursor_next_record(
	struct cursor *cursor, struct record *ret, uint64_t *position_ret)
{
	struct reader_chunk *chunk = &cursor->chunk;

	while (cursor->chunk_at == chunk->size ||
		!record_at(chunk->data + cursor->chunk_at,
			chunk->size - cursor->chunk_at, false, ret)) {
		if (cursor_next(cursor, chunk))
			return false;
		cursor->chunk_at = 0;
	}
	*position_ret = chunk->position + cursor->chunk_at;
	cursor->chunk_at += ret->size;
	return true;
}
