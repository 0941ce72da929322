/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/export_stream.h"

#include "common/util/log.h"
#include "report/util/deflate.h"
#include "report/util/progress.h"

#define PIECE_SIZE KIB(64)
/* The first piece is larger, for a better guess. */
#define FIRST_SIZE MIB(1)
/* Of a pipe, what is less isn't told. */
#define MUCH_SIZE MIB(1)

struct outflow outflow_begin(const char *path, int *fd)
{
	bool has_name = path && !string_is(path, "-");

	return (struct outflow){ .sink = sink_of_file(fd),
		.name = has_name ? path : "standard output",
		.is_file = has_name };
}

static int count(void *data, const void *bytes _unused_, size_t size)
{
	*(uint64_t *)data += size;
	return 0;
}

void outflow_compress(struct outflow *out)
{
	out->deflate = deflate_begin(&out->sink, DEFLATE_GZIP);
}

bool outflow_is_heard(const struct outflow *out)
{
	return !out->has_begun && log_get_level() >= LOG_NORMAL &&
		(out->is_file || isatty(STDERR_FILENO));
}

void outflow_tell(struct outflow *out, uint64_t size)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB" };
	bool is_told = outflow_is_heard(out) &&
		size > (out->is_file ? 0 : MUCH_SIZE);
	double number = (double)size;
	size_t i;

	if (!out->has_begun)
		progress_clear();
	out->has_begun = true;
	for (i = 0; i + 1 < ARRAY_SIZE(units) && number >= 1000; i++)
		number /= 1000;
	if (is_told)
		log_note("%s: about %.*f %s will be written", out->name,
			i && number < 10 ? 1 : 0, number, units[i]);
}

/* What the text is, when it is compressed as a file of its own. */
static uint64_t text_size(const struct outflow *out)
{
	uint64_t size = 0;
	struct sink sink = { .append = count, .data = &size };
	struct deflate *deflate;

	if (!out->deflate || !deflate_compresses())
		return out->text.n;
	deflate = deflate_begin(&sink, DEFLATE_GZIP);
	deflate_put(deflate, out->text.at, out->text.n);
	deflate_end(deflate);
	return size;
}

/*
 * As much for what is still to come as for what was done. Of what comes once most
 * comes early.
 */
static uint64_t guess(const struct outflow *out)
{
	const struct outflow_once *once = &out->once;
	double share = out->total ? (double)out->done / (double)out->total : 0;
	double size = (double)out->text.n, times;

	if (!(share > 0) || !out->text.n || !outflow_is_heard(out))
		return 0;
	share = MIN(share, 1.0);
	times = once->done ? (double)once->total / (double)once->done : 1;
	size = (size - (double)once->size_put) / share +
		(double)once->size * MIN(times, 1 / share);
	return (uint64_t)(size * (double)text_size(out) / (double)out->text.n);
}

static void append(struct outflow *out, const void *bytes, size_t size)
{
	if (!out->errnum && out->deflate)
		out->errnum = deflate_put(out->deflate, bytes, size);
	else if (!out->errnum)
		out->errnum = out->sink.append(out->sink.data, bytes, size);
}

int outflow_flush(struct outflow *out)
{
	if (!out->text.n)
		return out->errnum;
	outflow_tell(out, guess(out));
	append(out, out->text.at, out->text.n);
	strbuf_clear(&out->text);
	return out->errnum;
}

void outflow_put(struct outflow *out, const void *bytes, size_t size)
{
	if (!out->has_begun || size < PIECE_SIZE) {
		strbuf_put(&out->text, bytes, size);
		return;
	}
	outflow_flush(out);
	append(out, bytes, size);
}

bool outflow_some(struct outflow *out)
{
	if (out->text.n >= (out->has_begun ? PIECE_SIZE : FIRST_SIZE))
		outflow_flush(out);
	return !out->errnum;
}

struct error *outflow_end(struct outflow *out, struct error *err)
{
	int errnum;

	/* All of it may be there yet. */
	if (!err && outflow_is_heard(out))
		outflow_tell(out, text_size(out));
	if (!err)
		outflow_flush(out);
	strbuf_free(&out->text);
	errnum = deflate_end(out->deflate);
	if (!out->errnum)
		out->errnum = errnum;
	if (!err && out->errnum)
		err = error_errno(
			out->errnum, "%s: can't be written", out->name);
	return err;
}

void outflow_foresee(
	struct outflow *out, void (*put)(void *data), void *data)
{
	struct outflow own = *out;
	uint64_t size = 0;

	if (!outflow_is_heard(out))
		return;
	*out = (struct outflow){ .sink = { .append = count, .data = &size },
		.measured = &size,
		.has_begun = true };
	put(data);
	outflow_flush(out);
	strbuf_free(&out->text);
	*out = own;
	outflow_tell(out, size);
}

bool outflow_skips(struct outflow *out, uint64_t size)
{
	if (out->measured)
		*out->measured += size;
	return out->measured;
}
