/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads recordings: dwell's, complete or cut at any length, and perf's files
 * and streams, plain or compressed. There are two passes. The first pass
 *
 *	while ((result = reader_next(reader, wanted, &chunk)) == 0)
 *		survey the sideband
 *
 * reads the file once in order, with its attributes and features, and lists
 * its *extents*. The second pass
 *
 *	cursor_load(cursor, &extent);
 *	while (cursor_next(cursor, &chunk) == 0)
 *		count the samples
 *
 * reads extents again, in any order and in any number of threads, with one
 * cursor per thread. If reader_is_ordered() returns true, the extents depend
 * on each other and must be read in order.
 *
 * A chunk is a run of whole records, in this machine's byte order. A file that
 * ends inside a record, or in bytes that are not records, ends there for the
 * reader: the records before are read, and reader_damages() has the place.
 */
#ifndef DWELL_COMMON_FILE_READER_H
#define DWELL_COMMON_FILE_READER_H

#include "common/file/block.h"
#include "common/file/damages.h"
#include "common/file/feature.h"
#include "common/file/section.h"
#include "common/perf/sample.h"
#include "common/util/error.h"

/* A part of a recording that can be loaded by itself. */
enum extent_coding {
	EXTENT_PLAIN,  /* records as they are */
	EXTENT_BLOCK,  /* one of dwell's blocks; independent of others */
	/* a piece of perf's compressed stream; needs all pieces before it */
	EXTENT_STREAM,
};

struct extent {
	uint64_t offset; /* file offset of the first record's header */
	uint32_t size;
	enum extent_coding coding;
	uint32_t type; /* type of the compressed record; 0: plain */
	uint64_t position; /* position of its first chunk, see struct chunk */
	struct block_info info; /* of an EXTENT_BLOCK */
};

struct chunk {
	const uint8_t *data; /* borrowed until the next call */
	size_t size;
	/*
	 * The file offset that the chunk would have without compression. Where
	 * records have no time, this plus the offset in the chunk takes its
	 * place.
	 */
	uint64_t position;
	uint64_t offset; /* file offset of its extent */
	enum extent_coding coding; /* of its extent */
};

struct reader;

/*
 * Opens a recording. PATH "-" is standard input, which is copied, see spool.h.
 */
struct error *reader_open(
	const char *path, struct reader **ret) _must_check_;
void reader_close(struct reader *reader);

/*
 * Reads the next chunk. WANTED is a block_kind as a mask: a block without
 * wanted records (BLOCK_SIDEBAND: without sideband) is listed as an extent but
 * not decompressed, and its chunk is empty. Returns <0 if the file cannot be
 * read any further, 0 with a chunk, >0 at the end.
 */
int reader_next(
	struct reader *reader, enum block_kind wanted, struct chunk *ret);

/*
 * Allows reader_next() to return samples with a valid header and undefined
 * content from now on, where reading the content takes time.
 */
void reader_skim(struct reader *reader);

/*
 * Moves the chunk that reader_next() returned to *ROOM, of READER_ROOM bytes,
 * so that it stays valid. *ROOM is owned by the caller; the function may
 * replace it by another buffer.
 */
#define READER_ROOM BLOCK_RAW_MAX
void reader_keep(
	struct reader *reader, struct chunk *chunk, uint8_t **room);

/* Valid after reader_next() returned the end. */
size_t reader_n_extents(const struct reader *reader);
const struct extent *reader_extent(const struct reader *reader, size_t i);
bool reader_is_ordered(const struct reader *reader);
/*
 * Returns the damaged places found so far by reader_*() and cursors; borrowed.
 * A cursor adds each block that it cannot read. The first pass adds missing
 * blocks.
 */
struct damages *reader_damages(const struct reader *reader);
/* Returns the line about the first place found, or NULL. Borrowed. */
const char *reader_damage(const struct reader *reader);
/*
 * Reads all blocks once to find the damaged ones. Call after the first pass.
 * For commands with output that does not depend on samples.
 */
void reader_check_blocks(struct reader *reader);

const char *reader_path(const struct reader *reader);
uint64_t reader_size(const struct reader *reader);
/*
 * Returns the size that the file would have without compression. Call after the
 * first pass.
 */
uint64_t reader_expanded_size(const struct reader *reader);
bool reader_is_pipe(const struct reader *reader);
const struct features *reader_features(const struct reader *reader);

/* Events in file order. After the first chunk there is at least one. */
size_t reader_n_events(const struct reader *reader);
const struct event *reader_event(const struct reader *reader, size_t i);
/* The name of the event that has ID, borrowed; "event" if there is none. */
const char *reader_event_name(const struct reader *reader, uint64_t id);
/* Returns true if samples of any event have registers and a user stack copy. */
bool reader_has_stack_copies(const struct reader *reader);
const struct sample_layout *reader_layout(
	const struct reader *reader, size_t i);
/*
 * Returns the index of the event of RECORD, a sample or sideband record.
 * Records with an unknown ID count as the first event's.
 */
size_t reader_event_of(
	const struct reader *reader, const struct record *record);

/*
 * Reserves SIZE bytes of memory for the file's content. Returns false if the
 * sum would exceed READER_MEMORY_RATIO times the file's size plus
 * READER_MEMORY_FREE, a limit for compressed data, which may expand without
 * bounds. Thread-safe.
 */
#define READER_MEMORY_FREE MIB(40)
#define READER_MEMORY_RATIO 9u
bool reader_reserve(struct reader *reader, uint64_t size);
/* Releases SIZE bytes of the memory that reader_reserve() reserved. */
void reader_release(struct reader *reader, uint64_t size);

/*
 * Decompresses one of dwell's own sections. Returns false if the file has no
 * section of this NAME and VERSION, or if the section is damaged, which is
 * added to the damages.
 */
bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret);
/* The sections of the file, in their order; borrowed. */
size_t reader_n_sections(const struct reader *reader);
const struct section *reader_section_at(const struct reader *reader, size_t i);

/*
 * Appends all bytes of EXTENT, as in the file, to OUT. Returns false if they
 * cannot be read.
 */
bool reader_copy(const struct reader *reader, const struct extent *extent,
	struct strbuf *out);

struct cursor;
struct cursor *cursor_create(struct reader *reader);
void cursor_destroy(struct cursor *cursor);
void cursor_load(struct cursor *cursor, const struct extent *extent);
/*
 * Returns <0 if the rest of the extent is damaged, 0 with a chunk, >0 at the
 * end.
 */
int cursor_next(struct cursor *cursor, struct chunk *ret);

#endif
