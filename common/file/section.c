/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/section.h"

#include <zstd.h>

#include "common/util/alloc.h"

#define SECTION_LEVEL 9
#define ENTRY_SIZE 56u
#define WRAP_SIZE (RECORD_HEADER_SIZE + 8u)

static const char trailer_magic[8] = { 'D', 'W', 'E', 'L', 'L', 'E', 'N', 'D' };
#define TRAILER_VERSION 1u

uint64_t section_checksum(const void *data, size_t size)
{
	return section_checksum_more(SECTION_CHECKSUM_EMPTY, data, size);
}

uint64_t section_checksum_more(uint64_t sum, const void *data, size_t size)
{
	const uint8_t *at = data;

	for (; size; size--)
		sum = (sum ^ *at++) * UINT64_C(0x100000001b3);
	return sum;
}

size_t section_wrap(struct strbuf *out, const void *data, size_t size)
{
	size_t first = WRAP_SIZE, done = 0;

	do {
		size_t chunk = MIN(size - done, (size_t)SECTION_CHUNK_MAX);
		size_t whole = MAX(ALIGN_UP(WRAP_SIZE + chunk, 8),
			(size_t)SECTION_RECORD_MIN);

		strbuf_put_u32(out, RECORD_HEADER_EVENT_TYPE);
		strbuf_put_u16(out, 0);
		strbuf_put_u16(out, (uint16_t)whole);
		strbuf_put_u64(out, 0);
		if (chunk)
			strbuf_put(out, (const uint8_t *)data + done, chunk);
		strbuf_fill(out, 0, whole - WRAP_SIZE - chunk);
		done += chunk;
	} while (done < size);
	return first;
}

void section_write(struct strbuf *out, uint64_t file_offset, const char *name,
	uint32_t version, const struct strbuf *raw, struct section *ret)
{
	size_t room = ZSTD_compressBound(raw->n);
	_cleanup_free_ void *frame = xmalloc(room);
	size_t size = ZSTD_compress(
		frame, room, raw->n ? raw->at : "", raw->n, SECTION_LEVEL);

	memset(ret, 0, sizeof(*ret));
	memcpy(ret->name, name, MIN(strlen(name), SECTION_NAME_MAX - 1ul));
	ret->version = version;
	ret->offset = file_offset + out->n;
	ret->stored_size = size;
	ret->raw_size = raw->n;
	ret->checksum = section_checksum(raw->at, raw->n);
	section_wrap(out, frame, size);
}

uint64_t section_span(const struct section *section)
{
	uint64_t chunks = section->stored_size / SECTION_CHUNK_MAX;
	uint64_t rest = section->stored_size % SECTION_CHUNK_MAX;
	uint64_t last = 0;

	if (section->stored_size == 0 || section->raw_size > SECTION_RAW_MAX ||
		section->stored_size > SECTION_RAW_MAX)
		return 0;
	if (rest)
		last = MAX(ALIGN_UP(WRAP_SIZE + rest, 8),
			(uint64_t)SECTION_RECORD_MIN);
	return chunks * RECORD_SIZE_ALIGNED + last;
}

bool section_read(const struct section *section, const uint8_t *data,
	size_t size, struct strbuf *raw_ret)
{
	_cleanup_strbuf_ struct strbuf frame = { 0 };
	size_t left = section->stored_size, raw_size;
	struct record record;

	while (left) {
		size_t chunk = MIN(left, (size_t)SECTION_CHUNK_MAX);

		if (!record_at(data, size, false, &record) ||
			record.type != RECORD_HEADER_EVENT_TYPE ||
			record.size < WRAP_SIZE + chunk)
			return false;
		strbuf_put(&frame, data + WRAP_SIZE, chunk);
		data += record.size;
		size -= record.size;
		left -= chunk;
	}
	/*
	 * Check the content size that the zstd frame declares before reserving
	 * memory for the content.
	 */
	if (ZSTD_getFrameContentSize(frame.at, frame.n) != section->raw_size)
		return false;
	strbuf_fill(raw_ret, 0, section->raw_size);
	raw_size = ZSTD_decompress(
		raw_ret->at, section->raw_size, frame.at, frame.n);
	return !ZSTD_isError(raw_size) && raw_size == section->raw_size &&
		section_checksum(raw_ret->at, raw_size) == section->checksum;
}

