/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes records in blocks of another compression level. Records of a block
 * stay together; other records are collected until a block is full.
 */
#ifndef DWELL_REPORT_PACK_PACK_BLOCKS_H
#define DWELL_REPORT_PACK_PACK_BLOCKS_H

#include "common/file/reader.h"
#include "common/file/writer.h"

struct pack_blocks;

/* READER and WRITER are borrowed until pack_blocks_destroy(). */
struct pack_blocks *pack_blocks_create(
	const struct reader *reader, struct writer *writer, int level);
/* BLOCKS may be NULL. */
void pack_blocks_destroy(struct pack_blocks *blocks);

/* Writes a block: INFO->raw_size bytes at RAW, which INFO describes. */
struct error *pack_blocks_put(struct pack_blocks *blocks, const void *raw,
	const struct block_info *info) _must_check_;
/* Adds one record. It is written later, but before the next block. */
struct error *pack_blocks_add(
	struct pack_blocks *blocks, const struct record *record) _must_check_;
/* Writes the collected records. */
struct error *pack_blocks_flush(struct pack_blocks *blocks) _must_check_;

/* Returns the size of all records in bytes. */
uint64_t pack_blocks_raw(const struct pack_blocks *blocks);

#endif
