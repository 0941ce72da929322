/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records on their way into blocks of another compression level: those of blocks
 * as they stood together, others as many together as a block holds.
 */
#ifndef DWELL_REPORT_PACK_PACK_BLOCKS_H
#define DWELL_REPORT_PACK_PACK_BLOCKS_H

#include "common/file/reader.h"
#include "common/file/writer.h"

struct pack_blocks;

/* READER and WRITER are borrowed until destroyed. */
struct pack_blocks *pack_blocks_create(
	const struct reader *reader, struct writer *writer, int level);
/* NULL is fine. */
void pack_blocks_destroy(struct pack_blocks *blocks);

/* All of a block, INFO->raw_size bytes that INFO describes. */
struct error *pack_blocks_put(struct pack_blocks *blocks, const void *raw,
	const struct block_info *info) _must_check_;
/* One record; it is written later, but before what comes by the call above. */
struct error *pack_blocks_add(struct pack_blocks *blocks,
	const struct record *record) _must_check_;
/* Writes what waits. */
struct error *pack_blocks_flush(struct pack_blocks *blocks) _must_check_;

/* How many bytes of records there were. */
uint64_t pack_blocks_raw(const struct pack_blocks *blocks);

#endif
