/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/writer.h"

#include "common/file/writer_private.h"
#include "common/util/alloc.h"

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
	writer->head_checksum = section_checksum(
		head.at + HEADER_SIZE, head.n - HEADER_SIZE);
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
 * A disk that is nearly full has room for some of the records: append one by
 * one.
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

