/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/writer.h"

#include "common/util/alloc.h"
#include "common/util/array.h"

#define HEADER_SIZE WRITER_HEADER_SIZE
#define PIPE_HEADER_SIZE 16u

/* File offset and size of feature section .bit in the closed file. */
struct placed_feature {
	unsigned bit;
	uint64_t offset, size;
};

/* A feature section written at the close that is too large for one record. */
struct large_feature {
	unsigned bit;
	struct strbuf body; /* owned */
};

struct writer {
	struct sink sink;
	const struct features *host;
	uint64_t size, data_offset;
	/* checksum of the stream's first HEADER_SIZE bytes */
	uint64_t begin;
	/* checksum of the head after HEADER_SIZE bytes */
	uint64_t head_checksum;
	ARRAY(struct placed_feature) placed;
	ARRAY(struct large_feature) large; /* written after the feature table */
	ARRAY(struct block_at {
		uint64_t offset;
		struct block_info info;
	})
	blocks;
};

/*
 * Sets OFFSET and SIZE of feature section BIT in the closed file. Replaces an
 * earlier offset and size of BIT.
 */
static void writer_place(
	struct writer *writer, unsigned bit, uint64_t offset, uint64_t size)
{
	array_each(&writer->placed, placed) {
		if (placed->bit != bit)
			continue;
		*placed = (struct placed_feature){ bit, offset, size };
		return;
	}
	*array_push(&writer->placed) =
		(struct placed_feature){ bit, offset, size };
}

/*
 * Appends ENTRIES to OUT as an ID_INDEX record and clears ENTRIES. ENTRIES has
 * {u64 id, index, cpu, thread} per event ID.
 */
static void put_head_id_index_record(struct strbuf *entries, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, entries->n / 32);
	strbuf_put(&payload, entries->at, entries->n);
	record_write(out, RECORD_ID_INDEX, 0, payload.at, payload.n);
	strbuf_clear(entries);
}

static void put_id_indexes(const struct features *host, struct strbuf *out)
{
	const size_t most = RECORD_SIZE_ALIGNED - RECORD_HEADER_SIZE - 8 - 32;
	_cleanup_strbuf_ struct strbuf entries = { 0 };
	uint64_t index = 0;

	array_each(&host->events, event) {
		array_each(&event->ids, id) {
			if (entries.n > most)
				put_head_id_index_record(&entries, out);
			strbuf_put_u64(&entries, *id);
			strbuf_put_u64(&entries, index++);
			strbuf_put_u64(&entries, UINT64_MAX); /* any cpu */
			strbuf_put_u64(&entries, UINT64_MAX); /* any thread */
		}
	}
	put_head_id_index_record(&entries, out);
}

static void put_head_tracing_data_record(
	struct writer *writer, const struct features *host, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	/*
	 * Write the padded size: perf continues to read after the padding, and
	 * compares the size with the bytes before.
	 */
	strbuf_put_u32(
		&payload, (uint32_t)ALIGN_UP(host->tracing_data_size, 8));
	strbuf_put_u32(&payload, 0);
	record_write(out, RECORD_HEADER_TRACING_DATA, 0, payload.at, payload.n);
	writer_place(
		writer, FEATURE_TRACING_DATA, out->n, host->tracing_data_size);
	strbuf_put(out, host->tracing_data, host->tracing_data_size);
	strbuf_align(out, 8);
}

/*
 * Appends the head of the recording to OUT, and sets the offsets of the head's
 * feature sections for the feature table.
 */
