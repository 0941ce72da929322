/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording as it is written, for writer*.c alone. */
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

/* What one feature section of the closed file is: where its bytes stand. */
struct placed {
	unsigned bit;
	uint64_t offset, size;
};

/* A closing feature that doesn't fit into one record. */
struct large {
	unsigned bit;
	struct strbuf body; /* owned */
};

struct writer {
	struct sink sink;
	const struct features *host;
	uint64_t size, data_offset;
	uint64_t begin;         /* checksum of the first HEADER_SIZE bytes */
	uint64_t head_checksum; /* of the head behind them */
	ARRAY(struct placed) placed;
	ARRAY(struct large) large; /* go behind the feature table */
	ARRAY(struct block_at {
		uint64_t offset;
		struct block_info info;
	}) blocks;
};

/* Writes all of it, or nothing. */
struct error *writer_append(struct writer *writer, const void *bytes,
	size_t size) _must_check_;
/* Forgets all from SIZE on, if the sink can. */
void writer_cut(struct writer *writer, uint64_t size);
/* Sets the place of feature section BIT; an earlier place of BIT is replaced. */
void writer_place(
	struct writer *writer, unsigned bit, uint64_t offset, uint64_t size);
/* The head as bytes; its features are placed. */
void writer_put_head(struct writer *writer, struct strbuf *out);

#endif
