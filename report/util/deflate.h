/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses bytes with zlib and appends them to a sink. If dwell is built
 * without zlib, the same formats are written without compression, or plain
 * bytes if all readers accept these.
 */
#ifndef DWELL_REPORT_UTIL_DEFLATE_H
#define DWELL_REPORT_UTIL_DEFLATE_H

#include "common/util/sink.h"

enum deflate_format {
	DEFLATE_ZLIB, /* RFC 1950, which browsers read as "deflate" */
	DEFLATE_GZIP, /* RFC 1952, fast; plain bytes without zlib, for pprof */
};

/* Returns false if dwell was built without zlib. */
bool deflate_compresses(void);

struct deflate;
/* SINK is copied. */
struct deflate *deflate_begin(
	const struct sink *sink, enum deflate_format format);
/* Returns 0, or the first errno of the sink, after which nothing is written. */
int deflate_put(struct deflate *deflate, const void *data, size_t size);
/* Writes the rest, and frees DEFLATE, which may be NULL. Returns the same. */
int deflate_end(struct deflate *deflate);

#endif
