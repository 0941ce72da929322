/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/deflate.h"

#include <zlib.h>

#include "common/util/alloc.h"

/* zlib's counts have 32 bits. */
#define PART_MAX MIB(1)
#define ROOM_SIZE KIB(64)
/* zlib's word for gzip's header, beside the largest window. */
#define WINDOW_GZIP 16
#define MEMORY_LEVEL 8

struct deflate {
	struct sink sink;
	z_stream stream;
	int errnum; /* of the sink */
	uint8_t room[ROOM_SIZE];
};

bool deflate_compresses(void)
{
	return true;
}

struct deflate *deflate_begin(
	const struct sink *sink, enum deflate_format format)
{
	struct deflate *made = xcalloc(1, sizeof(*made));
	bool is_gzip = format == DEFLATE_GZIP;

	made->sink = *sink;
	/* It fails without memory only, and without that nothing goes on. */
	if (deflateInit2(&made->stream,
		    is_gzip ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION, Z_DEFLATED,
		    is_gzip ? MAX_WBITS + WINDOW_GZIP : MAX_WBITS,
		    MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	return made;
}

/* All that is in the stream, or with Z_FINISH its end, too. */
static void move(struct deflate *made, int flush)
{
	z_stream *stream = &made->stream;

	do {
		if (made->errnum)
			return;
		stream->next_out = made->room;
		stream->avail_out = ROOM_SIZE;
		deflate(stream, flush);
		if (stream->avail_out < ROOM_SIZE)
			made->errnum = made->sink.append(made->sink.data,
				made->room, ROOM_SIZE - stream->avail_out);
	} while (!stream->avail_out);
}

int deflate_put(struct deflate *made, const void *data, size_t size)
{
	const uint8_t *at = data;

	while (size && !made->errnum) {
		size_t part = MIN(size, PART_MAX);

		made->stream.next_in = (z_const Bytef *)at;
		made->stream.avail_in = (uInt)part;
		move(made, Z_NO_FLUSH);
		at += part;
		size -= part;
	}
	return made->errnum;
}

int deflate_end(struct deflate *made)
{
	int errnum;

	if (!made)
		return 0;
	move(made, Z_FINISH);
	errnum = made->errnum;
	deflateEnd(&made->stream);
	free(made);
	return errnum;
}
