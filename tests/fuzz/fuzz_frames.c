/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of compressed records. Bit 0 of the first byte: the rest of the
 * input is compressed here, otherwise it is used as compressed data. Bit 1: the
 * record type is COMPRESSED2. The second byte selects the bytes per record.
 */
#include "config.h"

#include <zstd.h>

#include "common/perf/record.h"
#include "common/util/alloc.h"
#include "tests/fuzz/everything.h"

#define INPUT_MAX KIB(64)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_attr(struct strbuf *file)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
	};

	strbuf_put_u64(file, ABI_FILE_MAGIC);
	strbuf_put_u64(file, 16);
	record_write(file, RECORD_HEADER_ATTR, 0, &attr, attr.size);
}

static void put_pieces(
	struct strbuf *file, uint32_t type, size_t piece, struct bytes b)
{
	while (bytes_left(&b)) {
		size_t n = MIN(piece, bytes_left(&b));
		_cleanup_strbuf_ struct strbuf body = { 0 };

		if (type == RECORD_COMPRESSED2)
			strbuf_put_u64(&body, n);
		strbuf_put(&body, bytes_take(&b, n), n);
		record_write(file, type, 0, body.at, body.n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	uint8_t choice = bytes_u8(&b);
	size_t piece = 1 + (size_t)bytes_u8(&b) * 16;
	size_t room = ZSTD_compressBound(size);
	_cleanup_free_ uint8_t *frame = xmalloc(room);
	_cleanup_strbuf_ struct strbuf file = { 0 };

	if (!b.ok || size > INPUT_MAX)
		return 0;
	if (choice & 1) {
		size_t n = ZSTD_compress(frame, room, b.at, bytes_left(&b), 1);

		b = bytes_of(frame, n, false);
	}
	put_attr(&file);
	put_pieces(&file, choice & 2 ? RECORD_COMPRESSED2 : RECORD_COMPRESSED,
		piece, b);
	everything_of((const uint8_t *)file.at, file.n);
	return 0;
}
