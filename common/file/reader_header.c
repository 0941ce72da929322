/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the file header and the tables it points to. */
#include "config.h"

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/util/alloc.h"

#define HEADER_SIZE WRITER_HEADER_SIZE /* with feature bitmap */
#define HEADER_SIZE_OLD 72u	       /* without feature bitmap */
#define PIPE_HEADER_SIZE 16u

static struct error *read_attr_table(
	struct reader *reader, uint64_t entry, uint64_t offset, uint64_t size)
{
	_cleanup_free_ uint8_t *attrs = NULL;
	uint64_t i, n = size / entry, ids_total = 0;

	if (n == 0 || n > ATTR_EVENTS_MAX)
		return error_new(
			"the header has %llu events", (unsigned long long)n);
	attrs = xmalloc(size);
	if (reader_read_at(reader, offset, attrs, size) != size)
		return error_new("cannot read the event table");
	for (i = 0; i < n; i++) {
		struct bytes b =
			bytes_of(attrs + i * entry, entry, reader->swap);
		struct perf_event_attr attr;
		_cleanup_free_ uint8_t *ids = NULL;
		uint64_t ids_offset, ids_size;

		if (!attr_read(&b, entry - 16, &attr))
			return error_new("event %llu has an invalid attribute "
					 "of %llu bytes",
				(unsigned long long)i,
				(unsigned long long)entry - 16);
		ids_offset = bytes_u64(&b);
		ids_size = bytes_u64(&b);
		ids_total += ids_size;
		if (ids_total > reader->size || ids_offset > reader->size ||
			ids_size > reader->size - ids_offset)
			return error_new(
				"the ID list of event %llu is outside of the file",
				(unsigned long long)i);
		ids = xmalloc(ids_size);
		ids_size = reader_read_at(reader, ids_offset, ids, ids_size);
		reader_add_event(
			reader, &attr, bytes_of(ids, ids_size, reader->swap));
	}
	return NULL;
}

static void read_feature_table(struct reader *reader, uint64_t table,
	const uint64_t bitmap[FEATURE_BITS / 64])
{
	/*
	 * Feature sections do not overlap, so together they are no larger than
	 * the file.
	 */
	uint64_t left = reader->size;
	unsigned bit;

	for (bit = 0; bit < FEATURE_BITS; bit++) {
		_cleanup_free_ uint8_t *data = NULL;
		uint64_t place[2], offset, size;
		struct bytes b;

		if (!(bitmap[bit / 64] >> (bit % 64) & 1))
			continue;
		if (reader_read_at(reader, table, place, sizeof(place)) !=
			sizeof(place))
			return;
		table += sizeof(place);
		b = bytes_of(place, sizeof(place), reader->swap);
		offset = bytes_u64(&b);
		size = bytes_u64(&b);
		if (offset > reader->size || size > FEATURE_SIZE_MAX ||
			size > reader->size - offset || size > left)
			continue;
		left -= size;
		data = xmalloc(size);
		size = reader_read_at(reader, offset, data, size);
		feature_read(&reader->features, bit,
			bytes_of(data, size, reader->swap));
	}
}

/*
 * Reads dwell's trailer at OFFSET into RET. Returns false if there is no valid
 * trailer, or if the file has the other byte order: dwell's sections are
 * little-endian.
 */
static bool read_trailer_at(const struct reader *reader, uint64_t offset,
	struct section_trailer *ret)
{
	uint8_t bytes[TRAILER_SIZE];

	return !reader->swap && offset < reader->size &&
		reader_read_at(reader, offset, bytes, sizeof(bytes)) ==
		sizeof(bytes) &&
		section_trailer_read(
			bytes_of(bytes, sizeof(bytes), false), ret);
}

static bool read_section_directory(
	struct reader *reader, const struct section_trailer *trailer)
{
	_cleanup_free_ uint8_t *directory = NULL;
	int n;

	if (trailer->directory_size > SECTIONS_MAX * sizeof(struct section))
		return false;
	directory = xmalloc(trailer->directory_size);
	if (reader_read_at(reader, trailer->directory_offset, directory,
		    trailer->directory_size) != trailer->directory_size)
		return false;
	n = section_directory_read(
		bytes_of(directory, trailer->directory_size, false),
		reader->sections);
	reader->n_sections = MAX(n, 0);
	return n >= 0;
}

/*
 * Reads the section directory to which TRAILER points, and checks the tail and
 * the sections. OFFSET is the file offset of TRAILER.
 */
