/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads recordings: dwell's files, complete or without an end, and perf's
 * files and streams, compressed or not. There are two passes. The first pass
 *
 *	while ((result = reader_next(reader, wanted, &chunk)) == 0)
 *		survey the sideband
 *
 * reads the file once in order, with its attributes and features, and lists
 * its *extents*: the parts that can be loaded again. The second pass
 *
 *	cursor_load(cursor, &extent);
 *	while (cursor_next(cursor, &chunk) == 0)
 *		count the samples
 *
 * reads extents again, in any order and in any number of threads, with one
 * cursor per thread. If reader_is_ordered() returns true, the extents depend
 * on each other and must be read in order.
 *
 * A chunk is a sequence of whole records, in this machine's byte order. If the
 * file ends inside a record, or in bytes that are not records, the records
 * before are read, and reader_damages() contains the file offset of the end.
 */
#ifndef DWELL_COMMON_FILE_READER_H
#define DWELL_COMMON_FILE_READER_H

#include "common/file/block.h"
#include "common/file/damages.h"
#include "common/file/feature.h"
#include "common/file/section.h"
#include "common/perf/sample.h"
#include "common/util/budget.h"
#include "common/util/error.h"

/*
 * How the records of an extent are stored. An extent is a part of a recording
 * that cursor_load() can load.
 */
enum extent_coding {
	EXTENT_PLAIN, /* uncompressed records */
	EXTENT_BLOCK, /* one of dwell's blocks, decompressed alone */
	/*
	 * a compressed record of perf; can only be decompressed after all
	 * compressed records before it
	 */
	EXTENT_STREAM,
};

struct extent {
	uint64_t offset; /* file offset of the extent's first record */
	uint32_t size;
	enum extent_coding coding;
	uint32_t type; /* type of the compressed record; 0: not compressed */
	/* file offset that the extent would have if nothing were compressed */
	uint64_t position;
	struct block_info info; /* description of the block, for EXTENT_BLOCK */
};

struct reader_chunk {
	/* whole records, borrowed until the next chunk is read */
	const uint8_t *data;
	size_t size;
	/*
	 * The file offset that the chunk would have if the file were not
	 * compressed. Records without a time are ordered by this offset plus
	 * their offset in the chunk.
	 */
	uint64_t position;
	uint64_t offset; /* file offset of the extent with the chunk */
	enum extent_coding coding; /* coding of the extent with the chunk */
};

struct reader;

/*
 * Opens the recording at PATH. If PATH is "-", standard input is copied to
 * memory or to a temporary file (spool.h), and the copy is opened.
 */
struct error *reader_open(const char *path, struct reader **ret) _must_check_;
void reader_close(struct reader *reader);

/*
 * Reads the next chunk of the recording into RET. WANTED is a bit mask of
 * BLOCK_SIDEBAND and BLOCK_SAMPLES. A block without records of a wanted kind is
 * listed as an extent but not decompressed, and the returned chunk is empty.
 * Returns 0 with a chunk, >0 at the end of the recording, or <0 if the file
 * cannot be read any further.
 */
int reader_next(struct reader *reader, enum block_kind wanted,
	struct reader_chunk *ret);

/*
 * Allows reader_next() to return, from now on, samples of which only the header
 * is valid, if reading their content takes time.
 */
void reader_skim(struct reader *reader);

/*
 * The list of extents. It is complete when reader_next() has returned the end
 * of the recording.
 */
size_t reader_n_extents(const struct reader *reader);
const struct extent *reader_extent(const struct reader *reader, size_t i);
bool reader_is_ordered(const struct reader *reader);
/*
 * Returns the damaged places of the recording that were found so far; borrowed.
 * Cursors add each block that cannot be decompressed. reader_next() adds
 * missing blocks when it reaches the end of the recording.
 */
struct damages *reader_damages(const struct reader *reader);
/*
 * Returns the description of the damaged place that was found first, or NULL if
 * no damage was found. Borrowed.
 */
const char *reader_damage(const struct reader *reader);
/*
 * Decompresses all blocks and adds the damaged ones to reader_damages(). Call
 * after reader_next() has returned the end of the recording. For verbs with
 * output that does not depend on samples.
 */
void reader_check_blocks(struct reader *reader);

const char *reader_path(const struct reader *reader);
uint64_t reader_size(const struct reader *reader);
/*
 * Returns the size that the file would have if it were not compressed. Call
 * after reader_next() has returned the end of the recording.
 */
uint64_t reader_expanded_size(const struct reader *reader);
bool reader_is_pipe(const struct reader *reader);
const struct features *reader_features(const struct reader *reader);
/*
 * Returns whether the file, and the raw data of samples, have the other byte
 * order.
 */
bool reader_is_swapped(const struct reader *reader);

/*
 * The events of the recording, in file order. After the first call of
 * reader_next(), there is at least one event.
 */
size_t reader_n_events(const struct reader *reader);
const struct event *reader_event(const struct reader *reader, size_t i);
/*
 * Returns the name of the event that has the event ID ID, or "event" if there
 * is no such event. Borrowed.
 */
const char *reader_event_name(const struct reader *reader, uint64_t id);
/* Returns true if samples of any event have registers and a user stack copy. */
bool reader_has_stack_copies(const struct reader *reader);
const struct sample_layout *reader_layout(
	const struct reader *reader, size_t i);
/*
 * Returns the index of the event that produced RECORD, a sample or sideband
 * record. Returns 0, the first event, if the ID in RECORD is unknown.
 */
size_t reader_event_of(
	const struct reader *reader, const struct record *record);

/*
 * Returns the budget for all that is made of the file's content; borrowed. Its
 * limit is READER_MEMORY_RATIO times the decompressed size plus
 * READER_MEMORY_FREE. The limit is needed because compressed data may expand
 * without bounds: at most READER_EXPANSION_MAX times the file's size counts as
 * decompressed size. In recordings of many short processes, a sample takes some
 * 20 bytes of the file and 800 reserved bytes.
 */
#define READER_MEMORY_FREE MIB(40)
#define READER_MEMORY_RATIO 9u
#define READER_EXPANSION_MAX 8u
struct budget *reader_budget(struct reader *reader);

/*
 * Decompresses dwell's section NAME into RET. Returns false if the file has no
 * section with this NAME and VERSION. Also returns false if the section is
 * damaged, and adds the damage to reader_damages().
 */
bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret);
/*
 * dwell's sections of the file, in the order of the section directory;
 * borrowed.
 */
size_t reader_n_sections(const struct reader *reader);
const struct section *reader_section_at(const struct reader *reader, size_t i);

/*
 * Appends all bytes of EXTENT, as in the file, to OUT. Returns false if the
 * bytes cannot be read.
 */
bool reader_copy(const struct reader *reader, const struct extent *extent,
	struct strbuf *out);

struct cursor;
struct cursor *cursor_create(struct reader *reader);
void cursor_destroy(struct cursor *cursor);
void cursor_load(struct cursor *cursor, const struct extent *extent);
/*
 * Reads the next chunk of the extent that was loaded last into RET. Returns 0
 * with a chunk, >0 at the end of the extent, or <0 if the rest of the extent is
 * damaged.
 */
int cursor_next(struct cursor *cursor, struct reader_chunk *ret);
/*
 * Reads the next record of the extent that was loaded last; instead of
 * cursor_next(). POSITION_RET gets its position (struct reader_chunk). Returns
 * false at the end of the extent, or if the rest of the extent is damaged. RET
 * is borrowed until the next call.
 */
bool cursor_next_record(
	struct cursor *cursor, struct record *ret, uint64_t *position_ret);

#endif
