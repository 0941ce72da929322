/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/outflow.h"

#include "report/util/deflate.h"
#include "report/util/output.h"
#include "report/util/progress.h"

#define PIECE_SIZE KIB(64)
/*
 * Progress is shown when text is written, and every PROGRESS_CALLS calls of
 * outflow_some(): showing progress reads the clock.
 */
#define PROGRESS_CALLS 1024u

struct outflow outflow_begin(const char *path, int *fd)
{
	bool has_name = path && !string_is(path, "-");

	return (struct outflow){ .sink = output_limit_sink(fd),
		.path = has_name ? path : NULL };
}

void outflow_compress(struct outflow *out)
{
	out->deflate = deflate_begin(&out->sink, DEFLATE_GZIP);
}

static void append_output(struct outflow *out, const void *bytes, size_t size)
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
	append_output(out, out->text.at, out->text.n);
	strbuf_clear(&out->text);
	return out->errnum;
}

void outflow_put(struct outflow *out, const void *bytes, size_t size)
{
	if (size < PIECE_SIZE) {
		strbuf_put(&out->text, bytes, size);
		return;
	}
	outflow_flush(out);
	append_output(out, bytes, size);
}

bool outflow_some(struct outflow *out)
{
	bool is_long = out->text.n >= PIECE_SIZE;

	/*
	 * Between lines of output on the terminal, progress would be
	 * unreadable.
	 */
	if ((is_long || ++out->n_calls % PROGRESS_CALLS == 0) && out->total &&
		!isatty(STDOUT_FILENO))
		progress_show("exporting", out->done, out->total);
	if (is_long)
		outflow_flush(out);
	return !out->errnum;
}

struct error *outflow_end(struct outflow *out, struct error *err)
{
	int errnum;

	progress_clear();
	if (!err)
		outflow_flush(out);
	strbuf_free(&out->text);
	errnum = deflate_end(out->deflate);
	if (!out->errnum)
		out->errnum = errnum;
	if (!err && out->errnum)
		err = output_limit_error(out->path)
			?: error_errno(out->errnum, "cannot write %s",
				   out->path ?: "standard output");
	return err;
}
