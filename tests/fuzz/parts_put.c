/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a recording as a recording: sizes, offsets, and checksums. */
#include "config.h"

#include "tests/fuzz/parts.h"

#define STREAM_HEADER_SIZE 16u
#define FILE_HEADER_SIZE 104u
#define BITMAP_AT 72u
#define LEVEL 1

/* The recording that is written, with what its tables need. */
struct output {
	struct strbuf *file;
	struct section sections[SECTIONS_MAX];
	size_t n_sections;
	struct strbuf index; /* raw payload of the section "index" */
	uint64_t data_at;
};

static void set_u64(struct strbuf *file, size_t at, uint64_t value)
{
	memcpy(file->at + at, &value, sizeof(value));
}

static void put_block(struct output *output, const struct part_data *part,
	struct block_encoder *encoder)
{
	struct block_info info = part->info;
	uint8_t record[RECORD_SIZE_ALIGNED], described[BLOCK_INFO_SIZE];
	size_t size = 0;

	info.raw_size = (uint32_t)part->records.n;
	info.sequence = (uint32_t)(output->index.n / SECTION_INDEX_ENTRY_SIZE);
	if (part->records.n && part->records.n <= BLOCK_RAW_MAX)
		size = block_encode(
			encoder, LEVEL, &info, part->records.at, record);
	if (!size) {
		strbuf_put(output->file, part->records.at, part->records.n);
		return;
	}
	strbuf_put_u64(&output->index, output->file->n);
	block_info_write(&info, described);
	strbuf_put(&output->index, described, sizeof(described));
	strbuf_put(output->file, record, size);
}

static void put_data(struct output *output, const struct parts *parts)
{
	struct block_encoder *encoder = block_encoder_create();

	array_each(&parts->data, part) {
		if (part->is_block)
			put_block(output, part, encoder);
		else
			strbuf_put(output->file, part->records.at,
				part->records.n);
	}
	block_encoder_destroy(encoder);
}

static void put_section(struct output *output, const char *name,
	uint32_t version, const struct strbuf *raw)
{
	if (output->n_sections < SECTIONS_MAX)
		section_write(output->file, 0, name, version, raw,
			&output->sections[output->n_sections++]);
}

/* Writes the checksum of a closed file's head. */
static void put_checksums(struct output *output, const struct parts *parts)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };

	if (!parts->has_checksums)
		return;
	if (parts->head.n) {
		strbuf_put_u64(&raw, FILE_HEADER_SIZE);
		strbuf_put_u64(&raw, parts->head.n);
		strbuf_put_u64(
			&raw, section_checksum(parts->head.at, parts->head.n));
	}
	put_section(output, PARTS_CHECKSUMS, 1, &raw);
}

static void put_sections(struct output *output, const struct parts *parts)
{
	if (!parts->has_trailer)
		return;
	array_each(&parts->sections, section)
		put_section(
			output, section->name, section->version, &section->raw);
	put_section(output, SECTION_INDEX, 1, &output->index);
	put_checksums(output, parts);
}

/*
 * Writes the checksum of the first bytes of the file and of its tail, from
 * START on, to the trailer, which is the end of the file.
 */
static void seal_trailer(struct strbuf *file, uint64_t start)
{
	size_t at = file->n - TRAILER_SIZE;
	_cleanup_strbuf_ struct strbuf covered = { 0 };

	strbuf_put(&covered, file->at, MIN((size_t)FILE_HEADER_SIZE, at));
	strbuf_put(&covered, file->at + start, at - start);
	set_u64(file, at + PARTS_SEAL_AT,
		section_checksum(covered.at, covered.n));
	set_u64(file, at + TRAILER_SIZE - 8,
		section_checksum(file->at + at, TRAILER_SIZE - 8));
}

/* In a stream, directory and trailer are in records of their own. */
static void put_stream_end(struct output *output, const struct parts *parts)
{
	_cleanup_strbuf_ struct strbuf directory = { 0 }, trailer = { 0 };
	struct section_trailer places = { .data_offset = output->data_at,
		.data_size = output->file->n - output->data_at };

	section_directory_write(
		output->sections, output->n_sections, &directory);
	places.directory_offset = output->file->n;
	places.directory_offset +=
		section_wrap(output->file, directory.at, directory.n);
	places.directory_size = directory.n;
	section_trailer_write(&places, &trailer);
	section_wrap(output->file, trailer.at, trailer.n);
	if (parts->is_sealed)
		seal_trailer(
			output->file, places.data_offset + places.data_size);
}

static void put_features(struct output *output, const struct parts *parts)
{
	struct strbuf *file = output->file;
	size_t table = file->n;

	strbuf_fill(file, 0, 16 * parts->features.n);
	array_each(&parts->features, feature) {
		file->at[BITMAP_AT + feature->bit / 8] |=
			(char)(1u << feature->bit % 8);
		set_u64(file, table, file->n);
		set_u64(file, table + 8, feature->bytes.n);
		table += 16;
		strbuf_put(file, feature->bytes.at, feature->bytes.n);
		strbuf_align(file, 8);
	}
}

/* Writes attrs and ids, and their place to the header. */
static void put_events(struct output *output, const struct parts *parts)
{
	struct strbuf *file = output->file;
	size_t entry = 16, at = file->n;

	if (parts->events.n)
		entry += parts->events.at[0].attr.n;
	set_u64(file, 16, entry);
	set_u64(file, 24, at);
	set_u64(file, 32, parts->events.n * entry);
	array_each(&parts->events, event) {
		strbuf_put(file, event->attr.at, event->attr.n);
		strbuf_fill(file, 0, 16);
	}
	array_each(&parts->events, event) {
		at += entry;
		set_u64(file, at - 16, file->n);
		set_u64(file, at - 8, event->ids.n);
		strbuf_put(file, event->ids.at, event->ids.n);
	}
}

static void put_file_end(struct output *output, const struct parts *parts)
{
	struct strbuf *file = output->file;
	struct section_trailer places = { .data_offset = output->data_at,
		.data_size = file->n - output->data_at };

	set_u64(file, 40, places.data_offset);
	set_u64(file, 48, places.data_size);
	put_features(output, parts);
	put_events(output, parts);
	if (!parts->has_trailer)
		return;
	strbuf_align(file, 8);
	places.directory_offset = file->n;
	section_directory_write(output->sections, output->n_sections, file);
	places.directory_size = file->n - places.directory_offset;
	set_u64(file, 56, file->n);
	set_u64(file, 64, TRAILER_SIZE);
	section_trailer_write(&places, file);
	if (parts->is_sealed)
		seal_trailer(file, places.data_offset + places.data_size);
}

void parts_put(const struct parts *parts, struct strbuf *out)
{
	struct output output = { .file = out };

	strbuf_puts(out, "PERFILE2");
	strbuf_put_u64(
		out, parts->is_stream ? STREAM_HEADER_SIZE : FILE_HEADER_SIZE);
	if (!parts->is_stream) {
		strbuf_fill(out, 0, FILE_HEADER_SIZE - STREAM_HEADER_SIZE);
		strbuf_put(out, parts->head.at, parts->head.n);
	}
	output.data_at = out->n;
	put_data(&output, parts);
	put_sections(&output, parts);
	if (!parts->is_stream)
		put_file_end(&output, parts);
	else if (parts->has_trailer)
		put_stream_end(&output, parts);
	strbuf_free(&output.index);
}
