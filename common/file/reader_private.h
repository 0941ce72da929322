/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal data of the reader, for reader*.c only; include reader.h first. A
 * cursor keeps one window of up to WINDOW_ROOM bytes of the file in memory. A
 * chunk of uncompressed records is always a part of the window.
 */
#ifndef DWELL_COMMON_FILE_READER_PRIVATE_H
#define DWELL_COMMON_FILE_READER_PRIVATE_H

#include <zstd.h>

#include "common/file/damages.h"
#include "common/file/feature.h"
#include "common/file/section.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/budget.h"
#include "common/util/error.h"
#include "common/util/hash.h"

#define WINDOW_SIZE KIB(256)
#define WINDOW_ROOM (WINDOW_SIZE + RECORD_SIZE_MAX + 1)
#define FEATURE_SIZE_MAX MIB(64)
#define COMPRESSED2_HEADER 16u

struct reader {
	char *path;
	ARRAY(struct reader_part {
		int fd;
		/* offset of the file's first byte; end of the file's records */
		uint64_t start, end;
	})
	parts;	       /* files of the recording, at least one; ascending */
	size_t part;   /* index of the file that reader_next() reads */
	uint64_t size; /* sum of the sizes of all files */
	struct budget budget;
	/* offset of the next record; end of the file's records */
	uint64_t at, end;
	bool is_folder;
	/*
	 * Uncompressed minus compressed size of the extents so far. Only the
	 * thread that reads extents uses it; other threads use .budget.
	 */
	int64_t expansion;
	bool is_pipe; /* attributes and features are records */
	bool swap;    /* the file has the other byte order */
	bool is_ordered;
	/* windows are mapped, because most bytes are not read */
	bool is_mapped;
	/* the recorder closed the file: an early end is damage */
	bool is_closed;
	/* reader_next() has returned the end of the recording */
	bool is_walked;
	struct damages *damages; /* owned */
	struct features features;
	ARRAY(struct event) events;
	ARRAY(struct sample_layout) layouts;
	struct hash_index by_id;
	ARRAY(struct reader_id {
		uint64_t id;
		size_t event;
	})
	ids;
	ARRAY(struct extent) extents;
	struct section sections[SECTIONS_MAX];
	int n_sections;
	struct cursor *cursor;
};

/* The end of messages about data that exceed the budget. */
#define READER_MEMORY_EXCESS "more memory than a recording of this size may use"

struct cursor {
	struct reader *reader;
	struct extent extent;
	bool is_done;	 /* all chunks of .extent were returned */
	bool is_drained; /* for EXTENT_STREAM: all input is decompressed */
	/* of cursor_next_record(): the chunk, and the offset of its next record */
	struct reader_chunk chunk;
	size_t chunk_at;
	uint64_t given;	 /* bytes of .extent's chunks returned so far */
	uint8_t *window; /* bytes of the file, in .buffer or in .map */
	uint8_t *buffer; /* WINDOW_ROOM bytes; owned */
	/* read-only mapping of the file, owned; or NULL */
	uint8_t *map;
	uint64_t map_at; /* file offset of map[0] */
	size_t map_size, map_slot;
	uint64_t window_at; /* file offset of window[0] */
	size_t window_size;
	bool is_skipping; /* blocks are being skipped: read small windows */
	bool is_skimming; /* the content of samples is not needed */
	/* decompressed block, BLOCK_RAW_MAX bytes; owned */
	uint8_t *block;
	/* decompressed bytes of .dstream, STREAM_ROOM; owned */
	uint8_t *stream;
	const struct reader_part
		*stream_part; /* file that .dstream decompresses */
	size_t stream_size, stream_given;
	/* decompressed bytes that are not records were skipped */
	bool has_nonsense;
	/*
	 * The budget did not suffice for .dstream; the next extents of the
	 * stream cannot be decompressed either.
	 */
	bool is_over_limit;
	ZSTD_inBuffer input;
	ZSTD_DCtx *dctx;
	ZSTD_DStream *dstream;
	uint64_t expanded; /* bytes that .dstream decompressed in total */
	/* bytes of the zstd window of .dstream, reserved from the budget */
	uint64_t window_kept;
};

/* reader_file.c */
struct error *reader_open_file(struct reader *reader) _must_check_;
/*
 * If the recording is a folder, opens its other files, data.0 and so on.
 * Call after reader_read_header(), which finds the end of the records in the
 * first file.
 */
