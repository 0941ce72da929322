/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/deflate.h"

#include <zlib.h>

#include "common/util/alloc.h"

/* Limit of the input bytes per call of zlib, which has 32-bit sizes. */
#define PART_MAX MIB(1)
#define ROOM_SIZE KIB(64)
/* Added to the window size, this value makes zlib write the gzip header. */
#define WINDOW_GZIP 16
#define MEMORY_LEVEL 8

struct deflate {
	struct sink sink;
	z_stream stream;
	int errnum; /* first error of the sink; 0: none */
	uint8_t room[ROOM_SIZE];
};

bool deflate_compresses(void)
{
	return true;
}

struct deflate *deflate_begin(
	const struct sink *sink, enum deflate_format format)
{
	struct deflate *deflate_state = xcalloc(1, sizeof(*deflate_state));
	bool is_gzip = format == DEFLATE_GZIP;

	deflate_state->sink = *sink;
	/*
	 * deflateInit2() fails only if there is no memory, which ends the
	 * program.
	 */
	if (deflateInit2(&deflate_state->stream,
		    is_gzip ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION, Z_DEFLATED,
		    is_gzip ? MAX_WBITS + WINDOW_GZIP : MAX_WBITS, MEMORY_LEVEL,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	return deflate_state;
}

/*
 * Compresses all input of the stream; also ends the stream if FLUSH is
 * Z_FINISH.
 */
static void compress_input(struct deflate *deflate_state, int flush)
{
	z_stream *stream = &deflate_state->stream;

	do {
		if (deflate_state->errnum)
			return;
		stream->next_out = deflate_state->room;
		stream->avail_out = ROOM_SIZE;
		deflate(stream, flush);
		if (stream->avail_out < ROOM_SIZE)
			deflate_state->errnum = deflate_state->sink.append(
				deflate_state->sink.data, deflate_state->room,
				ROOM_SIZE - stream->avail_out);
	} while (!stream->avail_out);
}

int deflate_put(struct deflate *deflate_state, const void *data, size_t size)
{
	const uint8_t *at = data;

	while (size && !deflate_state->errnum) {
		size_t part = MIN(size, PART_MAX);

		deflate_state->stream.next_in = (z_const Bytef *)at;
		deflate_state->stream.avail_in = (uInt)part;
		compress_input(deflate_state, Z_NO_FLUSH);
		at += part;
		size -= part;
	}
	return deflate_state->errnum;
}

int deflate_end(struct deflate *deflate_state)
{
	int errnum;

	if (!deflate_state)
		return 0;
	compress_input(deflate_state, Z_FINISH);
	errnum = deflate_state->errnum;
	deflateEnd(&deflate_state->stream);
	free(deflate_state);
	return errnum;
}
