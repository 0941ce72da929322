/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses bytes with zlib and appends the result to a sink. If dwell is
 * built without zlib, the same formats are written without compression, or the
 * bytes are appended as they are if all readers of the format accept plain
 * bytes.
 */
#ifndef DWELL_REPORT_UTIL_DEFLATE_H
#define DWELL_REPORT_UTIL_DEFLATE_H

#include "common/util/sink.h"

enum deflate_format {
	DEFLATE_ZLIB, /* RFC 1950; browsers call this format "deflate" */
	DEFLATE_GZIP, /* RFC 1952, fast, for pprof; plain bytes if dwell is
	               * built without zlib */
};

/* Returns false if dwell was built without zlib. */
bool deflate_compresses(void);

struct deflate;
/*
 * Starts a compressed stream of FORMAT, which is appended to SINK. SINK is
 * copied.
 */
struct deflate *deflate_begin(
	const struct sink *sink, enum deflate_format format);
/*
 * Compresses SIZE bytes. Returns 0, or the first errno of the sink, after which
 * nothing is written.
 */
int deflate_put(struct deflate *deflate, const void *data, size_t size);
/*
 * Ends the stream, and frees DEFLATE, which may be NULL. Returns 0, or the
 * first errno of the sink.
 */
int deflate_end(struct deflate *deflate);

#endif
