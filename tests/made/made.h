/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes small perf.data files from a text that people can read: of either byte
 * order, any attr size, as file, pipe or folder, right or wrong on purpose.
 * doc/how-to-make-a-recording.md has the words.
 *
 * It knows the format by itself, and takes nothing of dwell but buffers: so
 * that a mistake of the reader isn't made here, too.
 */
#ifndef DWELL_MADE_H
#define DWELL_MADE_H

#include <zstd.h>

#include "tests/made/words.h"

#define MADE_ATTR_MAX 256u

struct made_event {
	uint8_t attr[MADE_ATTR_MAX]; /* as the file has it */
	size_t attr_size;
	uint64_t sample_type, read_format, branch_type;
	bool has_trailer; /* sample_id_all */
	struct word_numbers ids;
	char *name;
};

struct made_feature {
	unsigned bit;
	struct strbuf body;
	uint64_t offset, size; /* as the table tells */
	bool is_misplaced;     /* they are told by the text */
};

struct made {
	bool is_big, is_pipe;
	char *magic;
	ARRAY(struct made_event) events;
	ARRAY(struct made_feature) features;
	struct strbuf data;       /* records of what is being made */
	struct strbuf main_data;  /* of the file, while a part is made */
	ARRAY(struct strbuf) parts; /* data.0, data.1, ... of a folder */
	bool is_in_part;
	/* What the header shall tell instead of what is true. */
	ARRAY(struct made_lie {
		char *name;
		uint64_t value;
	}) lies;
	uint64_t cut; /* bytes to leave out at the end */
	uint32_t compressed; /* type of the records that data go into, or 0 */
	uint64_t piece;      /* bytes in one of them */
	int window_log;      /* of the stream; 0: as zstd likes */
	struct strbuf raw;   /* what waits to be compressed */
	ZSTD_CStream *zstd;
};

/*
 * Reads TEXT. IS_BIG asks for a big-endian machine's bytes, as "file big" does.
 * The caller deinits RET, also after an error.
 */
struct error *made_read(
	const char *text, bool is_big, struct made *ret) _must_check_;
void made_deinit(struct made *made);
/* Appends the file, or what is called "data" in a folder. */
void made_write(struct made *made, struct strbuf *out);
/* Both at once. */
struct error *made_file(
	const char *text, bool is_big, struct strbuf *out) _must_check_;

/* --- for the files of made ------------------------------------------------ */

/* An integer of WIDTH bytes in the byte order that is asked for. */
void made_put(const struct made *made, struct strbuf *out, size_t width,
	uint64_t value);
/* Where records go. */
struct strbuf *made_data(struct made *made);
/* event.c: "event" and its words. */
void made_event(struct made *made, struct words *words);
void made_event_deinit(struct made_event *event);
/* record.c: "record TYPE ..." */
void made_record(struct made *made, struct words *words);
/* A record with this body, of which the header tells the size. */
void made_put_record(struct made *made, struct strbuf *out, uint32_t type,
	uint16_t misc, const struct strbuf *body);
/* sample.c: the body of a sample, and the trailer of the others. */
void made_sample(struct made *made, const struct made_event *event,
	struct words *words, struct strbuf *out);
void made_trailer(struct made *made, const struct made_event *event,
	struct words *words, struct strbuf *out);
/* feature.c: "feature NAME ..." */
void made_feature(struct made *made, struct words *words);
void made_put_feature(
	struct made *made, const struct made_event *event, struct strbuf *out);

#endif
