/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first pass: steps through the records and lists the extents. */
#include "config.h"

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/file/resync.h"
#include "common/util/alloc.h"

static bool is_compressed_type(uint32_t type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

/* Returns the offset of the first block in DATA, or SIZE if there is none. */
static size_t find_block_at(const uint8_t *data, size_t size, bool swap)
{
	struct record record;
	struct block_info info;
	const uint8_t *frame;
	size_t at;

	for (at = 8; at + BLOCK_HEAD_SIZE <= size; at += 8)
		if (record_at(data + at, size - at, swap, &record) &&
			block_describe(&record, &info, &frame))
			return at;
	return size;
}

/*
 * Moves *OFFSET, which is not at a record, to the next offset that SEARCH
 * finds. Returns false if SEARCH finds no offset. SEARCH cannot find records
 * that end after the window, so the windows overlap by the size of one record.
 */
static bool search_forward(struct cursor *cursor, uint64_t *offset,
	size_t (*search)(const uint8_t *data, size_t size, bool swap))
{
	struct reader *reader = cursor->reader;
	uint64_t at = *offset;

	while (at < reader->end) {
		size_t size = MIN((uint64_t)WINDOW_ROOM, reader->end - at);
		const uint8_t *data = cursor_peek(cursor, at, size);
		size_t step = data ? search(data, size, reader->swap) : 0;

		if (!step)
			return false;
		if (step < size) {
			*offset = at + step;
			return true;
		}
		at += size == WINDOW_ROOM ? WINDOW_SIZE : size;
	}
	return false;
}

/*
 * Moves *OFFSET from an invalid record header to the next record, and adds the
 * skipped bytes to reader_damages(). Returns false if no record follows.
 */
static bool skip_invalid_bytes(struct cursor *cursor, uint64_t *offset)
{
	struct reader *reader = cursor->reader;
	uint64_t from = *offset;
	_cleanup_free_ char *what = NULL;

	if (!search_forward(cursor, offset, resync_find) &&
		!search_forward(cursor, offset, find_block_at)) {
		reader_add_early_end(reader, from, "there is no record");
		return false;
	}
	what = xasprintf("%llu bytes are not records",
		(unsigned long long)(*offset - from));
	reader_add_damage(reader, from, what);
	return true;
}

/*
 * Moves *OFFSET from a record that does not end inside the data to the next
 * block, and adds the record to reader_damages(). Returns false if no block
 * follows.
 */
static bool skip_cut_record(struct cursor *cursor, uint64_t *offset)
{
	struct reader *reader = cursor->reader;
	uint64_t from = *offset;

	if (from == reader->end)
		return false;
	if (!search_forward(cursor, offset, find_block_at)) {
		reader_add_early_end(
			reader, from, "the last record is cut off");
		return false;
	}
	reader_add_damage(reader, from, "the size of a record is damaged");
	return true;
}

/*
 * Returns the size of the record at OFFSET, or 0 if the data end before. The
 * size of a large COMPRESSED2 record of perf 6.16 does not fit the record
 * header: the header contains 65,536 less.
 */
static uint32_t record_size_at(struct cursor *cursor, uint64_t offset)
{
	bool swap = cursor->reader->swap;
	const uint8_t *data = cursor_peek(cursor, offset, RECORD_HEADER_SIZE);
	struct record record;
	struct bytes b;
	uint64_t whole;

	if (!data)
		return 0;
	record_at(data, RECORD_HEADER_SIZE, swap, &record);
	if (record.type != RECORD_COMPRESSED2 ||
		record.size > COMPRESSED2_HEADER)
		return record.size;
	data = cursor_peek(cursor, offset, COMPRESSED2_HEADER);
	if (!data)
		return record.size;
	b = bytes_of(data + RECORD_HEADER_SIZE, sizeof(whole), swap);
	whole = ALIGN_UP(bytes_u64(&b) + COMPRESSED2_HEADER, 8);
	return whole == RECORD_SIZE_MAX + 1 + record.size ? (uint32_t)whole
							  : record.size;
}

/*
 * Reads the whole record at *OFFSET into RET. If the bytes at *OFFSET are
 * damaged, moves *OFFSET to the next record. Returns the record's size, or 0 at
 * the end of the data. An early end is added to reader_damages().
 */
static uint32_t read_whole_record(
	struct cursor *cursor, uint64_t *offset, struct record *ret)
{
	struct reader *reader = cursor->reader;
	uint64_t left = reader->end - *offset;
	uint32_t size = record_size_at(cursor, *offset);
	const uint8_t *data;

	if (left >= RECORD_HEADER_SIZE && size < RECORD_HEADER_SIZE) {
		if (!skip_invalid_bytes(cursor, offset))
			return 0;
		size = record_size_at(cursor, *offset);
	}
	data = size ? cursor_peek(cursor, *offset, size) : NULL;
	if (!data) {
		if (!skip_cut_record(cursor, offset))
			return 0;
		size = record_size_at(cursor, *offset);
		data = cursor_peek(cursor, *offset, size);
	}
	if (!data)
		return 0;
	record_at(data, size, reader->swap, ret);
	return size;
}

static void add_extent(struct reader *reader, uint64_t offset, uint64_t end,
	enum extent_coding coding, const struct block_info *info)
{
	struct extent *extent = array_push(&reader->extents);

	extent->offset = offset;
	extent->size = (uint32_t)(end - offset);
	extent->coding = coding;
	extent->type = coding == EXTENT_PLAIN ? 0 : RECORD_COMPRESSED;
	extent->position = offset + (uint64_t)reader->expansion;
	if (coding != EXTENT_PLAIN)
		reader_add_expansion(reader, -(int64_t)extent->size);
	if (info) {
		extent->info = *info;
		reader_add_expansion(reader, info->raw_size);
	}
}

/*
 * Returns a chunk with the uncompressed records from reader->at on that are in
 * one window, up to the first compressed record or record with extra bytes.
 */
static int next_plain_chunk(struct reader *reader, struct reader_chunk *ret)
{
	struct cursor *cursor = reader->cursor;
	uint64_t start = reader->at, end = start, limit;
	struct record record;

	/* Read the chunk from one window, so that the chunk is contiguous. */
	read_whole_record(cursor, &start, &record);
	limit = cursor->window_at + cursor->window_size;
	if (limit < reader->end && limit - start < WINDOW_ROOM - WINDOW_SIZE) {
		cursor->window_size = 0;
		read_whole_record(cursor, &start, &record);
	}
	limit = cursor->window_at + cursor->window_size;
	for (;;) {
		uint64_t next = end + record.size;

		if (record.type >= RECORD_USER_FIRST)
			reader_take_description(reader, &record);
		if (record.type == RECORD_HEADER_TRACING_DATA ||
			record.type == RECORD_AUXTRACE) {
			/* The size in the header does not include these bytes. */
			uint64_t extra = record_extra_size(&record);

			end = next;
			if (record.type == RECORD_HEADER_TRACING_DATA)
				reader_take_tracing_data(reader, end, extra);
			if (extra > reader->end - end)
				reader_add_early_end(
					reader, end, "the file is cut off");
			reader->at = end + MIN(extra, reader->end - end);
			break;
		}
		reader->at = end = next;
		if (limit - end < RECORD_HEADER_SIZE)
			break;
		if (!record_at(cursor->window + (end - cursor->window_at),
			    limit - end, reader->swap, &record) ||
			is_compressed_type(record.type))
			break;
	}
	add_extent(reader, start, end, EXTENT_PLAIN, NULL);
	cursor_load(cursor, &reader->extents.at[reader->extents.n - 1]);
	return cursor_next(cursor, ret);
}

/*
 * If a block without records of a WANTED kind begins at reader->at, skips the
 * block without decompressing it, and sets RET to an empty chunk. Else returns
 * false.
 */
static bool skip_unwanted_block(
	struct reader *reader, enum block_kind wanted, struct reader_chunk *ret)
{
	struct cursor *cursor = reader->cursor;
	uint64_t start = reader->at;
	const uint8_t *data = cursor_peek(cursor, start, BLOCK_HEAD_SIZE);
	struct block_info info;
	struct record record;
	const uint8_t *frame;

	cursor->is_skipping = false;
	if (!data || !record_at(data, RECORD_SIZE_MAX, reader->swap, &record) ||
		record.size < BLOCK_HEAD_SIZE ||
		record.size > reader_part(reader, start)->end - start ||
		!block_describe(&record, &info, &frame) || info.kind & wanted)
		return false;
	reader->at += record.size;
	add_extent(reader, start, reader->at, EXTENT_BLOCK, &info);
	cursor->is_skipping = true;
	*ret = (struct reader_chunk){ .offset = start, .coding = EXTENT_BLOCK };
	return true;
}

void reader_skim(struct reader *reader)
{
	reader->cursor->is_skimming = true;
}

int reader_next(
	struct reader *reader, enum block_kind wanted, struct reader_chunk *ret)
{
	struct cursor *cursor = reader->cursor;

	for (;;) {
		struct block_info info;
		struct record record;
		const uint8_t *frame;
		uint64_t start;
		uint32_t size;
		int result;

		if (cursor->extent.size &&
			cursor->extent.coding != EXTENT_PLAIN) {
			result = cursor_next(cursor, ret);
			if (result == 0 &&
				cursor->extent.coding == EXTENT_STREAM)
				reader_add_expansion(
					reader, (int64_t)ret->size);
			if (result == 0)
				return 0;
		}
		cursor->extent.size = 0;
		if (skip_unwanted_block(reader, wanted, ret))
			return 0;
		size = read_whole_record(cursor, &reader->at, &record);
		if (!size) {
			/*
			 * Continue with the next file of a directory recording,
			 * even after damage.
			 */
			if (reader->part + 1 < reader->parts.n) {
				const struct reader_part *part =
					&reader->parts.at[++reader->part];

				reader->at = part->start;
				reader->end = part->end;
				continue;
			}
			if (!reader->is_walked)
				reader_check_index(reader);
			reader->is_walked = true;
			return 1;
		}
		start = reader->at;
		if (!is_compressed_type(record.type))
			return next_plain_chunk(reader, ret);
		reader->at += size;
		if (block_describe(&record, &info, &frame)) {
			add_extent(
				reader, start, reader->at, EXTENT_BLOCK, &info);
		} else {
			add_extent(
				reader, start, reader->at, EXTENT_STREAM, NULL);
			reader->is_ordered = true;
		}
		reader->extents.at[reader->extents.n - 1].type = record.type;
		cursor_load(cursor, &reader->extents.at[reader->extents.n - 1]);
	}
}
