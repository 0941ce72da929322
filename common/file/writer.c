/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/writer.h"

#include "common/file/section.h"
#include "common/file/writer_private.h"
#include "common/util/alloc.h"

void writer_place(
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

static void put_event_name(const struct event *event, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, EVENT_UPDATE_NAME);
	strbuf_put_u64(&payload, event->ids.n ? event->ids.at[0] : 0);
	strbuf_put(&payload, event->name, strlen(event->name) + 1);
	strbuf_align(&payload, 8);
	record_write(out, RECORD_EVENT_UPDATE, 0, payload.at, payload.n);
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

/*
 * Appends BODY, the content of feature section BIT, to OUT as a record. The
 * feature table of the closed file points to the content in this record.
 */
static void put_head_feature_record(struct writer *writer, unsigned bit,
	const struct strbuf *body, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, bit);
	writer_place(
		writer, bit, out->n + RECORD_HEADER_SIZE + payload.n, body->n);
	strbuf_put(&payload, body->at, body->n);
	strbuf_align(&payload, 8);
	record_write(out, RECORD_HEADER_FEATURE, 0, payload.at, payload.n);
}

/*
 * Appends the HOSTNAME record, which is the first record and ends exactly at
 * HEADER_SIZE. The file header, which is written at the close, overwrites only
 * this record. A closed file that lost its tail is then still readable as a
 * stream from HEADER_SIZE on. A hostname has at most 64 characters (Linux,
 * __NEW_UTS_LEN). The closed file has the hostname again after the data.
 */
static void put_hostname_record(const struct features *host, struct strbuf *out)
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
	unsigned bit;

	strbuf_put_u64(out, ABI_FILE_MAGIC);
	strbuf_put_u64(out, PIPE_HEADER_SIZE);
	put_hostname_record(host, out);
	array_each(&host->events, event) {
		_cleanup_strbuf_ struct strbuf payload = { 0 };

		attr_write(&event->attr, &payload);
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
			body.n <= SECTION_CHUNK_MAX)
			put_head_feature_record(writer, bit, &body, out);
	}
	if (feature_is_present(host, FEATURE_TRACING_DATA))
		put_head_tracing_data_record(writer, host, out);
	array_each(&host->events, event)
		put_event_name(event, out);
	put_id_indexes(host, out);
}

void writer_cut(struct writer *writer, uint64_t size)
{
	if (writer->sink.cut)
		writer->sink.cut(writer->sink.data, size);
}

struct error *writer_append(
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

/*
 * Appends RECORDS one by one until one fails, because a nearly full disk has
 * room for some of the records.
 */
static void append_each_record(
	struct writer *writer, const uint8_t *records, size_t size)
{
	struct error *err = NULL;
	struct record record;

	while (!err && record_at(records, size, false, &record)) {
		err = writer_append(writer, record.data, record.size);
		records += record.size;
		size -= record.size;
	}
	error_free(err);
}

struct error *writer_put(
	struct writer *writer, const void *records, size_t size)
{
	struct error *err = writer_append(writer, records, size);

	if (err && writer->sink.cut)
		append_each_record(writer, records, size);
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
