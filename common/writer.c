/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/writer.h"

#include <errno.h>

#include "common/alloc.h"

#define HEADER_SIZE 104u /* perf_file_header, version 2 */
#define PIPE_HEADER_SIZE 16u

/* What one feature section of the closed file is: where its bytes stand. */
struct placed {
	unsigned bit;
	uint64_t offset, size;
};

/* A closing feature that doesn't fit into one record. */
struct large {
	unsigned bit;
	struct strbuf body; /* owned */
};

struct writer {
	struct sink sink;
	const struct features *host;
	uint64_t size, data_offset;
	ARRAY(struct placed) placed;
	ARRAY(struct large) large; /* go behind the feature table */
	ARRAY(struct block_at {
		uint64_t offset;
		struct block_info info;
	}) blocks;
};

static int write_file(void *data, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	int fd = *(int *)data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int overwrite_file(
	void *data, uint64_t offset, const void *bytes, size_t size)
{
	ssize_t n = pwrite(*(int *)data, bytes, size, (off_t)offset);

	if (n < 0)
		return errno;
	return (size_t)n == size ? 0 : EIO;
}

static int cut_file(void *data, uint64_t size)
{
	int fd = *(int *)data;

	if (ftruncate(fd, (off_t)size) < 0)
		return errno;
	return lseek(fd, (off_t)size, SEEK_SET) < 0 ? errno : 0;
}

struct sink sink_of_file(int *fd)
{
	return (struct sink){ write_file, overwrite_file, cut_file, fd };
}

struct sink sink_of_stream(int *fd)
{
	return (struct sink){ .append = write_file, .data = fd };
}

static void cut(struct writer *writer, uint64_t size)
{
	if (writer->sink.cut)
		writer->sink.cut(writer->sink.data, size);
}

static struct error *append(
	struct writer *writer, const void *bytes, size_t size)
{
	int errnum = writer->sink.append(writer->sink.data, bytes, size);

	if (!errnum) {
		writer->size += size;
		return NULL;
	}
	/* Half a record would end the stream for every reader: take it back. */
	cut(writer, writer->size);
	return error_errno(errnum, "writing %zu bytes", size);
}

/* A section that is written again replaces the earlier one. */
static void put_place(
	struct writer *writer, unsigned bit, uint64_t offset, uint64_t size)
{
	array_each(&writer->placed, placed) {
		if (placed->bit != bit)
			continue;
		*placed = (struct placed){ bit, offset, size };
		return;
	}
	*array_push(&writer->placed) = (struct placed){ bit, offset, size };
}

/* A record holds some 8,000 ids; the closed file's attrs have them all. */
static void put_attr(const struct event *event, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	attr_write(&event->attr, &payload);
	array_each(&event->ids, id)
		if (payload.n + 8 <= RECORD_SIZE_ALIGNED - RECORD_HEADER_SIZE)
			strbuf_put_u64(&payload, *id);
	record_write(out, RECORD_HEADER_ATTR, 0, payload.at, payload.n);
}

static void put_name(const struct event *event, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, EVENT_UPDATE_NAME);
	strbuf_put_u64(&payload, event->ids.n ? event->ids.at[0] : 0);
	strbuf_put(&payload, event->name, strlen(event->name) + 1);
	strbuf_align(&payload, 8);
	record_write(out, RECORD_EVENT_UPDATE, 0, payload.at, payload.n);
}

/* ENTRIES: {u64 id, index, cpu, thread} each. */
static void put_index_record(struct strbuf *entries, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, entries->n / 32);
	strbuf_put(&payload, entries->at, entries->n);
	record_write(out, RECORD_ID_INDEX, 0, payload.at, payload.n);
	strbuf_clear(entries);
}

static void put_id_index(const struct features *host, struct strbuf *out)
{
	const size_t most = RECORD_SIZE_ALIGNED - RECORD_HEADER_SIZE - 8 - 32;
	_cleanup_strbuf_ struct strbuf entries = { 0 };
	uint64_t index = 0;

	array_each(&host->events, event) {
		array_each(&event->ids, id) {
			if (entries.n > most)
				put_index_record(&entries, out);
			strbuf_put_u64(&entries, *id);
			strbuf_put_u64(&entries, index++);
			strbuf_put_u64(&entries, UINT64_MAX); /* any cpu */
			strbuf_put_u64(&entries, UINT64_MAX); /* any thread */
		}
	}
	put_index_record(&entries, out);
}

