/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands around the records: the header, and the tables it points to. */
#include "config.h"

#include "common/alloc.h"
#include "common/reader.h"
#include "common/reader_private.h"

#define HEADER_SIZE 104u     /* perf_file_header with its bitmap */
#define HEADER_SIZE_OLD 72u  /* without */
#define PIPE_HEADER_SIZE 16u

static struct error *read_attrs(
	struct reader *reader, uint64_t entry, uint64_t offset, uint64_t size)
{
	_cleanup_free_ uint8_t *attrs = NULL;
	uint64_t i, n = size / entry, ids_total = 0;

	if (n == 0 || n > ATTR_EVENTS_MAX)
		return error_new("it describes %llu events",
			(unsigned long long)n);
	attrs = xmalloc(size);
	if (reader_read_at(reader, offset, attrs, size) != size)
		return error_new("its events can't be read");
	for (i = 0; i < n; i++) {
		struct bytes b = bytes_of(attrs + i * entry, entry, reader->swap);
		struct perf_event_attr attr;
		_cleanup_free_ uint8_t *ids = NULL;
		uint64_t ids_offset, ids_size;

		if (!attr_read(&b, entry - 16, &attr))
			return error_new("event %llu has an attr of %llu bytes",
				(unsigned long long)i,
				(unsigned long long)entry - 16);
		ids_offset = bytes_u64(&b);
		ids_size = bytes_u64(&b);
		ids_total += ids_size;
		if (ids_total > reader->size || ids_offset > reader->size ||
			ids_size > reader->size - ids_offset)
			return error_new("event %llu has ids outside the file",
				(unsigned long long)i);
		ids = xmalloc(ids_size);
		ids_size = reader_read_at(reader, ids_offset, ids, ids_size);
		reader_add_event(reader, &attr, bytes_of(ids, ids_size, reader->swap));
	}
	return NULL;
}

static void read_features(struct reader *reader, uint64_t table,
	const uint64_t bitmap[FEATURE_BITS / 64])
{
	/* Sections don't overlap, so they have no more bytes than the file. */
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

/* False if there is none that can be read. */
static bool read_directory(struct reader *reader, uint64_t trailer_at)
{
	_cleanup_free_ uint8_t *directory = NULL;
	uint8_t bytes[TRAILER_SIZE];
	struct trailer trailer;
	int n;

	/* Our own sections are little-endian, and so is what has any. */
	if (reader->swap ||
		reader_read_at(reader, trailer_at, bytes, sizeof(bytes)) !=
			sizeof(bytes) ||
		!trailer_read(
			bytes_of(bytes, sizeof(bytes), false), &trailer) ||
		trailer.directory_size > SECTIONS_MAX * sizeof(struct section))
		return false;
	directory = xmalloc(trailer.directory_size);
	if (reader_read_at(reader, trailer.directory_offset, directory,
		    trailer.directory_size) != trailer.directory_size)
		return false;
	n = section_directory_read(
		bytes_of(directory, trailer.directory_size, false),
		reader->sections);
	reader->n_sections = MAX(n, 0);
	return n >= 0;
}

static void begin_stream(struct reader *reader, uint64_t offset)
{
	reader->is_pipe = true;
	reader->at = offset;
	reader->end = reader->size;
	if (reader->size >= TRAILER_SIZE)
		read_directory(reader, reader->size - TRAILER_SIZE);
}

/*
 * It is an array of the recording machine's longs. Where these had 4 bytes, and
 * the other order, each is turned by itself; perf always writes HOSTNAME.
 */
static void read_bitmap(const struct reader *reader, struct bytes b,
	uint64_t bitmap[FEATURE_BITS / 64])
{
	size_t i;

	for (i = 0; i < FEATURE_BITS / 64; i++)
		bitmap[i] = bytes_u64(&b);
	if (!reader->swap || bitmap[0] >> FEATURE_HOSTNAME & 1)
		return;
	for (i = 0; i < FEATURE_BITS / 64; i++)
		bitmap[i] = bitmap[i] << 32 | bitmap[i] >> 32;
}

static struct error *read_file_header(
	struct reader *reader, struct bytes b, uint64_t header_size)
{
	uint64_t entry = bytes_u64(&b);
	uint64_t attrs = bytes_u64(&b), attrs_size = bytes_u64(&b);
	uint64_t data = bytes_u64(&b), data_size = bytes_u64(&b);
	uint64_t own = bytes_u64(&b), own_size = bytes_u64(&b);
	uint64_t bitmap[FEATURE_BITS / 64] = { 0 };
	struct error *err;

	if (header_size == HEADER_SIZE)
		read_bitmap(reader, b, bitmap);
	/* A closed recording of ours whose tail is gone is still a stream. */
	if (own_size == TRAILER_SIZE &&
		(own > reader->size || own_size > reader->size - own)) {
		reader_damaged(reader, reader->size, "the file is cut off");
		begin_stream(reader, HEADER_SIZE);
		if (data <= reader->size && data_size <= reader->size - data)
			reader->end = data + data_size;
		return NULL;
	}
	if (data > reader->size || entry < PERF_ATTR_SIZE_VER0 + 16 ||
		entry > ATTR_SIZE_MAX + 16 || attrs > reader->size ||
		attrs_size > reader->size - attrs)
		return error_new("its header points outside of it");
	err = read_attrs(reader, entry, attrs, attrs_size);
	if (err)
		return err;
	reader->at = data;
	reader->end = reader->size;
	if (data_size == 0) {
		reader_damaged(reader, reader->size,
			"its recorder was killed: no end of data is told");
		return NULL;
	}
	if (data_size > reader->size - data) {
		reader_damaged(reader, reader->size, "the file is cut off");
		return NULL;
	}
	reader->end = data + data_size;
	read_features(reader, reader->end, bitmap);
	reader_name_events(reader);
	if (own_size == TRAILER_SIZE && !reader->swap &&
		!read_directory(reader, own))
		reader_damaged(reader, reader->size,
			"what dwell has added to it can't be read");
	return NULL;
}

/*
 * The first version's magic reads the same in both orders: there, the size of
 * an attr in the file, or that of a pipe's header, tells.
 */
static bool swaps_first_version(struct bytes b)
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

/* False if the file begins with nobody's magic. */
static bool read_magic(struct reader *reader, struct bytes b)
{
	struct bytes whole = b;
	uint64_t magic = bytes_u64(&b);

	reader->swap = magic == bswap_64(ABI_FILE_MAGIC);
	if (!memcmp(&magic, "PERFFILE", sizeof(magic))) {
		reader->swap = swaps_first_version(whole);
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
		return error_new("is empty: nothing was recorded");
	if (n < PIPE_HEADER_SIZE || !read_magic(reader, b))
		return error_new("is not a perf.data file");
	b.swap = reader->swap;
	bytes_u64(&b);
	header_size = bytes_u64(&b);
	if (header_size == PIPE_HEADER_SIZE) {
		begin_stream(reader, PIPE_HEADER_SIZE);
		return NULL;
	}
	if (n < HEADER_SIZE_OLD)
		return error_new("is cut off inside its header");
	if (header_size != HEADER_SIZE && header_size != HEADER_SIZE_OLD)
		return error_new("has a header of %llu bytes, which no perf "
				 "writes",
			(unsigned long long)header_size);
	return read_file_header(reader, b, header_size);
}
