/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an export on its way to a file or a pipe. An export appends text
 * to .text, and the stream writes the text in blocks, compressed on request.
 * The stream shows progress on stderr if the export sets .done and .total.
 */
#ifndef DWELL_REPORT_UTIL_OUTFLOW_H
#define DWELL_REPORT_UTIL_OUTFLOW_H

#include "common/util/error.h"
#include "common/util/sink.h"
#include "common/util/strbuf.h"

struct deflate;

struct outflow {
	struct strbuf text;   /* text that is not written yet */
	uint64_t done, total; /* input that was exported so far, and all input;
	                       * .total 0: unknown */
	unsigned n_calls;     /* number of outflow_some() calls */
	struct sink sink;
	const char *path;	 /* path of the output file, borrowed; NULL:
	                       * standard output */
	struct deflate *deflate; /* owned; NULL: no compression */
	int errnum; /* first error of the sink, after which nothing is
	                       * written; 0: none */
};

/*
 * Returns a stream that writes to *FD within the output limit (output.h). FD
 * and PATH are borrowed. PATH is the output file, or NULL or "-" for standard
 * output.
 */
struct outflow outflow_begin(const char *path, int *fd);
/*
 * Compresses all output. Call this before the first text is written. Has no
 * effect if dwell is built without zlib.
 */
void outflow_compress(struct outflow *out);
/*
 * Writes .text if the text is long. Returns false if no more text can be
 * written.
 */
bool outflow_some(struct outflow *out);
/* Writes .text. Returns 0 or an errno. */
int outflow_flush(struct outflow *out);
/* Appends SIZE bytes. Long texts are written without a copy. */
void outflow_put(struct outflow *out, const void *bytes, size_t size);
/*
 * Writes the rest of .text unless ERR is set, and frees OUT. Takes ownership of
 * ERR. Returns ERR or, if ERR is NULL, the error of writing.
 */
struct error *outflow_end(struct outflow *out, struct error *err) _must_check_;

#endif
