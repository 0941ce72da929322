/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/fuzz/parts.h"

#include <zstd.h>

#define STREAM_HEADER_SIZE 16u
#define FILE_HEADER_SIZE 104u
#define BITMAP_AT 72u
#define BITMAP_SIZE 32u
#define EVENTS_MAX 64u

static const char magic[8] = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' };

/* The whole input, and the own sections that its directory lists. */
struct input {
	const uint8_t *data;
	size_t size;
	struct section_trailer trailer;
	struct section sections[SECTIONS_MAX];
	size_t n_sections;
};

static bool is_inside(const struct input *input, uint64_t at, uint64_t size)
{
	return at <= input->size && size <= input->size - at;
}

/* --- from bytes ----------------------------------------------------------- */

size_t parts_record_span(const uint8_t *data, size_t size)
{
	struct record record;
	uint64_t extra;

	if (!record_at(data, size, false, &record))
		return 0;
	extra = record_extra_size(&record);
	return extra <= size - record.size ? record.size + extra : 0;
}

/* Returns the bytes of the own section that begins at AT, or 0. */
static size_t section_bytes_at(const struct input *input, uint64_t at)
{
	size_t i;

	for (i = 0; i < input->n_sections; i++)
		if (input->sections[i].offset == at)
			return section_span(&input->sections[i]);
	return 0;
}

static bool take_block(struct parts *parts, const uint8_t *data, size_t span)
{
	const uint8_t *frame;
	struct block_info info;
	struct part_data *part;
	struct record record;
	ZSTD_DCtx *dctx;
	bool is_whole;

	if (!record_at(data, span, false, &record) ||
		record.type != RECORD_COMPRESSED ||
		!block_describe(&record, &info, &frame))
		return false;
	part = array_push(&parts->data);
	part->is_block = true;
	part->info = info;
	strbuf_fill(&part->records, 0, info.raw_size);
	dctx = ZSTD_createDCtx();
	is_whole = block_decode(dctx, &info, frame, part->records.at);
	ZSTD_freeDCtx(dctx);
	if (!is_whole) {
		strbuf_free(&part->records);
		parts->data.n--;
	}
	return is_whole;
}

static void take_plain_record(
	struct parts *parts, const uint8_t *data, size_t span)
{
	struct part_data *part = NULL;

	if (parts->data.n)
		part = &parts->data.at[parts->data.n - 1];
	if (!part || part->is_block)
		part = array_push(&parts->data);
	strbuf_put(&part->records, data, span);
}

/* Takes the records from AT to END without those of own sections. */
static bool take_data(struct parts *parts, const struct input *input,
	uint64_t at, uint64_t end)
{
	while (at < end) {
		const uint8_t *data = input->data + at;
		size_t span = section_bytes_at(input, at);

		if (span) {
			if (span > end - at)
				return false;
			at += span;
			continue;
		}
		span = parts_record_span(data, end - at);
		if (!span)
			return false;
		if (!take_block(parts, data, span))
			take_plain_record(parts, data, span);
		at += span;
	}
	return true;
}

static void take_sections(struct parts *parts, const struct input *input)
{
	size_t i;

	for (i = 0; i < input->n_sections; i++) {
		const struct section *section = &input->sections[i];
		uint64_t span = section_span(section);
		_cleanup_strbuf_ struct strbuf raw = { 0 };
		struct part_section *part;

		if (string_is(section->name, PARTS_CHECKSUMS))
			parts->has_checksums = true;
		if (string_is(section->name, PARTS_CHECKSUMS) ||
			string_is(section->name, SECTION_INDEX) || !span ||
			section->raw_size > MIB(1) ||
			!is_inside(input, section->offset, span) ||
			!section_read(section, input->data + section->offset,
				span, &raw))
			continue;
		part = array_push(&parts->sections);
		memcpy(part->name, section->name, sizeof(part->name));
		part->version = section->version;
		strbuf_put(&part->raw, raw.at, raw.n);
	}
}

/* Takes the trailer and the directory that it points to. */
static bool take_directory(
	struct parts *parts, struct input *input, uint64_t trailer_at)
{
	const struct section_trailer *trailer = &input->trailer;
	uint64_t seal;
	int n;

	if (!is_inside(input, trailer_at, TRAILER_SIZE) ||
		!section_trailer_read(
			bytes_of(input->data + trailer_at, TRAILER_SIZE, false),
			&input->trailer) ||
		!is_inside(input, trailer->directory_offset,
			trailer->directory_size))
		return false;
	memcpy(&seal, input->data + trailer_at + PARTS_SEAL_AT, sizeof(seal));
	parts->is_sealed = seal != 0;
	n = section_directory_read(
		bytes_of(input->data + trailer->directory_offset,
			trailer->directory_size, false),
		input->sections);
	input->n_sections = MAX(n, 0);
	return n >= 0;
}

