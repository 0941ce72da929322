/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block: whole records, compressed into one zstd frame in one
 * PERF_RECORD_COMPRESSED, after a skippable frame that describes the block
 * (doc/format.md, "Blocks"). Each block can be decompressed without the others.
 */
#ifndef DWELL_COMMON_FILE_BLOCK_H
#define DWELL_COMMON_FILE_BLOCK_H

#include "common/perf/record.h"
#include "common/util/error.h"

/*
 * Maximum size of the uncompressed records of a block, in bytes. No record
 * crosses the end of a block.
 */
#define BLOCK_RAW_MAX KIB(1024)
/*
 * Bytes that perf must reserve for one compressed record: mmap_len of the
 * COMPRESSED feature. A multiple of 4096 above BLOCK_RAW_MAX plus one record.
 */
#define BLOCK_MMAP_LEN KIB(1152)
/*
 * Records of this many bytes always fit into one block, even if they do not
 * compress.
 */
#define BLOCK_RAW_SAFE 65000u

enum block_kind {
	BLOCK_SIDEBAND = 1, /* contains no samples */
	BLOCK_SAMPLES = 2,  /* contains only samples */
	BLOCK_MIXED = 3,
};

struct block_info {
	enum block_kind kind;
	uint32_t raw_size, frame_size;
	uint32_t records, samples;
	uint32_t sequence; /* number of the block in the file, from 0 */
	/* range of the times of the block's records, in ns */
	uint64_t first_time, last_time;
};

/*
 * Size of the encoded struct block_info, which follows the 8-byte header of the
 * skippable frame. Padding follows the struct block_info.
 */
#define BLOCK_INFO_SIZE 40u
/*
 * Size of a block before the padding: record header, header of the skippable
 * frame, encoded struct block_info.
 */
#define BLOCK_HEAD_SIZE (RECORD_HEADER_SIZE + 8u + BLOCK_INFO_SIZE)

struct block_encoder;
struct block_encoder *block_encoder_create(void);
void block_encoder_destroy(struct block_encoder *encoder);

/*
 * Compresses RAW (info->raw_size bytes of whole records) at zstd LEVEL into a
 * PERF_RECORD_COMPRESSED at OUT. Sets info->frame_size. Returns the record's
 * size, or 0 if the result does not fit into one record; the caller then splits
 * RAW.
 */
size_t block_encode(struct block_encoder *encoder, int level,
	struct block_info *info, const void *raw,
	uint8_t out[RECORD_SIZE_ALIGNED]);

/*
 * Reads the struct block_info of RECORD into RET. Returns false if RECORD is
 * not one of dwell's blocks; compressed records of perf have no struct
 * block_info. *FRAME_RET is the zstd frame with the records, borrowed from
 * RECORD.
 */
bool block_describe(const struct record *record, struct block_info *ret,
	const uint8_t **frame_ret);

void block_info_write(
	const struct block_info *info, uint8_t out[BLOCK_INFO_SIZE]);
bool block_info_read(struct bytes *b, struct block_info *ret);

/*
 * Decompresses FRAME, the zstd frame of a block, into OUT, which has at least
 * info->raw_size bytes. DCTX is a ZSTD_DCtx. Returns false if the frame is
 * damaged.
 */
bool block_decode(void *dctx, const struct block_info *info,
	const uint8_t *frame, void *out);

#endif
