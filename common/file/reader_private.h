/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal data of the reader, for reader*.c only; include reader.h first. A
 * cursor has one window of WINDOW_ROOM bytes of the file; all chunks of plain
 * records are in the window.
 */
#ifndef DWELL_COMMON_FILE_READER_PRIVATE_H
#define DWELL_COMMON_FILE_READER_PRIVATE_H

#include <zstd.h>

#include "common/file/damages.h"
#include "common/file/feature.h"
#include "common/file/section.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/hash.h"

#define WINDOW_SIZE KIB(256)
#define WINDOW_ROOM (WINDOW_SIZE + RECORD_SIZE_MAX + 1)
#define FEATURE_SIZE_MAX MIB(64)
#define COMPRESSED2_HEADER 16u

struct reader {
	char *path;
	ARRAY(struct part {
		int fd;
		/* offset of its first byte; end of its records */
		uint64_t start, end;
	}) parts; /* at least one; ascending */
	size_t part;        /* part that reader_next() reads */
	uint64_t size;      /* sum of all parts */
	_Atomic uint64_t kept; /* bytes reserved by reader_reserve() */
	uint64_t at, end;   /* offset of the next record; end of the part */
	bool is_folder;
	uint64_t expansion; /* uncompressed minus compressed size so far */
	bool is_pipe;       /* attributes and features are records */
	bool swap;          /* the file has the other byte order */
	bool is_ordered;
	bool is_mapped; /* windows are mapped: most bytes are not read */
	bool is_closed; /* dwell closed the file: it must be complete */
	bool is_walked; /* the first pass is finished */
	struct damages *damages; /* owned */
	struct features features;
	ARRAY(struct event) events;
	ARRAY(struct sample_layout) layouts;
	struct hash_index by_id;
	ARRAY(struct known_id {
		uint64_t id;
		size_t event;
	}) ids;
	ARRAY(struct extent) extents;
	struct section sections[SECTIONS_MAX];
	int n_sections;
	struct cursor *cursor;
};

struct cursor {
	struct reader *reader;
	struct extent extent;
	bool is_done;         /* the extent is finished */
	bool is_drained; /* all input of an EXTENT_STREAM is decompressed */
	uint64_t given;       /* bytes of the extent returned so far */
	uint8_t *window;      /* file bytes: .buffer, or in .map */
	uint8_t *buffer;      /* READER_ROOM; owned */
	uint8_t *map;         /* owned, or NULL; read-only */
	uint64_t map_at;      /* file offset of map[0] */
	size_t map_size, map_slot;
	uint64_t window_at;   /* file offset of window[0] */
	size_t window_size;
	bool is_skipping;     /* small windows: blocks are being skipped */
	bool is_skimming;     /* the content of samples is not needed */
	uint8_t *block;       /* BLOCK_RAW_MAX: a decompressed block */
	uint8_t *stream;      /* STREAM_ROOM: decompressed bytes */
	const struct part *stream_part; /* each part has its own stream */
	size_t stream_size, stream_given;
	bool has_nonsense; /* bytes that are not records were skipped */
	ZSTD_inBuffer input;
	ZSTD_DCtx *dctx;
	ZSTD_DStream *dstream;
	uint64_t expanded;    /* decompressed bytes in total */
	uint64_t window_kept; /* bytes reserved for the zstd window */
};

/* reader_file.c */
struct error *reader_open_file(struct reader *reader) _must_check_;
/*
 * Opens the other files of a directory. Call when the header has been read,
 * which has the end of the first file.
 */
struct error *reader_open_parts(struct reader *reader) _must_check_;
/* Returns the part that contains OFFSET; borrowed. */
const struct part *reader_part(const struct reader *reader, uint64_t offset);
/* Reads up to SIZE bytes at OFFSET to OUT. Returns the number of bytes. */
size_t reader_read_at(const struct reader *reader, uint64_t offset, void *out,
	size_t size);

/* Adds a damaged place. WHAT is a clause: "the block is damaged". */
void reader_add_damage(
	struct reader *reader, uint64_t offset, const char *what);
/* Adds a damaged block. INFO describes the missing samples. */
void reader_add_block_damage(struct reader *reader, uint64_t offset,
	const char *what, const struct block_info *info);
/*
 * Adds an early end of the file, which is damage only if the recorder closed
 * the file.
 */
void reader_add_early_end(
	struct reader *reader, uint64_t offset, const char *what);

/* reader_check.c: compares the file with its own checksums and index. */
/*
 * Checks the file against its sections "checksums" and "damage", and the
 * records that contain sections. Call after the directory was read.
 */
void reader_check_sections(struct reader *reader);
/*
 * Returns true if header and tail have the checksum in TRAILER, which is at
 * OFFSET.
 */
bool reader_check_tail(struct reader *reader, const struct trailer *trailer,
	uint64_t offset);
/*
 * Compares the blocks found with the section "index". Call after the first
 * pass.
 */
void reader_check_index(struct reader *reader);

/* reader_map.c */
/*
 * Reads records from OFFSET on, up to SIZE bytes, to the cursor's buffer; of
 * samples only the headers. Returns the end of what was read.
 */
size_t reader_read_headers(
	struct cursor *cursor, uint64_t offset, size_t size);
/*
 * Returns SIZE bytes at OFFSET, mapped until the next call, or NULL if they
 * cannot be mapped.
 */
uint8_t *reader_map(struct cursor *cursor, uint64_t offset, size_t size);
void reader_map_free(struct cursor *cursor);

/* reader_header.c: Reads everything before the first record into READER. */
struct error *reader_read_header(struct reader *reader) _must_check_;

/* reader_events.c */
bool reader_find_id(
	const struct reader *reader, uint64_t id, size_t *event_ret);
/* Adds an event. ATTR is copied. IDS is an array of u64. */
void reader_add_event(struct reader *reader,
	const struct perf_event_attr *attr, struct bytes ids);
/* Names the events after EVENT_DESC, which has the attributes' order. */
void reader_name_events(struct reader *reader);
/*
 * Reads a record that describes the stream itself: in pipes all of them, in
 * files only names of events.
 */
void reader_take_description(
	struct reader *reader, const struct record *record);
void reader_take_tracing_data(
	struct reader *reader, uint64_t offset, uint64_t size);

/* reader_cursor.c: */
/* Swaps the records in DATA to this machine's byte order, in place. */
void reader_swap(
	const struct reader *reader, uint8_t *data, size_t size);
/*
 * Returns SIZE bytes at OFFSET, from the window or read into it, or NULL if the
 * file ends before. Borrowed until the next call.
 */
const uint8_t *cursor_peek(
	struct cursor *cursor, uint64_t offset, size_t size);

#endif