static bool take_stream(struct parts *parts, struct input *input)
{
	uint64_t end = input->size;

	parts->is_stream = true;
	if (input->size >= STREAM_HEADER_SIZE + TRAILER_SIZE &&
		take_directory(parts, input, input->size - TRAILER_SIZE)) {
		parts->has_trailer = true;
		end = input->trailer.data_offset + input->trailer.data_size;
		if (end > input->size || end < STREAM_HEADER_SIZE)
			return false;
	}
	take_sections(parts, input);
	return take_data(parts, input, STREAM_HEADER_SIZE, end);
}

static bool take_events(struct parts *parts, const struct input *input,
	uint64_t at, uint64_t n, uint64_t entry)
{
	if (n > EVENTS_MAX || entry < 16 || entry > KIB(4))
		return false;
	for (; n; n--, at += entry) {
		struct part_event *event = array_push(&parts->events);
		struct bytes b;
		uint64_t ids, ids_size;

		if (!is_inside(input, at, entry))
			return false;
		b = bytes_of(input->data + at, entry, false);
		strbuf_put(
			&event->attr, bytes_take(&b, entry - 16), entry - 16);
		ids = bytes_u64(&b);
		ids_size = bytes_u64(&b);
		if (!is_inside(input, ids, ids_size))
			return false;
		strbuf_put(&event->ids, input->data + ids, ids_size);
	}
	return true;
}

static bool take_features(
	struct parts *parts, const struct input *input, uint64_t table)
{
	const uint8_t *bitmap = input->data + BITMAP_AT;
	unsigned bit;

	for (bit = 0; bit < 8 * BITMAP_SIZE; bit++) {
		struct part_feature *feature;
		struct bytes b;
		uint64_t at, size;

		if (!(bitmap[bit / 8] >> bit % 8 & 1))
			continue;
		if (!is_inside(input, table, 16))
			return false;
		b = bytes_of(input->data + table, 16, false);
		at = bytes_u64(&b);
		size = bytes_u64(&b);
		table += 16;
		if (!is_inside(input, at, size))
			return false;
		feature = array_push(&parts->features);
		feature->bit = bit;
		strbuf_put(&feature->bytes, input->data + at, size);
	}
	return true;
}

static bool take_file(struct parts *parts, struct input *input)
{
	struct bytes b =
		bytes_of(input->data + 16, FILE_HEADER_SIZE - 16, false);
	uint64_t entry = bytes_u64(&b);
	uint64_t attrs = bytes_u64(&b), attrs_size = bytes_u64(&b);
	uint64_t data = bytes_u64(&b), data_size = bytes_u64(&b);
	uint64_t own = bytes_u64(&b), own_size = bytes_u64(&b);

	if (!is_inside(input, data, data_size) || !entry)
		return false;
	if (own_size == TRAILER_SIZE) {
		if (!take_directory(parts, input, own) ||
			data < FILE_HEADER_SIZE)
			return false;
		parts->has_trailer = true;
		strbuf_put(&parts->head, input->data + FILE_HEADER_SIZE,
			data - FILE_HEADER_SIZE);
		take_sections(parts, input);
	}
	return take_events(parts, input, attrs, attrs_size / entry, entry) &&
		take_features(parts, input, data + data_size) &&
		take_data(parts, input, data, data + data_size);
}

bool parts_take(const uint8_t *data, size_t size, struct parts *ret)
{
	struct input input = { .data = data, .size = size };
	struct bytes b = bytes_of(data, size, false);
	const char *first = bytes_take(&b, sizeof(magic));
	uint64_t header_size = bytes_u64(&b);

	memset(ret, 0, sizeof(*ret));
	if (!b.ok || memcmp(first, magic, sizeof(magic)) != 0)
		return false;
	if (header_size == STREAM_HEADER_SIZE)
		return take_stream(ret, &input);
	return header_size == FILE_HEADER_SIZE && size >= FILE_HEADER_SIZE &&
		take_file(ret, &input);
}

void parts_deinit(struct parts *parts)
{
	array_each(&parts->data, part)
		strbuf_free(&part->records);
	array_each(&parts->sections, section)
		strbuf_free(&section->raw);
	array_each(&parts->features, feature)
		strbuf_free(&feature->bytes);
	array_each(&parts->events, event) {
		strbuf_free(&event->attr);
		strbuf_free(&event->ids);
	}
	array_free(&parts->data);
	array_free(&parts->sections);
	array_free(&parts->features);
	array_free(&parts->events);
	strbuf_free(&parts->head);
}
