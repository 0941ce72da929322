/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an export on its way to a file or a pipe. An export appends to
 * .text, and the stream writes the text in pieces, compressed on request. The
 * stream shows progress on stderr if the export sets .done and .total.
 */
#ifndef DWELL_REPORT_UTIL_EXPORT_STREAM_H
#define DWELL_REPORT_UTIL_EXPORT_STREAM_H

#include "common/util/error.h"
#include "common/util/sink.h"
#include "common/util/strbuf.h"

struct deflate;

struct outflow {
	struct strbuf text;   /* text that is not written yet */
	uint64_t done, total; /* input that is exported; total 0: unknown */
	unsigned n_calls;     /* of outflow_some() */
	struct sink sink;
	const char *path;     /* of the file, borrowed; NULL: standard output */
	struct deflate *deflate; /* owned; NULL: no compression */
	int errnum;           /* of the sink; nothing is written after it */
};

/*
 * Returns a stream that writes to *FD within the limit of output.h. FD and
 * PATH are borrowed. PATH is as in output_open().
 */
struct outflow outflow_begin(const char *path, int *fd);
/* Compresses all text. Call it before the first text; no effect without zlib. */
void outflow_compress(struct outflow *out);
/* Writes .text if it is long. Returns false if no more text can be written. */
bool outflow_some(struct outflow *out);
/* Writes .text. Returns 0 or an errno. */
int outflow_flush(struct outflow *out);
/* Appends SIZE bytes. Long texts are written without a copy. */
void outflow_put(struct outflow *out, const void *bytes, size_t size);
/*
 * Writes the rest of .text unless ERR is set, and frees OUT. Returns ERR, which
 * it takes ownership of, or the error of writing.
 */
struct error *outflow_end(
	struct outflow *out, struct error *err) _must_check_;

#endif
