/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes small perf.data files from a readable text: of either byte order and
 * any attr size, as a file, stream or folder, valid or damaged on purpose.
 * doc/how-to-make-a-recording.md describes the text.
 *
 * Uses only dwell's buffers and none of its code for the format, so that a bug
 * of the reader is not repeated here.
 */
#ifndef DWELL_MADE_H
#define DWELL_MADE_H

#include <zstd.h>

#include "tests/made/words.h"

#define MADE_ATTR_MAX 256u

struct made_event {
	uint8_t attr[MADE_ATTR_MAX]; /* in the file's byte order */
	size_t attr_size;
	uint64_t sample_type, read_format, branch_type;
	bool has_trailer; /* sample_id_all */
	struct word_numbers ids;
	char *name;
};

struct made_feature {
	unsigned bit;
	struct strbuf body;
	uint64_t offset, size; /* written to the table if is_misplaced */
	bool is_misplaced;     /* the text has offset= or size= */
};

struct made {
	bool is_big, is_pipe;
	char *magic;
	ARRAY(struct made_event) events;
	ARRAY(struct made_feature) features;
	struct strbuf data;	    /* records of the current part or file */
	struct strbuf main_data;    /* records of the file without its parts */
	ARRAY(struct strbuf) parts; /* data.0, data.1, ... of a folder */
	bool is_in_part;
	/* Values that the header has instead of the true ones. */
	ARRAY(struct made_lie {
		char *name;
		uint64_t value;
	})
	lies;
	uint64_t cut;	     /* bytes to leave out at the end */
	uint32_t compressed; /* type of compressed records, or 0 */
	uint64_t piece;	     /* compressed bytes per record */
	int window_log;	     /* of the zstd stream; 0: zstd's default */
	struct strbuf raw;   /* records to be compressed */
	ZSTD_CStream *zstd;
};

/*
 * Reads TEXT. IS_BIG selects big-endian byte order, like "file big" in the
 * text. The caller deinits RET, also after an error.
 */
struct error *made_read(
	const char *text, bool is_big, struct made *ret) _must_check_;
void made_deinit(struct made *made);
/* Appends the file; for a folder, its file "data". */
void made_write(struct made *made, struct strbuf *out);
/* Reads TEXT and appends the file to OUT. */
struct error *made_file(
	const char *text, bool is_big, struct strbuf *out) _must_check_;

/* --- used only in tests/made ---------------------------------------------- */

/* Appends an integer of WIDTH bytes in the byte order of MADE. */
void made_put(const struct made *made, struct strbuf *out, size_t width,
	uint64_t value);
/* Returns the buffer to which records are appended; borrowed. */
struct strbuf *made_data(struct made *made);
/* Runs the statement "event" (event.c). */
void made_event(struct made *made, struct words *words);
void made_event_deinit(struct made_event *event);
/* Runs the statement "record TYPE ..." (record.c). */
void made_record(struct made *made, struct words *words);
/* Appends a record with BODY. Its header has the size of BODY plus 8. */
void made_put_record(struct made *made, struct strbuf *out, uint32_t type,
	uint16_t misc, const struct strbuf *body);
/* Append the body of a sample, and the trailer of other records (sample.c). */
void made_sample(struct made *made, const struct made_event *event,
	struct words *words, struct strbuf *out);
void made_trailer(struct made *made, const struct made_event *event,
	struct words *words, struct strbuf *out);
/* Runs the statement "feature NAME ..." (feature.c). */
void made_feature(struct made *made, struct words *words);
void made_put_feature(
	struct made *made, const struct made_event *event, struct strbuf *out);

#endif