static void read_own_sections(struct reader *reader,
	const struct section_trailer *trailer, uint64_t offset)
{
	bool is_whole = reader_check_tail(reader, trailer, offset);

	if (!is_whole)
		reader_add_damage(reader, offset,
			"the file header or the tail is damaged");
	if (!read_section_directory(reader, trailer) && is_whole)
		reader_add_damage(reader, trailer->directory_offset,
			"dwell's sections cannot be read");
	reader_check_sections(reader);
}

/*
 * Returns true if the last record of the file has the size and type of the
 * record that contains a stream's trailer.
 */
static bool ends_with_trailer_record(const struct reader *reader)
{
	uint8_t header[RECORD_HEADER_SIZE];
	struct record record;

	return reader->size >= SECTION_RECORD_MIN &&
		reader_read_at(reader, reader->size - SECTION_RECORD_MIN,
			header, sizeof(header)) == sizeof(header) &&
		!record_at(header, sizeof(header), reader->swap, &record) &&
		record.type == RECORD_HEADER_EVENT_TYPE &&
		record.size == SECTION_RECORD_MIN;
}

/*
 * Returns true if a trailer begins at OFFSET, even if half of the trailer's
 * magic is damaged.
 */
static bool has_trailer_magic(const struct reader *reader, uint64_t offset)
{
	char bytes[8];

	return reader_read_at(reader, offset, bytes, sizeof(bytes)) ==
		sizeof(bytes) &&
		(!memcmp(bytes, "DWEL", 4) || !memcmp(bytes + 4, "LEND", 4));
}

static void begin_pipe_stream(struct reader *reader, uint64_t offset)
{
	struct section_trailer trailer;

	reader->is_pipe = true;
	reader->at = offset;
	reader->end = reader->size;
	/*
	 * Read the trailer at the end of the stream. A recorder that was killed
	 * while it closed a file can also leave a trailer: the file header,
	 * which it writes last, is then missing.
	 */
	if (reader->size < TRAILER_SIZE)
		return;
	offset = reader->size - TRAILER_SIZE;
	if (!read_trailer_at(reader, offset, &trailer)) {
		if (ends_with_trailer_record(reader) &&
			has_trailer_magic(reader, offset))
			reader_add_damage(reader, offset,
				"dwell's sections cannot be read");
		return;
	}
	if (ends_with_trailer_record(reader)) {
		reader->is_closed = true;
		read_own_sections(reader, &trailer, offset);
		return;
	}
	if (read_section_directory(reader, &trailer))
		reader_check_sections(reader);
}

struct file_header {
	/* entry size, offset and size of the attribute table */
	uint64_t entry, attrs, attrs_size;
	uint64_t data, data_size;
	/*
	 * offset and size of dwell's trailer; in perf's files, of the event
	 * types
	 */
	uint64_t own, own_size;
	uint64_t bitmap[FEATURE_BITS / 64];
};

static struct file_header parse_file_header(
	const struct reader *reader, struct bytes b, uint64_t header_size)
{
	struct file_header header = {
		.entry = bytes_u64(&b),
	};
	size_t i;

	header.attrs = bytes_u64(&b);
	header.attrs_size = bytes_u64(&b);
	header.data = bytes_u64(&b);
	header.data_size = bytes_u64(&b);
	header.own = bytes_u64(&b);
	header.own_size = bytes_u64(&b);
	for (i = 0; header_size == HEADER_SIZE && i < FEATURE_BITS / 64; i++)
		header.bitmap[i] = bytes_u64(&b);
	/*
	 * The feature bitmap is an array of the recording machine's longs. If
	 * the longs were 32-bit longs in the other byte order, exchange the
	 * halves of each u64. perf always writes HOSTNAME, so a missing
	 * HOSTNAME bit shows this case.
	 */
	if (reader->swap && !(header.bitmap[0] >> FEATURE_HOSTNAME & 1))
		for (i = 0; i < FEATURE_BITS / 64; i++)
			header.bitmap[i] =
				header.bitmap[i] << 32 | header.bitmap[i] >> 32;
	return header;
}

/*
 * Finds the trailer at the offset in HEADER, or at the end of the file if
 * HEADER is damaged. Replaces the offset and size of the data in HEADER by
 * those in the trailer, because the trailer has a checksum.
 */
static bool find_file_trailer(struct reader *reader, struct file_header *header,
	struct section_trailer *ret)
{
	uint64_t end = reader->size - TRAILER_SIZE;

	if (header->own_size != TRAILER_SIZE ||
		!read_trailer_at(reader, header->own, ret)) {
		if (!read_trailer_at(reader, end, ret))
			return false;
		header->own = end;
	}
	header->data = ret->data_offset;
	header->data_size = ret->data_size;
	return true;
}

