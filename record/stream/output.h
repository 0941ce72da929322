/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that is written: created new, never through a link, an older one
 * kept as NAME.old. Or "-", standard output, as a stream; or /dev/null.
 */
#ifndef DWELL_RECORD_STREAM_OUTPUT_H
#define DWELL_RECORD_STREAM_OUTPUT_H

#include "common/file/writer.h"
#include "common/util/error.h"

struct output {
	int fd;
	char *path;     /* owned; NULL: there is none */
	bool is_stream; /* what is written can't be changed */
	bool has_old;   /* an older file was renamed */
};

/* Is PATH standard output? */
bool output_is_stream(const char *path);
/* Is it /dev/null, which is written to as a stream? */
bool output_is_null(const char *path);

/*
 * PATH is copied. A terminal is refused as standard output. If it can't be
 * created, all that RET has is the name.
 */
struct error *output_create(
	const char *path, struct output *ret) _must_check_;
/* For the writer; OUTPUT is borrowed until then. */
struct sink output_sink(struct output *output);
/* As messages name it. */
const char *output_name(const struct output *output);
/*
 * Takes it back: removes the file, gives the older one its name again. Messages
 * may still name it.
 */
void output_discard(struct output *output);
/* Gives the file another NAME, which nothing has yet (else EEXIST). */
struct error *output_rename(
	struct output *output, const char *name) _must_check_;
/* Errors of writing that only show up now. */
struct error *output_close(struct output *output) _must_check_;
void output_deinit(struct output *output);

#endif
