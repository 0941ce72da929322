/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares a recording with its own checksums and index. */
#include "config.h"

#include "common/file/block.h"
#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/util/alloc.h"
#include "common/util/budget.h"

/*
 * Limit of ranges in the section "checksums". dwell writes two; a hostile file
 * could list any number.
 */
#define STRETCHES_MAX 64u
#define WRAP_SIZE 16u

static uint64_t checksum_file_range(
	const struct reader *reader, uint64_t sum, uint64_t at, uint64_t size)
{
	_cleanup_free_ uint8_t *data = xmalloc(WINDOW_SIZE);

	while (size) {
		size_t n = reader_read_at(reader, at, data,
			(size_t)MIN(size, (uint64_t)WINDOW_SIZE));

		if (!n)
			break;
		sum = section_checksum_more(sum, data, n);
		at += n;
		size -= n;
	}
	return sum;
}

bool reader_check_tail(struct reader *reader,
	const struct section_trailer *trailer, uint64_t offset)
{
	uint64_t sum, start = trailer->data_offset + trailer->data_size;

	if (!trailer->checksum)
		return true;
	if (start > offset)
		return false;
	sum = checksum_file_range(
		reader, SECTION_CHECKSUM_EMPTY, 0, WRITER_HEADER_SIZE);
	return checksum_file_range(reader, sum, start, offset - start) ==
		trailer->checksum;
}

/* --- sections ------------------------------------------------------------- */

/*
 * Returns true if the file contains all of SECTION and the record headers in
 * SECTION are as section_wrap() writes them.
 */
static bool is_section_wrapped(
	const struct reader *reader, const struct section *section)
{
	uint64_t left = section_span(section), at = section->offset;

	if (!left || at > reader->size || left > reader->size - at)
		return false;
	while (left) {
		uint64_t whole = MIN(left, (uint64_t)RECORD_SIZE_ALIGNED);
		uint8_t data[WRAP_SIZE];
		struct bytes b = bytes_of(data, sizeof(data), false);

		if (reader_read_at(reader, at, data, sizeof(data)) !=
				sizeof(data) ||
			bytes_u32(&b) != RECORD_HEADER_EVENT_TYPE ||
			bytes_u16(&b) || bytes_u16(&b) != whole ||
			bytes_u64(&b))
			return false;
		at += whole;
		left -= whole;
	}
	return true;
}

/*
 * Reads section NAME, version 1, into RET. Does not keep the memory of RET
 * reserved, because the caller needs the content only for a short time.
 */
static bool read_temporary_section(
	struct reader *reader, const char *name, struct strbuf *ret)
{
	if (!reader_section(reader, name, 1, ret))
		return false;
	budget_release(&reader->budget, ret->n);
	return true;
}

static void check_checksum_ranges(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	uint64_t left = reader->size, n = 0;
	struct bytes b;

	if (!read_temporary_section(reader, SECTION_CHECKSUMS, &raw))
		return;
	b = bytes_of((const uint8_t *)raw.at, raw.n, false);
	while (bytes_left(&b) && n++ < STRETCHES_MAX) {
		uint64_t at = bytes_u64(&b), size = bytes_u64(&b);
		uint64_t wanted = bytes_u64(&b);

		if (!b.ok || at > reader->size || size > left)
			return;
		left -= size;
		if (checksum_file_range(
			    reader, SECTION_CHECKSUM_EMPTY, at, size) != wanted)
			reader_add_damage(reader, at,
				"the description of events and host is "
				"damaged");
	}
}

void reader_check_sections(struct reader *reader)
{
	int i;

	for (i = 0; i < reader->n_sections; i++) {
		const struct section *section = &reader->sections[i];
		_cleanup_free_ char *what = NULL;

		if (is_section_wrapped(reader, section))
			continue;
		what = xasprintf("section \"%s\" is damaged", section->name);
		reader_add_damage(reader, section->offset, what);
	}
	check_checksum_ranges(reader);
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct damage_place place = {
		.offset = reader->size,
		.what = "the file was copied from a damaged recording",
	};
	struct bytes b;

	if (!read_temporary_section(reader, SECTION_DAMAGE, &raw))
		return;
	b = bytes_of((const uint8_t *)raw.at, raw.n, false);
	place.samples = bytes_u64(&b);
	place.first_time = bytes_u64(&b);
	place.last_time = bytes_u64(&b);
	if (b.ok)
		damages_add(reader->damages, &place);
}

/* --- blocks --------------------------------------------------------------- */

static const char description_damaged[] =
	"the description of a block is damaged";

static bool is_same_block_info(
	const struct block_info *a, const struct block_info *b)
{
	uint8_t left[BLOCK_INFO_SIZE], right[BLOCK_INFO_SIZE];

	block_info_write(a, left);
	block_info_write(b, right);
	return !memcmp(left, right, sizeof(left));
}

static void compare_block_index(struct reader *reader, struct bytes b)
{
	size_t i = 0, n = reader->extents.n;

	while (bytes_left(&b) >= SECTION_INDEX_ENTRY_SIZE) {
		uint64_t offset = bytes_u64(&b);
		struct block_info info;

		if (!block_info_read(&b, &info))
			return;
		while (i < n && reader->extents.at[i].offset < offset)
			i++;
		struct extent *extent = i < n ? &reader->extents.at[i] : NULL;

		if (!extent || extent->offset != offset ||
			extent->coding == EXTENT_PLAIN) {
			reader_add_block_damage(
				reader, offset, "a block is missing", &info);
			continue;
		}
		if (extent->coding == EXTENT_BLOCK &&
			is_same_block_info(&extent->info, &info))
			continue;
		if (damages_has(reader->damages, offset))
			reader_add_block_damage(
				reader, offset, description_damaged, &info);
		else
			reader_add_damage(reader, offset, description_damaged);
		/* The section "index" has a checksum, so INFO is right. */
		extent->info = info;
	}
}

void reader_check_index(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };

	if (read_temporary_section(reader, SECTION_INDEX, &raw))
		compare_block_index(reader,
			bytes_of((const uint8_t *)raw.at, raw.n, false));
	else {
		/*
		 * Without the section "index", missing blocks are gaps in the
		 * sequence numbers.
		 */
		uint32_t next = 0;

		array_each(&reader->extents, extent) {
			if (extent->coding != EXTENT_BLOCK)
				continue;
			if (extent->info.sequence != next)
				reader_add_damage(reader, extent->offset,
					"blocks are missing before the block");
			next = extent->info.sequence + 1;
		}
	}
}

void reader_check_blocks(struct reader *reader)
{
	struct cursor *cursor = cursor_create(reader);
	struct reader_chunk chunk;

	array_each(&reader->extents, extent) {
		if (extent->coding != EXTENT_BLOCK)
			continue;
		cursor_load(cursor, extent);
		while (cursor_next(cursor, &chunk) == 0)
			;
	}
	cursor_destroy(cursor);
}
