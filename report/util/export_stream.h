/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an export writes, in pieces, to a file or a pipe. Of a file it says, before
 * the first piece, how much will come; of a pipe only on a terminal, if it is much.
 */
#ifndef DWELL_REPORT_UTIL_EXPORT_STREAM_H
#define DWELL_REPORT_UTIL_EXPORT_STREAM_H

#include "common/util/error.h"
#include "common/util/sink.h"
#include "common/util/strbuf.h"

struct deflate;

struct outflow {
	struct strbuf text;   /* what goes next, for all to add to */
	uint64_t done, total; /* of whatever is written, for the guess; total 0:
			       * nobody knows */
	/* Of what is written once, such as names, and isn't as much everywhere. */
	struct outflow_once {
		uint64_t size;        /* bytes so far, */
		uint64_t size_put;    /* of which these are in the text */
		uint64_t done, total; /* things that they are of; or 0 */
	} once;
	struct sink sink;
	const char *name;     /* of where it goes to, borrowed */
	bool is_file;         /* it was named */
	struct deflate *deflate; /* owned; NULL: nothing is compressed */
	bool has_begun;
	uint64_t *measured;   /* what it would be; NULL: it is written; borrowed */
	int errnum;           /* of the sink; nothing is written after it */
};

/* To *FD, which is borrowed, as PATH is, as output_open() takes it. */
struct outflow outflow_begin(const char *path, int *fd);
/* From now on, before anything was written; not without zlib. */
void outflow_compress(struct outflow *out);
/* Writes the text if it is long. False: there is no use in more of it. */
bool outflow_some(struct outflow *out);
/* Writes it however long it is; 0 or an errno. */
int outflow_flush(struct outflow *out);
/* Adds to the text; what is long is written at once, after outflow_tell(). */
void outflow_put(struct outflow *out, const void *bytes, size_t size);
/*
 * Writes all of it, unless ERR says that it is of no use. ERR, which is taken,
 * or what went wrong with writing.
 */
struct error *outflow_end(
	struct outflow *out, struct error *err) _must_check_;
/* SIZE bytes will come, 0 if nobody knows: for those who know. */
void outflow_tell(struct outflow *out, uint64_t size);
/* Whether that would be heard: it may take a while to find out. */
bool outflow_is_heard(const struct outflow *out);
/*
 * Tells what PUT is about to write to OUT, before anything was written: has it
 * do so once, and it goes nowhere. PUT must be able to do all of it again.
 */
void outflow_foresee(
	struct outflow *out, void (*put)(void *data), void *data);
/* Within that, true: SIZE bytes, which needn't come, have been counted. */
bool outflow_skips(struct outflow *out, uint64_t size);

#endif