/* A feature as the stream has it; the closed file's table points into it. */
static void put_feature(struct writer *writer, unsigned bit,
	const struct strbuf *body, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, bit);
	put_place(writer, bit, out->n + RECORD_HEADER_SIZE + payload.n,
		body->n);
	strbuf_put(&payload, body->at, body->n);
	strbuf_align(&payload, 8);
	record_write(out, RECORD_HEADER_FEATURE, 0, payload.at, payload.n);
}

/*
 * The first record fills the bytes up to HEADER_SIZE exactly, so that the
 * closing header destroys this one and no other: a file whose tail was cut
 * off is still read from HEADER_SIZE on. A hostname has at most 64 characters
 * (Linux, __NEW_UTS_LEN); the closed file gets it once more behind the data.
 */
static void put_hostname(const struct features *host, struct strbuf *out)
{
	const size_t room =
		HEADER_SIZE - PIPE_HEADER_SIZE - RECORD_HEADER_SIZE - 8 - 4;
	size_t length = MIN(strlen(host->hostname), room - 1);
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, FEATURE_HOSTNAME);
	strbuf_put_u32(&payload, (uint32_t)room);
	strbuf_put(&payload, host->hostname, length);
	strbuf_fill(&payload, 0, room - length);
	record_write(out, RECORD_HEADER_FEATURE, 0, payload.at, payload.n);
}

static void put_tracing_data(struct writer *writer,
	const struct features *host, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	/* perf reads on behind the padding, and compares. */
	strbuf_put_u32(
		&payload, (uint32_t)ALIGN_UP(host->tracing_data_size, 8));
	strbuf_put_u32(&payload, 0);
	record_write(
		out, RECORD_HEADER_TRACING_DATA, 0, payload.at, payload.n);
	put_place(writer, FEATURE_TRACING_DATA, out->n,
		host->tracing_data_size);
	strbuf_put(out, host->tracing_data, host->tracing_data_size);
	strbuf_align(out, 8);
}

static void put_head(struct writer *writer, struct strbuf *out)
{
	const struct features *host = writer->host;
	unsigned bit;

	strbuf_put_u64(out, ABI_FILE_MAGIC);
	strbuf_put_u64(out, PIPE_HEADER_SIZE);
	put_hostname(host, out);
	array_each(&host->events, event)
		put_attr(event, out);
	for (bit = 0; bit < FEATURE_BITS; bit++) {
		_cleanup_strbuf_ struct strbuf body = { 0 };

		if (!feature_is_present(host, bit) ||
			bit == FEATURE_HOSTNAME ||
			bit == FEATURE_TRACING_DATA ||
			bit == FEATURE_EVENT_DESC)
			continue;
		if (feature_write(host, bit, &body) &&
			body.n <= SECTION_CHUNK_MAX)
			put_feature(writer, bit, &body, out);
	}
	if (feature_is_present(host, FEATURE_TRACING_DATA))
		put_tracing_data(writer, host, out);
	array_each(&host->events, event)
		put_name(event, out);
	put_id_index(host, out);
}

struct error *writer_create(const struct sink *sink,
	const struct features *host, struct writer **ret)
{
	_cleanup_strbuf_ struct strbuf head = { 0 };
	struct writer *writer = xcalloc(1, sizeof(*writer));
	struct error *err;

	writer->sink = *sink;
	writer->host = host;
	put_head(writer, &head);
	err = append(writer, head.at, head.n);
	if (err) {
		writer_destroy(writer);
		return err;
	}
	writer->data_offset = writer->size;
	*ret = writer;
	return NULL;
}

void writer_destroy(struct writer *writer)
{
	if (!writer)
		return;
	array_free(&writer->placed);
	array_each(&writer->large, large)
		strbuf_free(&large->body);
	array_free(&writer->large);
	array_free(&writer->blocks);
	free(writer);
}