static void writer_put_head(struct writer *writer, struct strbuf *out)
{
	const struct features *host = writer->host;
	/* The record of the host name fills the room of the header. */
	const size_t room =
		HEADER_SIZE - PIPE_HEADER_SIZE - RECORD_HEADER_SIZE - 8 - 4;
	size_t length = MIN(strlen(host->hostname), room - 1);
	_cleanup_strbuf_ struct strbuf hostname = { 0 };
	unsigned bit;

	strbuf_put_u64(out, ABI_FILE_MAGIC);
	strbuf_put_u64(out, PIPE_HEADER_SIZE);
	strbuf_put_u64(&hostname, FEATURE_HOSTNAME);
	strbuf_put_u32(&hostname, (uint32_t)room);
	strbuf_put(&hostname, host->hostname, length);
	strbuf_fill(&hostname, 0, room - length);
	record_write(out, RECORD_HEADER_FEATURE, 0, hostname.at, hostname.n);
	array_each(&host->events, event) {
		_cleanup_strbuf_ struct strbuf payload = { 0 };

		attr_write(&event->attr, &payload);
		/*
		 * The record holds about 8,000 IDs; the attribute table of the
		 * closed file has all IDs.
		 */
		array_each(&event->ids, id)
			if (payload.n + 8 <=
				RECORD_SIZE_ALIGNED - RECORD_HEADER_SIZE)
				strbuf_put_u64(&payload, *id);
		record_write(out, RECORD_HEADER_ATTR, 0, payload.at, payload.n);
	}
	for (bit = 0; bit < FEATURE_BITS; bit++) {
		_cleanup_strbuf_ struct strbuf body = { 0 };

		if (!feature_is_present(host, bit) || bit == FEATURE_HOSTNAME ||
			bit == FEATURE_TRACING_DATA ||
			bit == FEATURE_EVENT_DESC)
			continue;
		/*
		 * Skip empty features: an empty feature record would end the
		 * header of a stream.
		 */
		if (feature_write(host, bit, &body) && body.n &&
			body.n <= SECTION_CHUNK_MAX) {
			_cleanup_strbuf_ struct strbuf payload = { 0 };

			strbuf_put_u64(&payload, bit);
			/*
			 * The feature table of the closed file points to the
			 * content in this record.
			 */
			writer_place(writer, bit,
				out->n + RECORD_HEADER_SIZE + payload.n,
				body.n);
			strbuf_put(&payload, body.at, body.n);
			strbuf_align(&payload, 8);
			record_write(out, RECORD_HEADER_FEATURE, 0, payload.at,
				payload.n);
		}
	}
	if (feature_is_present(host, FEATURE_TRACING_DATA))
		put_head_tracing_data_record(writer, host, out);
	array_each(&host->events, event) {
		_cleanup_strbuf_ struct strbuf payload = { 0 };

		strbuf_put_u64(&payload, EVENT_UPDATE_NAME);
		strbuf_put_u64(&payload, event->ids.n ? event->ids.at[0] : 0);
		strbuf_put(&payload, event->name, strlen(event->name) + 1);
		strbuf_align(&payload, 8);
		record_write(
			out, RECORD_EVENT_UPDATE, 0, payload.at, payload.n);
	}
	put_id_indexes(host, out);
}

/* Truncates the sink to SIZE bytes, if the sink can be truncated. */
static void writer_cut(struct writer *writer, uint64_t size)
{
	if (writer->sink.cut)
		writer->sink.cut(writer->sink.data, size);
}

/*
 * Appends SIZE BYTES to the sink. On failure, cuts the sink back to its old
 * size, if the sink can be cut, and returns an error.
 */
static _must_check_ struct error *writer_append(
	struct writer *writer, const void *bytes, size_t size)
{
	int errnum = writer->sink.append(writer->sink.data, bytes, size);

	if (!errnum) {
		writer->size += size;
		return NULL;
	}
	/*
	 * Remove a partial record, which would end the stream for every reader.
	 */
	writer_cut(writer, writer->size);
	return error_errno(errnum, "cannot write %zu bytes", size);
}

