/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads any recording: dwell's own at any length, perf's files and streams,
 * plain or compressed. Made for two passes:
 *
 *	while ((result = reader_next(reader, wanted, &chunk)) == 0)
 *		survey the sideband
 *
 * walks the file once in order, collects its attrs and features on the way
 * and remembers its *extents*; after that
 *
 *	cursor_load(cursor, &extent);
 *	while (cursor_next(cursor, &chunk) == 0)
 *		count the samples
 *
 * reads them again, in any order and from any number of threads (one cursor
 * each), unless reader_is_ordered() says that they depend on each other.
 *
 * Chunks are runs of whole records, in this machine's byte order. A file that
 * ends inside a record, or that turns to nonsense, ends there: what was before
 * is given, reader_damages() has the place.
 */
#ifndef DWELL_COMMON_FILE_READER_H
#define DWELL_COMMON_FILE_READER_H

#include "common/file/block.h"
#include "common/file/damages.h"
#include "common/file/extent.h"
#include "common/file/feature.h"
#include "common/file/section.h"
#include "common/perf/sample.h"
#include "common/util/error.h"

struct chunk {
	const uint8_t *data; /* borrowed until the next call */
	size_t size;
	/*
	 * The offset it would have in the file if nothing were compressed. It
	 * stands in for time, PLUS the place in the chunk, where records have
	 * none.
	 */
	uint64_t position;
	uint64_t offset; /* of its extent in the file as it is */
	enum extent_coding coding; /* of that */
};

struct reader;

/* PATH "-" is standard input, which is kept as spool.h says. */
struct error *reader_open(
	const char *path, struct reader **ret) _must_check_;
void reader_close(struct reader *reader);

/*
 * The next chunk. Blocks that hold nothing of WANTED (a block_kind as a mask:
 * BLOCK_SIDEBAND skips sample blocks) are remembered and passed over: their
 * chunk is empty, and only their description is read. Returns
 * <0 if the file can't be read any more, 0 with a chunk, >0 at the end.
 */
int reader_next(
	struct reader *reader, enum block_kind wanted, struct chunk *ret);

/*
 * From now on samples that reader_next() gives may be nothing but a header and
 * bytes of anything, where it takes time to read them.
 */
void reader_skim(struct reader *reader);

/*
 * Moves what reader_next() gave to *ROOM, of READER_ROOM bytes, so that it stays
 * there. *ROOM, owned by the caller, may be another one afterwards.
 */
#define READER_ROOM BLOCK_RAW_MAX
void reader_keep(
	struct reader *reader, struct chunk *chunk, uint8_t **room);

/* After reader_next() came to the end. */
size_t reader_n_extents(const struct reader *reader);
const struct extent *reader_extent(const struct reader *reader, size_t i);
bool reader_is_ordered(const struct reader *reader);
/*
 * The damaged places that reader_*() and cursors have met so far; borrowed. A
 * cursor adds each block that it cannot read, and the first pass the blocks
 * that are missing.
 */
struct damages *reader_damages(const struct reader *reader);
/* The line of the place that was met first, or NULL. Borrowed. */
const char *reader_damage(const struct reader *reader);
/*
 * Reads all blocks once, after the first pass, so that each damaged one is
 * known. For verbs whose answer does not depend on the samples.
 */
void reader_check_blocks(struct reader *reader);

const char *reader_path(const struct reader *reader);
uint64_t reader_size(const struct reader *reader);
/* The same after the first pass, as if nothing in it were compressed. */
uint64_t reader_expanded_size(const struct reader *reader);
bool reader_is_pipe(const struct reader *reader);
const struct features *reader_features(const struct reader *reader);

/* Events in the order of the file; at least one after a chunk was given. */
size_t reader_n_events(const struct reader *reader);
const struct event *reader_event(const struct reader *reader, size_t i);
/* Whether samples of any event carry registers and a copy of the user stack. */
bool reader_has_stack_copies(const struct reader *reader);
const struct sample_layout *reader_layout(
	const struct reader *reader, size_t i);
/*
 * Index of the event that RECORD (a sample or sideband) belongs to. Records
 * whose id nobody knows count as the first event's.
 */
size_t reader_event_of(
	const struct reader *reader, const struct record *record);

/*
 * Whether SIZE more bytes may be kept for what the file holds, all in all at
 * most READER_MEMORY_RATIO times its size and READER_MEMORY_FREE: what is
 * compressed may expand without bounds otherwise. Each call that says yes
 * counts. Any thread may ask.
 */
#define READER_MEMORY_FREE MIB(40)
#define READER_MEMORY_RATIO 9u
bool reader_affords(struct reader *reader, uint64_t size);
/* SIZE of that is free again. */
void reader_returns(struct reader *reader, uint64_t size);

/*
 * One of dwell's own sections, decompressed. False if the file has none of
 * that NAME and VERSION, or it is damaged, which is added to the damages.
 */
bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret);
/* Which of them the file has, in their order; borrowed. */
size_t reader_n_sections(const struct reader *reader);
const struct section *reader_section_at(const struct reader *reader, size_t i);

/* All of EXTENT as it lies in the file, to OUT; false if it can't be read. */
bool reader_copy(const struct reader *reader, const struct extent *extent,
	struct strbuf *out);

struct cursor;
struct cursor *cursor_create(struct reader *reader);
void cursor_destroy(struct cursor *cursor);
void cursor_load(struct cursor *cursor, const struct extent *extent);
/* <0: this extent is damaged from here on, 0: a chunk, >0: no more. */
int cursor_next(struct cursor *cursor, struct chunk *ret);

#endif