/* A disk that is nearly full takes some of many records: one by one then. */
static void append_each(
	struct writer *writer, const uint8_t *records, size_t size)
{
	struct error *err = NULL;
	struct record record;

	while (!err && record_at(records, size, false, &record)) {
		err = append(writer, record.data, record.size);
		records += record.size;
		size -= record.size;
	}
	error_free(err);
}

struct error *writer_put(
	struct writer *writer, const void *records, size_t size)
{
	struct error *err = append(writer, records, size);

	if (err && writer->sink.cut)
		append_each(writer, records, size);
	return err;
}

struct error *writer_put_block(struct writer *writer, const void *record,
	size_t size, const struct block_info *info)
{
	struct block_at at = { writer->size, *info };
	struct error *err = append(writer, record, size);

	if (!err)
		*array_push(&writer->blocks) = at;
	return err;
}

uint64_t writer_size(const struct writer *writer)
{
	return writer->size;
}

static int compare_placed(const void *a, const void *b)
{
	const struct placed *left = a, *right = b;

	return COMPARE(left->bit, right->bit);
}

static void keep_large(
	struct writer *writer, unsigned bit, struct strbuf *body)
{
	*array_push(&writer->large) = (struct large){ bit, *body };
	*body = (struct strbuf){ 0 };
	put_place(writer, bit, 0, 0);
}

/* The table's size is known by now, so is where its last entries lead. */
static void put_feature_table(struct writer *writer, struct strbuf *out)
{
	uint64_t at = writer->size + writer->placed.n * 16;

	array_each(&writer->large, large) {
		put_place(writer, large->bit, at, large->body.n);
		strbuf_align(&large->body, 8);
		at += large->body.n;
	}
	array_sort(&writer->placed, compare_placed);
	array_each(&writer->placed, placed) {
		strbuf_put_u64(out, placed->offset);
		strbuf_put_u64(out, placed->size);
	}
	array_each(&writer->large, large)
		strbuf_put(out, large->body.at, large->body.n);
}

static void put_closing_features(struct writer *writer,
	const struct features *closing, struct strbuf *out)
{
	unsigned bit;
	size_t start;

	for (bit = 0; bit < FEATURE_BITS; bit++) {
		_cleanup_strbuf_ struct strbuf body = { 0 };

		if (!feature_is_present(closing, bit) ||
			!feature_write(closing, bit, &body))
			continue;
		if (body.n > SECTION_CHUNK_MAX) {
			keep_large(writer, bit, &body);
			continue;
		}
		start = writer->size + out->n;
		put_place(writer, bit,
			start + section_wrap(out, body.at, body.n), body.n);
	}
}

static void put_index(const struct writer *writer, struct strbuf *raw)
{
	array_each(&writer->blocks, block) {
		uint8_t info[BLOCK_INFO_SIZE];

		block_info_write(&block->info, info);
		strbuf_put_u64(raw, block->offset);
		strbuf_put(raw, info, sizeof(info));
	}
}

/* The index is the last one. */
static void put_sections(const struct writer *writer,
	const struct writer_section *sections, size_t n_sections,
	struct section *directory, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf index = { 0 };
	size_t i;

	for (i = 0; i < n_sections; i++)
		section_write(out, writer->size, sections[i].name,
			sections[i].version, &sections[i].raw, &directory[i]);
	put_index(writer, &index);
	section_write(out, writer->size, SECTION_INDEX, 1, &index,
		&directory[n_sections]);
}

/* perf's attrs: equal entries of attr and {offset, size} of its ids. */
static size_t stored_attr_size(const struct features *host)
{
	size_t size = 0;

	array_each(&host->events, event)
		size = MAX(size, attr_stored_size(&event->attr));
	return size;
}

static void put_attrs(
	const struct features *host, uint64_t offset, struct strbuf *out)
{
	size_t attr_size = stored_attr_size(host);
	uint64_t ids = offset + host->events.n * (attr_size + 16);

	array_each(&host->events, event) {
		struct perf_event_attr attr = event->attr;

		attr.size = (uint32_t)attr_size;
		strbuf_put(out, &attr, attr_size);
		strbuf_put_u64(out, ids);
		strbuf_put_u64(out, event->ids.n * 8);
		ids += event->ids.n * 8;
	}
	array_each(&host->events, event)
		array_each(&event->ids, id)
			strbuf_put_u64(out, *id);
}