void section_directory_write(
	const struct section *sections, size_t n, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct section *s = &sections[i];

		strbuf_put(out, s->name, SECTION_NAME_MAX);
		strbuf_put_u32(out, s->version);
		strbuf_put_u32(out, 0);
		strbuf_put_u64(out, s->offset);
		strbuf_put_u64(out, s->stored_size);
		strbuf_put_u64(out, s->raw_size);
		strbuf_put_u64(out, s->checksum);
	}
}

int section_directory_read(struct bytes b, struct section *ret)
{
	int n = 0;

	if (bytes_left(&b) % ENTRY_SIZE ||
		bytes_left(&b) / ENTRY_SIZE > SECTIONS_MAX)
		return -1;
	while (bytes_left(&b)) {
		struct section *s = &ret[n++];

		memcpy(s->name, bytes_take(&b, SECTION_NAME_MAX),
			SECTION_NAME_MAX);
		s->name[SECTION_NAME_MAX - 1] = '\0';
		s->version = bytes_u32(&b);
		bytes_u32(&b);
		s->offset = bytes_u64(&b);
		s->stored_size = bytes_u64(&b);
		s->raw_size = bytes_u64(&b);
		s->checksum = bytes_u64(&b);
	}
	return n;
}

void section_trailer_write(
	const struct section_trailer *trailer, struct strbuf *out)
{
	size_t start = out->n;

	strbuf_put(out, trailer_magic, sizeof(trailer_magic));
	strbuf_put_u32(out, TRAILER_VERSION);
	strbuf_put_u32(out, TRAILER_SIZE);
	strbuf_put_u64(out, trailer->directory_offset);
	strbuf_put_u64(out, trailer->directory_size);
	strbuf_put_u64(out, trailer->data_offset);
	strbuf_put_u64(out, trailer->data_size);
	strbuf_put_u64(out, trailer->checksum);
	strbuf_put_u64(out, section_checksum(out->at + start, out->n - start));
}

bool section_trailer_read(struct bytes b, struct section_trailer *ret)
{
	const uint8_t *start = b.at;
	const void *magic;
	uint32_t version;

	if (bytes_left(&b) != TRAILER_SIZE)
		return false;
	magic = bytes_take(&b, sizeof(trailer_magic));
	version = bytes_u32(&b);
	bytes_u32(&b);
	ret->directory_offset = bytes_u64(&b);
	ret->directory_size = bytes_u64(&b);
	ret->data_offset = bytes_u64(&b);
	ret->data_size = bytes_u64(&b);
	ret->checksum = bytes_u64(&b);
	return !memcmp(magic, trailer_magic, sizeof(trailer_magic)) &&
		version == TRAILER_VERSION &&
		bytes_u64(&b) == section_checksum(start, TRAILER_SIZE - 8);
}

void section_unsampled_write(
	const struct section_unsampled *unsampled, struct strbuf *out)
{
	strbuf_put_u64(out, unsampled->id);
	strbuf_put_u64(out, unsampled->cpu_ns);
	strbuf_put_u64(out, unsampled->unsampled_ns);
}

bool section_unsampled_read(struct bytes *b, struct section_unsampled *ret)
{
	ret->id = bytes_u64(b);
	ret->cpu_ns = bytes_u64(b);
	ret->unsampled_ns = bytes_u64(b);
	return b->ok && ret->cpu_ns && ret->unsampled_ns <= ret->cpu_ns;
}

void section_unsampled_print(const struct section_unsampled *unsampled,
	const char *name, struct strbuf *out)
{
	double cpu = (double)unsampled->cpu_ns;
	double part = (double)unsampled->unsampled_ns;

	strbuf_printf(out,
		"%s: %.1f %% of the CPU time (%.3f of %.3f s) has no sample",
		name, 100 * part / cpu, part / NSEC_PER_SEC,
		cpu / NSEC_PER_SEC);
}
