/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/text_streams.h"

#include <errno.h>

#include "common/file/spool.h"
#include "common/util/alloc.h"
#include "report/util/output.h"

#define PIECE_SIZE KIB(64)

void text_streams_init(
	struct text_streams *streams, struct outflow *out, uint64_t memory_max)
{
	*streams = (struct text_streams){
		.out = out, .memory_max = memory_max, .fd = -1
	};
}

void text_streams_deinit(struct text_streams *streams)
{
	array_each(&streams->at, stream) {
		strbuf_free(&stream->text);
		array_free(&stream->parts);
	}
	array_free(&streams->at);
	error_free(streams->err);
	if (streams->fd >= 0)
		close(streams->fd);
}

struct strbuf *text_streams_text(struct text_streams *streams, size_t number)
{
	while (streams->at.n <= number)
		array_push(&streams->at);
	return &streams->at.at[number].text;
}

void text_streams_added(
	struct text_streams *streams, size_t number, size_t size)
{
	streams->at.at[number].size += size;
	streams->in_memory += size;
	if (streams->in_memory > streams->memory_max) {
		if (streams->fd < 0 && !streams->err)
			streams->err = spool_open(&streams->fd);
		array_each(&streams->at, stream) {
			struct strbuf *text = &stream->text;
			int errnum = 0;
			if (text->n) {
				*array_push(&stream->parts) =
					(struct text_part){ streams->on_disk,
						text->n };
				streams->on_disk += text->n;
				/*
				 * Fail now if the texts on disk will exceed
				 * the output limit when they are copied.
				 */
				if (!output_limit_has_room(streams->on_disk))
					streams->out->errnum = EFBIG;
				else if (!streams->err)
					errnum = sink_write(
						streams->fd, text->at, text->n);
				if (errnum)
					streams->err =
						spool_error(errnum, "write");
				strbuf_free(text);
			}
		}
		streams->in_memory = 0;
	}
}

static void copy_stream_part(struct text_streams *streams,
	struct text_part part, struct outflow *out)
{
	_cleanup_free_ uint8_t *piece = xmalloc(PIECE_SIZE);
	ssize_t n;

	while (part.size && !streams->err && !out->errnum) {
		n = pread(streams->fd, piece, MIN(part.size, PIECE_SIZE),
			(off_t)part.at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			streams->err = spool_error(n ? errno : EIO, "read");
			return;
		}
		strbuf_put(&out->text, piece, (size_t)n);
		part.at += (uint64_t)n;
		part.size -= (uint64_t)n;
		if (!outflow_some(out))
			return;
	}
}

void text_streams_copy(
	struct text_streams *streams, size_t number, struct outflow *out)
{
	struct text_stream *stream;

	if (number >= streams->at.n)
		return;
	stream = &streams->at.at[number];
	array_each(&stream->parts, part)
		copy_stream_part(streams, *part, out);
	strbuf_put(&out->text, stream->text.at, stream->text.n);
	outflow_some(out);
}

struct error *text_streams_end(struct text_streams *streams)
{
	return take_pointer(streams->err);
}

/* --- exports by thread --------------------------------------------------- */

struct error *text_export_run(struct text_export *threaded,
	const struct options *options, int fd,
	const struct text_export_format *format)
{
	struct error *err;

	threaded->out = outflow_begin(options->output.file, &fd);
	err = timeline_make(options, &threaded->timeline);
	text_streams_init(
		&threaded->streams, &threaded->out, TEXT_STREAMS_MEMORY_MAX);
	threaded->functions.resolver = threaded->timeline.result.resolver;
	threaded->functions.names_builds = true;
	if (!err) {
		timeline_run(&threaded->timeline, &threaded->out, format->take,
			format->data);
		format->end(format->data);
		format->put_all(format->data);
		err = text_streams_end(&threaded->streams);
	}
	return outflow_end(&threaded->out, err);
}

void text_export_deinit(struct text_export *threaded)
{
	text_streams_deinit(&threaded->streams);
	function_numbers_deinit(&threaded->functions);
	timeline_deinit(&threaded->timeline);
}