/* The tail behind the data, one write; HEADER gets what points at it. */
static void put_tail(struct writer *writer, const struct section *directory,
	size_t n_directory, struct strbuf *out, struct strbuf *header)
{
	uint64_t start = writer->size, attrs, bitmap[FEATURE_BITS / 64] = { 0 };
	const struct features *host = writer->host;
	struct trailer trailer = {
		.data_offset = writer->data_offset,
		.data_size = start - writer->data_offset,
	};

	put_feature_table(writer, out);
	array_each(&writer->placed, placed)
		bitmap[placed->bit / 64] |= UINT64_C(1) << placed->bit % 64;
	attrs = start + out->n;
	put_attrs(host, attrs, out);
	trailer.directory_offset = start + out->n;
	section_directory_write(directory, n_directory, out);
	trailer.directory_size = start + out->n - trailer.directory_offset;

	strbuf_put_u64(header, ABI_FILE_MAGIC);
	strbuf_put_u64(header, HEADER_SIZE);
	strbuf_put_u64(header, stored_attr_size(host) + 16);
	strbuf_put_u64(header, attrs);
	strbuf_put_u64(header, host->events.n * (stored_attr_size(host) + 16));
	strbuf_put_u64(header, trailer.data_offset);
	strbuf_put_u64(header, trailer.data_size);
	strbuf_put_u64(header, start + out->n); /* event_types: our trailer */
	strbuf_put_u64(header, TRAILER_SIZE);
	strbuf_put(header, bitmap, sizeof(bitmap));
	trailer_write(&trailer, out);
}

/*
 * In a stream there is nothing but records. The trailer fills the smallest
 * type-65 record exactly, so it is the last thing, as in a file.
 */
static struct error *close_stream(struct writer *writer,
	const struct section *directory, size_t n_directory,
	struct strbuf *records)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct trailer trailer = {
		.data_offset = writer->data_offset,
		.data_size = writer->size + records->n - writer->data_offset,
	};

	section_directory_write(directory, n_directory, &raw);
	trailer.directory_size = raw.n;
	trailer.directory_offset = writer->size + records->n;
	trailer.directory_offset += section_wrap(records, raw.at, raw.n);
	strbuf_clear(&raw);
	trailer_write(&trailer, &raw);
	section_wrap(records, raw.at, raw.n);
	return append(writer, records->at, records->n);
}

static struct error *close_file(struct writer *writer,
	const struct section *directory, size_t n_directory,
	const struct strbuf *records)
{
	_cleanup_strbuf_ struct strbuf tail = { 0 };
	_cleanup_strbuf_ struct strbuf header = { 0 };
	uint64_t stream_size = writer->size;
	struct error *err;
	int errnum;

	err = append(writer, records->at, records->n);
	if (err)
		return err;
	put_tail(writer, directory, n_directory, &tail, &header);
	err = append(writer, tail.at, tail.n);
	if (err)
		return err;
	errnum = writer->sink.overwrite(
		writer->sink.data, 0, header.at, header.n);
	if (!errnum)
		return NULL;
	cut(writer, stream_size);
	return error_errno(errnum, "writing the file header");
}

struct error *writer_close(struct writer *writer,
	const struct features *closing, const struct writer_section *sections,
	size_t n_sections)
{
	_cleanup_free_ struct section *directory =
		xcalloc(n_sections + 1, sizeof(*directory));
	_cleanup_strbuf_ struct strbuf records = { 0 };
	bool is_file = writer->sink.overwrite;
	struct error *err;

	if (is_file)
		put_closing_features(writer, closing, &records);
	put_sections(writer, sections, n_sections, directory, &records);
	err = is_file ? close_file(writer, directory, n_sections + 1, &records)
		      : close_stream(writer, directory, n_sections + 1,
				&records);
	return error_wrap(err, "closing the recording");
}