/*
 * Sets reader->at and reader->end to the start and end of the records. Returns
 * false if nothing follows the records.
 */
static bool find_data_end(
	struct reader *reader, const struct file_header *header)
{
	reader->at = header->data;
	reader->end = reader->size;
	reader->is_closed = header->data_size != 0;
	if (!reader->is_closed)
		reader_add_early_end(reader, reader->size,
			"the recorder was killed: the header has no end of the "
			"data");
	else if (header->data_size > reader->size - header->data)
		reader_add_damage(reader, reader->size, "the file is cut off");
	else
		reader->end = header->data + header->data_size;
	return reader->is_closed && reader->end != reader->size;
}

static struct error *read_file_header(
	struct reader *reader, struct bytes b, uint64_t header_size)
{
	struct file_header header = parse_file_header(reader, b, header_size);
	bool is_own = header.own_size == TRAILER_SIZE, has_trailer;
	struct section_trailer trailer;
	struct error *err;

	has_trailer = find_file_trailer(reader, &header, &trailer);
	if (is_own && !has_trailer &&
		header.own > reader->size - TRAILER_SIZE) {
		/*
		 * A closed recording of dwell that lost its tail is still a
		 * valid stream from HEADER_SIZE on.
		 */
		reader_add_damage(reader, reader->size, "the file is cut off");
		begin_pipe_stream(reader, HEADER_SIZE);
		if (header.data <= reader->size &&
			header.data_size <= reader->size - header.data)
			reader->end = header.data + header.data_size;
		return NULL;
	}
	if (header.data > reader->size ||
		header.entry < PERF_ATTR_SIZE_VER0 + 16 ||
		header.entry > ATTR_SIZE_MAX + 16 ||
		header.attrs > reader->size ||
		header.attrs_size > reader->size - header.attrs)
		return error_new("the header points outside of the file");
	err = read_attr_table(
		reader, header.entry, header.attrs, header.attrs_size);
	if (err || !find_data_end(reader, &header))
		return err;
	read_feature_table(reader, reader->end, header.bitmap);
	reader_name_events(reader);
	if (has_trailer)
		read_own_sections(reader, &trailer, header.own);
	else if (is_own && !reader->swap)
		reader_add_damage(reader, reader->size,
			"dwell's sections cannot be read");
	return NULL;
}

/*
 * Returns true if a perf.data of version 1 has the other byte order. Its magic
 * is the same in both byte orders, so the size of a file's attribute, or of a
 * pipe's header, shows the order.
 */
static bool is_first_version_swapped(struct bytes b)
{
	uint64_t header_size, entry;

	bytes_u64(&b);
	header_size = bytes_u64(&b);
	entry = bytes_u64(&b);
	if (header_size == PIPE_HEADER_SIZE)
		return false;
	return bswap_64(header_size) == PIPE_HEADER_SIZE ||
		entry > ATTR_SIZE_MAX + 16;
}

/* Returns false if the file does not begin with a magic number of perf.data. */
static bool read_file_magic(struct reader *reader, struct bytes b)
{
	struct bytes whole = b;
	uint64_t magic = bytes_u64(&b);

	reader->swap = magic == bswap_64(ABI_FILE_MAGIC);
	if (!memcmp(&magic, "PERFFILE", sizeof(magic))) {
		reader->swap = is_first_version_swapped(whole);
		return true;
	}
	return reader->swap || magic == ABI_FILE_MAGIC;
}

struct error *reader_read_header(struct reader *reader)
{
	uint8_t header[HEADER_SIZE] = { 0 };
	size_t n = reader_read_at(reader, 0, header, sizeof(header));
	struct bytes b = bytes_of(header, sizeof(header), false);
	uint64_t header_size;

	if (n == 0)
		return error_new("the file is empty: nothing was recorded");
	if (n < PIPE_HEADER_SIZE || !read_file_magic(reader, b))
		return error_new("not a recording of dwell or perf");
	b.swap = reader->swap;
	bytes_u64(&b);
	header_size = bytes_u64(&b);
	if (header_size == PIPE_HEADER_SIZE) {
		begin_pipe_stream(reader, PIPE_HEADER_SIZE);
		return NULL;
	}
	if (n < HEADER_SIZE_OLD)
		return error_new("the file ends inside its header");
	if (header_size != HEADER_SIZE && header_size != HEADER_SIZE_OLD)
		return error_new("the header has an unknown size: %llu bytes",
			(unsigned long long)header_size);
	return read_file_header(reader, b, header_size);
}
