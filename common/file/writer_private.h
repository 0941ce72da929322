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

/* File offset and size of feature section .bit in the closed file. */
struct placed {
	unsigned bit;
	uint64_t offset, size;
};

/* A feature section written at the close that is too large for one record. */
struct large {
	unsigned bit;
	struct strbuf body; /* owned */
};

struct writer {
	struct sink sink;
	const struct features *host;
	uint64_t size, data_offset;
	/* checksum of the stream's first HEADER_SIZE bytes */
	uint64_t begin;
	/* checksum of the head after HEADER_SIZE bytes */
	uint64_t head_checksum;
	ARRAY(struct placed) placed;
	ARRAY(struct large) large; /* written after the feature table */
	ARRAY(struct block_at {
		uint64_t offset;
		struct block_info info;
	})
	blocks;
};

/*
 * Appends SIZE BYTES to the sink. On failure, cuts the sink back to its old
 * size, if the sink can be cut, and returns an error.
 */
struct error *writer_append(
	struct writer *writer, const void *bytes, size_t size) _must_check_;
/* Truncates the sink to SIZE bytes, if the sink can be truncated. */
void writer_cut(struct writer *writer, uint64_t size);
/*
 * Sets OFFSET and SIZE of feature section BIT in the closed file. Replaces an
 * earlier offset and size of BIT.
 */
void writer_place(
	struct writer *writer, unsigned bit, uint64_t offset, uint64_t size);
#endif
