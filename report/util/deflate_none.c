/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces deflate.c if dwell is built without zlib: writes stored blocks. */
#include "config.h"

#include "report/util/deflate.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"

#define STORED_MAX UINT16_MAX
#define ADLER_BASE 65521u

struct deflate {
	struct sink sink;
	enum deflate_format format;
	int errnum; /* first error of the sink; 0: none */
	struct strbuf block;
	uint32_t low, high; /* sums of the Adler-32 checksum */
};

static void put_to_sink(struct deflate *made, const void *data, size_t size)
{
	if (!made->errnum)
		made->errnum = made->sink.append(made->sink.data, data, size);
}

bool deflate_compresses(void)
{
	return false;
}

struct deflate *deflate_begin(
	const struct sink *sink, enum deflate_format format)
{
	struct deflate *made = xcalloc(1, sizeof(*made));

	log_note("the output is not compressed: dwell was built without zlib "
		 "(Debian package: zlib1g-dev)");
	made->sink = *sink;
	made->format = format;
	made->low = 1;
	/* Header (RFC 1950): window of 32 KiB, no dictionary, check bits. */
	if (format == DEFLATE_ZLIB)
		put_to_sink(made, "\x78\x01", 2);
	return made;
}

static void put_stored_block(struct deflate *made, bool is_last)
{
	uint16_t size = (uint16_t)made->block.n, inverse = (uint16_t)~size;
	uint8_t head[] = { is_last, (uint8_t)size, (uint8_t)(size >> 8),
		(uint8_t)inverse, (uint8_t)(inverse >> 8) };

	put_to_sink(made, head, sizeof(head));
	put_to_sink(made, made->block.at, made->block.n);
	strbuf_clear(&made->block);
}

int deflate_put(struct deflate *made, const void *data, size_t size)
{
	if (made->format == DEFLATE_ZLIB) {
		const uint8_t *at = data;
		const uint8_t *end = at + size;

		for (; at < end; at++) {
			made->low = (made->low + *at) % ADLER_BASE;
			made->high = (made->high + made->low) % ADLER_BASE;
			strbuf_put_u8(&made->block, *at);
			if (made->block.n == STORED_MAX)
				put_stored_block(made, false);
		}
	} else
		put_to_sink(made, data, size);
	return made->errnum;
}

int deflate_end(struct deflate *made)
{
	int errnum;

	if (!made)
		return 0;
	if (made->format == DEFLATE_ZLIB) {
		uint32_t sum = made->high << 16 | made->low;
		uint8_t tail[] = { (uint8_t)(sum >> 24), (uint8_t)(sum >> 16),
			(uint8_t)(sum >> 8), (uint8_t)sum };

		put_stored_block(made, true);
		put_to_sink(made, tail, sizeof(tail));
	}
	errnum = made->errnum;
	strbuf_free(&made->block);
	free(made);
	return errnum;
}
