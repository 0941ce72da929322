/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compression by zlib, of bytes on their way to a sink. Built without zlib the
 * same formats come out, or plain bytes where readers take these, but nothing is
 * smaller for it.
 */
#ifndef DWELL_REPORT_UTIL_DEFLATE_H
#define DWELL_REPORT_UTIL_DEFLATE_H

#include "common/util/sink.h"

enum deflate_format {
	DEFLATE_ZLIB, /* RFC 1950, which browsers read as "deflate" */
	DEFLATE_GZIP, /* RFC 1952, fast; plain without zlib, as for pprof */
};

/* False: built without zlib. */
bool deflate_compresses(void);

struct deflate;
/* Into SINK, which is copied. */
struct deflate *deflate_begin(
	const struct sink *sink, enum deflate_format format);
/* 0, or the first errno of the sink; nothing goes there after that. */
int deflate_put(struct deflate *deflate, const void *data, size_t size);
/* Writes what is left; the same. DEFLATE is gone then; NULL is fine. */
int deflate_end(struct deflate *deflate);

#endif
