/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes source position tables of V8 (src/codegen/source-position-table.cc). A table
 * contains pairs of differences, of the code offset and of the source position, as
 * variable-length zigzag numbers. A negative difference of the code offset marks a
 * position that is not a statement.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_POSITIONS_H
#define DWELL_RECORD_RUNTIMES_V8_V8_POSITIONS_H

#include "common/util/base.h"

/* Limit of the size of a table in bytes. */
#define V8_POSITIONS_MAX MIB(1)

/* A source position, src/codegen/source-position.h. */
struct v8_position {
	uint32_t
		offset; /* 1 + the offset in the script, in characters; 0: unknown */
	uint32_t
		inlining; /* 1 + the number of the inlined call; 0: not inlined */
};

/* Converts VALUE, a source position as V8 stores it. */
struct v8_position v8_position_of(uint64_t value);
/*
 * Returns the position of the code at OFFSET: that of the last entry of TABLE at or
 * before OFFSET. TABLE has SIZE bytes. The members of the result are 0 if there is no
 * such entry or if TABLE is damaged.
 */
struct v8_position v8_positions_find(
	const uint8_t *table, size_t size, uint64_t offset);

#endif