struct error *writer_create(const struct sink *sink,
	const struct features *host, struct writer **ret)
{
	_cleanup_strbuf_ struct strbuf head = { 0 };
	struct writer *writer = xcalloc(1, sizeof(*writer));
	struct error *err;

	writer->sink = *sink;
	writer->host = host;
	writer_put_head(writer, &head);
	err = writer_append(writer, head.at, head.n);
	if (err) {
		writer_destroy(writer);
		return err;
	}
	writer->data_offset = writer->size;
	writer->begin = section_checksum(head.at, HEADER_SIZE);
	writer->head_checksum =
		section_checksum(head.at + HEADER_SIZE, head.n - HEADER_SIZE);
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

struct error *writer_put(
	struct writer *writer, const void *records, size_t size)
{
	struct error *err = writer_append(writer, records, size), *later = NULL;
	const uint8_t *at = records;
	struct record record;

	/* A nearly full disk has room for some of the records. */
	while (err && !later && writer->sink.cut &&
		record_at(at, size, false, &record)) {
		later = writer_append(writer, record.data, record.size);
		at += record.size;
		size -= record.size;
	}
	error_free(later);
	return err;
}

struct error *writer_put_block(struct writer *writer, const void *record,
	size_t size, const struct block_info *info)
{
	struct block_at at = { writer->size, *info };
	struct error *err = writer_append(writer, record, size);

	if (!err)
		*array_push(&writer->blocks) = at;
	return err;
}

uint64_t writer_size(const struct writer *writer)
{
	return writer->size;
}

/* --- closing: everything after the data ------------------------------------ */

static int compare_placed_features(const void *a, const void *b)
{
	const struct placed_feature *left = a, *right = b;

	return COMPARE(left->bit, right->bit);
}

static bool is_feature_placed(const struct writer *writer, unsigned bit)
{
	array_each(&writer->placed, placed)
		if (placed->bit == bit)
			return true;
	return false;
}

/*
 * Returns the features from which section BIT is written at the close: CLOSING,
 * or writer->host if the head of the file does not contain BIT, or NULL. The
 * host's HOSTNAME is written at the close because the file header overwrites
 * the HOSTNAME record, and EVENT_DESC because a stream has no record for it.
 */
static const struct features *closing_features_with(const struct writer *writer,
	const struct features *closing, unsigned bit)
{
	if (feature_is_present(closing, bit))
		return closing;
	if (feature_is_present(writer->host, bit) &&
		!is_feature_placed(writer, bit))
		return writer->host;
	return NULL;
}

static void put_checksum_range(
	struct strbuf *raw, uint64_t offset, uint64_t size, uint64_t checksum)
{
	strbuf_put_u64(raw, offset);
	strbuf_put_u64(raw, size);
	strbuf_put_u64(raw, checksum);
}

/*
 * Returns the size of the largest attribute. perf's attribute table has entries
 * of equal size, each an attribute and {offset, size} of its IDs.
 */
static size_t largest_attr_size(const struct features *host)
{
	size_t size = 0;

	array_each(&host->events, event)
		size = MAX(size, attr_stored_size(&event->attr));
	return size;
}

/*
 * Appends the tail of the file (feature table, attribute table, section
 * directory and trailer) to OUT, and fills HEADER, the file header that points
 * to the tail.
 */
static void put_file_tail(struct writer *writer,
	const struct section *directory, size_t n_directory, struct strbuf *out,
	struct strbuf *header)
{
	uint64_t start = writer->size, attrs, bitmap[FEATURE_BITS / 64] = { 0 };
	const struct features *host = writer->host;
	struct section_trailer trailer = {
		.data_offset = writer->data_offset,
		.data_size = start - writer->data_offset,
	};

	/*
	 * The size of the feature table is known now, so the offsets of the
	 * large sections after it are known, too.
	 */
	uint64_t at = writer->size + writer->placed.n * 16;

	array_each(&writer->large, large) {
		writer_place(writer, large->bit, at, large->body.n);
		strbuf_align(&large->body, 8);
		at += large->body.n;
	}
	array_sort(&writer->placed, compare_placed_features);
	array_each(&writer->placed, placed) {
		strbuf_put_u64(out, placed->offset);
		strbuf_put_u64(out, placed->size);
	}
	array_each(&writer->large, large)
		strbuf_put(out, large->body.at, large->body.n);
	array_each(&writer->placed, placed)
		bitmap[placed->bit / 64] |= UINT64_C(1) << placed->bit % 64;
	attrs = start + out->n;
	size_t attr_size = largest_attr_size(host);
	uint64_t ids = attrs + host->events.n * (attr_size + 16);

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
	trailer.directory_offset = start + out->n;
	section_directory_write(directory, n_directory, out);
	trailer.directory_size = start + out->n - trailer.directory_offset;

	strbuf_put_u64(header, ABI_FILE_MAGIC);
	strbuf_put_u64(header, HEADER_SIZE);
	strbuf_put_u64(header, largest_attr_size(host) + 16);
	strbuf_put_u64(header, attrs);
	strbuf_put_u64(header, host->events.n * (largest_attr_size(host) + 16));
	strbuf_put_u64(header, trailer.data_offset);
	strbuf_put_u64(header, trailer.data_size);
	/* The member event_types of perf's header points to dwell's trailer. */
	strbuf_put_u64(header, start + out->n);
	strbuf_put_u64(header, TRAILER_SIZE);
	strbuf_put(header, bitmap, sizeof(bitmap));
	trailer.checksum = section_checksum_more(
		section_checksum(header->at, header->n), out->at, out->n);
	section_trailer_write(&trailer, out);
}

/*
 * Closes the recording as a stream, which contains only records. The trailer is
 * the end of a type-65 record of minimum size, so the last bytes of the stream
 * are the trailer, as in a file.
 */
static struct error *close_as_stream(struct writer *writer,
	const struct section *directory, size_t n_directory,
	struct strbuf *records)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	size_t start = records->n;
	struct section_trailer trailer = {
		.data_offset = writer->data_offset,
		.data_size = writer->size + records->n - writer->data_offset,
	};

	section_directory_write(directory, n_directory, &raw);
	trailer.directory_size = raw.n;
	trailer.directory_offset = writer->size + records->n;
	trailer.directory_offset += section_wrap(records, raw.at, raw.n);
	strbuf_clear(&raw);
	strbuf_fill(&raw, 0, TRAILER_SIZE);
	section_wrap(records, raw.at, raw.n);
	records->n -= TRAILER_SIZE;
	trailer.checksum = section_checksum_more(
		writer->begin, records->at + start, records->n - start);
	section_trailer_write(&trailer, records);
	return writer_append(writer, records->at, records->n);
}

