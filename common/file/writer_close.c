/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns a stream into a closed file: writes everything after the data. */
#include "config.h"

#include "common/file/writer.h"
#include "common/file/writer_private.h"
#include "common/util/alloc.h"

static int compare_placed_features(const void *a, const void *b)
{
	const struct placed *left = a, *right = b;

	return COMPARE(left->bit, right->bit);
}

/*
 * Appends the feature table, then the large feature sections. The table's size
 * is known now, so the offsets of the sections after the table are known, too.
 */
static void put_feature_table(struct writer *writer, struct strbuf *out)
{
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
	struct trailer trailer = {
		.data_offset = writer->data_offset,
		.data_size = start - writer->data_offset,
	};

	put_feature_table(writer, out);
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
	trailer_write(&trailer, out);
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
	struct trailer trailer = {
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
	trailer_write(&trailer, records);
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
					(struct large){ bit, body };
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
