/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the writer, for writer*.c only. */
#ifndef DWELL_COMMON_FILE_WRITER_PRIVATE_H
#define DWELL_COMMON_FILE_WRITER_PRIVATE_H

#include "common/file/block.h"
#include "common/file/feature.h"
#include "common/file/section.h"
#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/sink.h"

#define HEADER_SIZE WRITER_HEADER_SIZE
#define PIPE_HEADER_SIZE 16u

/* Place of a feature section in the closed file. */
struct placed {
	unsigned bit;
	uint64_t offset, size;
};

/* A closing feature that is too large for one record. */
struct large {
	unsigned bit;
	struct strbuf body; /* owned */
};

struct writer {
	struct sink sink;
	const struct features *host;
	uint64_t size, data_offset;
	uint64_t begin;         /* checksum of the first HEADER_SIZE bytes */
	uint64_t head_checksum; /* checksum of the head behind them */
	ARRAY(struct placed) placed;
	ARRAY(struct large) large; /* written behind the feature table */
	ARRAY(struct block_at {
		uint64_t offset;
		struct block_info info;
	}) blocks;
};

/* Appends all of BYTES or nothing. */
struct error *writer_append(struct writer *writer, const void *bytes,
	size_t size) _must_check_;
/* Truncates the sink to SIZE bytes, if the sink can. */
void writer_cut(struct writer *writer, uint64_t size);
/* Sets the place of feature section BIT, replacing an earlier place. */
void writer_place(
	struct writer *writer, unsigned bit, uint64_t offset, uint64_t size);
#endif