struct error *reader_open_parts(struct reader *reader) _must_check_;
/* Returns the file of the recording that contains OFFSET; borrowed. */
const struct reader_part *reader_part(
	const struct reader *reader, uint64_t offset);
/*
 * Reads up to SIZE bytes of the recording at OFFSET into OUT. Returns the
 * number of bytes read.
 */
size_t reader_read_at(
	const struct reader *reader, uint64_t offset, void *out, size_t size);

/*
 * Adds SIZE bytes to the uncompressed minus the compressed size of the extents,
 * on which the budget depends.
 */
void reader_add_expansion(struct reader *reader, int64_t size);

/*
 * Adds a damaged place at OFFSET to reader_damages(). WHAT is a clause, for
 * example "the block is damaged".
 */
void reader_add_damage(
	struct reader *reader, uint64_t offset, const char *what);
/*
 * Adds a damaged block at OFFSET to reader_damages(). INFO contains the number
 * and times of the samples that are missing.
 */
void reader_add_block_damage(struct reader *reader, uint64_t offset,
	const char *what, const struct block_info *info);
/*
 * Adds OFFSET, where the readable data end early, to reader_damages(). If the
 * recorder did not close the file, the place gets .is_end set, because the file
 * is then not damaged.
 */
void reader_add_early_end(
	struct reader *reader, uint64_t offset, const char *what);

/* reader_check.c: compares the file with its own checksums and index. */
/*
 * Adds to reader_damages(): the ranges that differ from the section
 * "checksums", the damage listed in the section "damage", and sections in
 * damaged records. Call after the section directory was read.
 */
void reader_check_sections(struct reader *reader);
/*
 * Returns true if the file header and the bytes between the end of the data and
 * OFFSET, the file offset of TRAILER, have the checksum in TRAILER, or if
 * TRAILER has no checksum.
 */
bool reader_check_tail(struct reader *reader,
	const struct section_trailer *trailer, uint64_t offset);
/*
 * Compares the blocks that reader_next() found with the section "index" and
 * adds the differences to reader_damages(). Call at the end of the recording.
 */
void reader_check_index(struct reader *reader);

/* reader_map.c */
/*
 * Reads SIZE bytes of the file at OFFSET into cursor->buffer; of samples, only
 * the headers. Returns the number of bytes that the buffer now covers.
 */
size_t reader_read_headers(struct cursor *cursor, uint64_t offset, size_t size);
/*
 * Returns SIZE bytes of the file at OFFSET, mapped until the next reader_map()
 * with CURSOR, or NULL if the bytes cannot be mapped.
 */
uint8_t *reader_map(struct cursor *cursor, uint64_t offset, size_t size);
void reader_map_free(struct cursor *cursor);

/*
 * reader_header.c: reads the file header, and the tables and sections to which
 * it points, into READER.
 */
struct error *reader_read_header(struct reader *reader) _must_check_;

/* reader_events.c */
bool reader_find_id(
	const struct reader *reader, uint64_t id, size_t *event_ret);
/*
 * Adds an event to READER. ATTR is copied. IDS is an array of u64 with the
 * event's IDs.
 */
void reader_add_event(struct reader *reader, const struct perf_event_attr *attr,
	struct bytes ids);
/*
 * Sets the names of READER's events from the feature EVENT_DESC, which lists
 * the events in the order of the attributes.
 */
void reader_name_events(struct reader *reader);
/*
 * Reads RECORD if it describes the recording. In streams, attributes, features,
 * build IDs and event names are records; in files, only event names are.
 */
void reader_take_description(
	struct reader *reader, const struct record *record);
void reader_take_tracing_data(
	struct reader *reader, uint64_t offset, uint64_t size);

/* reader_cursor.c: */
/* Swaps the records in DATA to this machine's byte order, in place. */
void reader_swap(const struct reader *reader, uint8_t *data, size_t size);
/*
 * Returns SIZE bytes of the file at OFFSET, or NULL if the file ends before.
 * Reads the bytes into CURSOR's window if the window does not contain them.
 * Borrowed until the next cursor_peek() with CURSOR.
 */
const uint8_t *cursor_peek(struct cursor *cursor, uint64_t offset, size_t size);

#endif
