/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block: whole records, compressed into one zstd frame that stands alone in
 * one PERF_RECORD_COMPRESSED, behind a skippable frame that describes it
 * (doc/format.md, "Blocks"). A block can be read without any other.
 */
#ifndef DWELL_COMMON_FILE_BLOCK_H
#define DWELL_COMMON_FILE_BLOCK_H

#include "common/perf/record.h"
#include "common/util/error.h"

/* Raw bytes of a block at most; no record crosses a block's end. */
#define BLOCK_RAW_MAX KIB(1024)
/*
 * What readers must reserve for one compressed record: the mmap_len of the
 * COMPRESSED feature. A multiple of 4096 above BLOCK_RAW_MAX and one record.
 */
#define BLOCK_MMAP_LEN KIB(1152)
/* This much always fits one record, however badly it compresses. */
#define BLOCK_RAW_SAFE 65000u

enum block_kind {
	BLOCK_SIDEBAND = 1, /* no samples inside */
	BLOCK_SAMPLES = 2,  /* nothing but samples */
	BLOCK_MIXED = 3,
};

struct block_info {
	enum block_kind kind;
	uint32_t raw_size, frame_size;
	uint32_t records, samples;
	uint32_t sequence;              /* counts the file's blocks from 0 */
	uint64_t first_time, last_time; /* of all records with a time */
};

/* The description behind the skippable frame's own 8 bytes; then padding. */
#define BLOCK_INFO_SIZE 40u
/* All before the padding: record and frame headers, and the description. */
#define BLOCK_HEAD_SIZE (RECORD_HEADER_SIZE + 8u + BLOCK_INFO_SIZE)

struct block_encoder;
struct block_encoder *block_encoder_create(void);
void block_encoder_destroy(struct block_encoder *encoder);

/*
 * Compresses RAW (info->raw_size bytes of whole records) at zstd LEVEL into a
 * whole PERF_RECORD_COMPRESSED at OUT, and sets info->frame_size. Returns the
 * record's size, or 0 if it wouldn't fit one record: then split RAW.
 */
size_t block_encode(struct block_encoder *encoder, int level,
	struct block_info *info, const void *raw,
	uint8_t out[RECORD_SIZE_ALIGNED]);

/*
 * Reads the description from a COMPRESSED record. Returns false when it is
 * not a block of ours (perf's own compressed records have none). FRAME_RET is
 * borrowed from the record.
 */
bool block_describe(const struct record *record, struct block_info *ret,
	const uint8_t **frame_ret);

void block_info_write(
	const struct block_info *info, uint8_t out[BLOCK_INFO_SIZE]);
bool block_info_read(struct bytes *b, struct block_info *ret);

/*
 * Decompresses a block's frame into OUT (at least info->raw_size bytes).
 * DCTX is a ZSTD_DCtx. Returns false on damage.
 */
bool block_decode(void *dctx, const struct block_info *info,
	const uint8_t *frame, void *out);

#endif
