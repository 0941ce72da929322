/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader is made of, for reader*.c alone. Of the file a cursor holds one
 * window of WINDOW_ROOM bytes; all chunks of plain records lie in it.
 */
#ifndef DWELL_COMMON_FILE_READER_PRIVATE_H
#define DWELL_COMMON_FILE_READER_PRIVATE_H

#include <zstd.h>

#include "common/file/damages.h"
#include "common/file/extent.h"
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
		uint64_t start, end; /* of its bytes; of its records */
	}) parts; /* at least one; each behind the other */
	size_t part;        /* where reader_next() is */
	uint64_t size;      /* of all parts */
	_Atomic uint64_t kept; /* what reader_affords() allowed */
	uint64_t at, end;   /* in that part, and the end of its records */
	bool is_folder;
	uint64_t expansion; /* by how much decompressing moved it on so far */
	bool is_pipe;       /* attrs and features come as records */
	bool swap;          /* it is of a machine of the other byte order */
	bool is_ordered;
	bool is_mapped; /* windows are, as most of it isn't looked at */
	bool is_closed; /* dwell closed it, so nothing may be missing */
	bool is_walked; /* reader_next() came to the end once */
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
	bool is_done;         /* with the extent */
	bool is_drained;      /* all that it holds of a STREAM is in stream */
	uint64_t given;       /* bytes of the extent so far */
	uint8_t *window;      /* file bytes: .buffer, or in .map */
	uint8_t *buffer;      /* READER_ROOM; owned */
	uint8_t *map;         /* owned; NULL: none; never written to */
	uint64_t map_at;      /* file offset of map[0] */
	size_t map_size, map_slot;
	uint64_t window_at;   /* file offset of window[0] */
	size_t window_size;
	bool is_skipping;     /* reads little: the next block may be skipped */
	bool is_skimming;     /* nobody looks into samples */
	uint8_t *block;       /* BLOCK_RAW_MAX: a decompressed block */
	uint8_t *stream;      /* STREAM_ROOM: decompressed, tail carried over */
	const struct part *stream_part; /* each has a stream of its own */
	size_t stream_size, stream_given;
	bool has_nonsense; /* bytes of it were left out */
	ZSTD_inBuffer input;
	ZSTD_DCtx *dctx;
	ZSTD_DStream *dstream;
	uint64_t expanded;    /* bytes that came out of it */
	uint64_t window_kept; /* what of the reader's memory is for its window */
};

/* reader_file.c */
struct error *reader_open_file(struct reader *reader) _must_check_;
/* The others of a folder, once the header told where the first one ends. */
struct error *reader_open_parts(struct reader *reader) _must_check_;
/* The part that OFFSET is in. Borrowed. */
const struct part *reader_part(const struct reader *reader, uint64_t offset);
/* Returns how many of SIZE bytes at OFFSET there are, written to OUT. */
size_t reader_read_at(const struct reader *reader, uint64_t offset, void *out,
	size_t size);

/* reader.c: adds damaged places. WHAT is a clause, "the block is damaged". */
void reader_damaged(
	struct reader *reader, uint64_t offset, const char *what);
/* The same for a block, whose samples are missing as INFO describes them. */
void reader_block_damaged(struct reader *reader, uint64_t offset,
	const char *what, const struct block_info *info);
/* The file ends early, which is damage only if its recorder closed it. */
void reader_ends(struct reader *reader, uint64_t offset, const char *what);

/* reader_check.c: compares what was read with what the file says of itself. */
/*
 * After the directory was read: what the sections "checksums" and "damage"
 * contain, and the records that sections are wrapped in.
 */
void reader_check_sections(struct reader *reader);
/* Whether the header and the tail are what TRAILER, at OFFSET, says. */
bool reader_check_tail(struct reader *reader, const struct trailer *trailer,
	uint64_t offset);
/* After the walk: the blocks that were found against the section "index". */
void reader_check_index(struct reader *reader);

/* reader_map.c */
/*
 * Reads the records from OFFSET on to the cursor's buffer, of samples only the
 * headers, as far as they are whole or SIZE bytes; gives how far that is.
 */
size_t reader_read_headers(
	struct cursor *cursor, uint64_t offset, size_t size);
/* SIZE bytes at OFFSET, mapped until the next call; NULL: they can't be. */
uint8_t *reader_map(struct cursor *cursor, uint64_t offset, size_t size);
void reader_map_free(struct cursor *cursor);

/* reader_header.c: fills READER with what is known before any record. */
struct error *reader_read_header(struct reader *reader) _must_check_;

/* reader_events.c */
bool reader_find_id(
	const struct reader *reader, uint64_t id, size_t *event_ret);
/* ATTR is copied, IDS are u64 each up to their end. */
void reader_add_event(struct reader *reader,
	const struct perf_event_attr *attr, struct bytes ids);
/* Names are in EVENT_DESC, in the order of the attrs. */
void reader_name_events(struct reader *reader);
/* A record that describes the stream itself; but for names, only pipes do. */
void reader_take_description(
	struct reader *reader, const struct record *record);
void reader_take_tracing_data(
	struct reader *reader, uint64_t offset, uint64_t size);

/* reader_cursor.c: */
/* Records as they lie, turned into this machine's byte order in place. */
void reader_swap(
	const struct reader *reader, uint8_t *data, size_t size);
/*
 * SIZE bytes at OFFSET, from the window if they are there; NULL if the data
 * end before. Borrowed until the next call.
 */
const uint8_t *cursor_peek(
	struct cursor *cursor, uint64_t offset, size_t size);

#endif
