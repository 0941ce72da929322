/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of a recording that can be loaded by itself: where it is, and how its
 * records are stored there.
 */
#ifndef DWELL_COMMON_FILE_EXTENT_H
#define DWELL_COMMON_FILE_EXTENT_H

#include "common/file/block.h"

enum extent_coding {
	EXTENT_PLAIN,  /* records as they are */
	EXTENT_BLOCK,  /* a block of ours: stands alone */
	EXTENT_STREAM, /* a piece of perf's compressed stream: needs them all */
};

struct extent {
	uint64_t offset; /* in the file, of the first record's header */
	uint32_t size;
	enum extent_coding coding;
	uint32_t type; /* of its record, where it is one */
	uint64_t position; /* of its first chunk */
	struct block_info info; /* of EXTENT_BLOCK */
};

#endif