static struct error *close_as_file(struct writer *writer,
	const struct section *directory, size_t n_directory,
	const struct strbuf *records)
{
	_cleanup_strbuf_ struct strbuf tail = { 0 };
	_cleanup_strbuf_ struct strbuf header = { 0 };
	uint64_t stream_size = writer->size;
	struct error *err;
	int errnum;

	err = writer_append(writer, records->at, records->n);
	if (err)
		return err;
	put_file_tail(writer, directory, n_directory, &tail, &header);
	err = writer_append(writer, tail.at, tail.n);
	if (err)
		return err;
	errnum = writer->sink.overwrite(
		writer->sink.data, 0, header.at, header.n);
	if (!errnum)
		return NULL;
	writer_cut(writer, stream_size);
	return error_errno(errnum, "cannot write the file header");
}

struct error *writer_close(struct writer *writer,
	const struct features *closing, const struct writer_section *sections,
	size_t n_sections)
{
	size_t n_directory = n_sections + 2; /* "checksums", "index" */
	_cleanup_free_ struct section *directory =
		xcalloc(n_directory, sizeof(*directory));
	_cleanup_strbuf_ struct strbuf records = { 0 };
	bool is_file = writer->sink.overwrite;
	struct error *err;

	if (is_file) {
		unsigned bit;
		size_t start;

		for (bit = 0; bit < FEATURE_BITS; bit++) {
			const struct features *from =
				closing_features_with(writer, closing, bit);
			_cleanup_strbuf_ struct strbuf body = { 0 };

			if (!from || !feature_write(from, bit, &body))
				continue;
			if (body.n > SECTION_CHUNK_MAX) {
				*array_push(&writer->large) =
					(struct large_feature){ bit, body };
				body = (struct strbuf){ 0 };
				writer_place(writer, bit, 0, 0);
				continue;
			}
			start = writer->size + records.n;
			writer_place(writer, bit,
				start + section_wrap(&records, body.at, body.n),
				body.n);
		}
	}
	_cleanup_strbuf_ struct strbuf index = { 0 };
	_cleanup_strbuf_ struct strbuf checksums = { 0 };
	size_t i;

	/*
	 * The checksums are of the head and of the closing features. Sections
	 * have checksums of their own in the directory.
	 */
	put_checksum_range(&checksums, HEADER_SIZE,
		writer->data_offset - HEADER_SIZE, writer->head_checksum);
	if (records.n)
		put_checksum_range(&checksums, writer->size, records.n,
			section_checksum(records.at, records.n));
	for (i = 0; i < n_sections; i++)
		section_write(&records, writer->size, sections[i].name,
			sections[i].version, &sections[i].raw, &directory[i]);
	section_write(&records, writer->size, SECTION_CHECKSUMS, 1, &checksums,
		&directory[n_sections]);
	array_each(&writer->blocks, block) {
		uint8_t info[BLOCK_INFO_SIZE];

		block_info_write(&block->info, info);
		strbuf_put_u64(&index, block->offset);
		strbuf_put(&index, info, sizeof(info));
	}
	section_write(&records, writer->size, SECTION_INDEX, 1, &index,
		&directory[n_sections + 1]);
	err = is_file
		? close_as_file(writer, directory, n_directory, &records)
		: close_as_stream(writer, directory, n_directory, &records);
	return error_wrap(err, "cannot complete the recording");
}
