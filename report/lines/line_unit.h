/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source lines and inlined functions of one compiled unit, by address, in
 * one block of memory without pointers, which the cache stores as it is.
 * line_unit_is_sound() checks that all numbers in the block are valid.
 */
#ifndef DWELL_REPORT_LINES_LINE_UNIT_H
#define DWELL_REPORT_LINES_LINE_UNIT_H

#include "common/util/base.h"

#define LINE_NONE UINT32_MAX
/*
 * Limit of the nested inlined functions at one address; outer functions are
 * left out.
 */
#define LINE_DEPTH_MAX 128u

/*
 * In all arrays of a unit, an address is a linked address minus line_unit.base,
 * and a text is an offset in the texts of the unit.
 */
struct line_range {
	uint32_t start, end; /* code of the unit */
};

struct line_piece {
	uint32_t start; /* address; the piece of code ends at the next piece */
	uint32_t file;	/* text: name of the file; LINE_NONE: unknown */
	uint32_t line;
	uint32_t node; /* index of the innermost inlined function; LINE_NONE:
			  none */
};

/* A function that is inlined at one call. */
struct line_node {
	uint32_t parent; /* index of the enclosing inlined function, always
			    lower; LINE_NONE: none */
	uint32_t name;	 /* text: the linkage name */
	uint32_t call_file, call_line; /* source line of the call; .call_file is
					  a text */
};

struct line_unit {
	uint64_t base;
	uint32_t n_ranges, n_pieces, n_nodes, texts_size;
	/*
	 * This struct is followed by its ranges and pieces (both sorted), its
	 * nodes and its texts.
	 */
};

/*
 * A frame of a call chain in which inlined functions have frames of their own.
 */
struct line_frame {
	const char *name; /* name of the inlined function, borrowed; NULL: the
			     function that is not inlined */
	const char *file; /* borrowed; NULL: unknown */
	uint32_t line;
};

/*
 * Returns the size in bytes of a unit with .n_ranges, .n_pieces, .n_nodes and
 * .texts_size of UNIT; 0 if the unit is too large.
 */
size_t line_unit_size(const struct line_unit *unit);
/* Returns whether the SIZE bytes at UNIT are a valid struct line_unit. */
bool line_unit_is_sound(const struct line_unit *unit, size_t size);

struct line_range *line_unit_ranges(const struct line_unit *unit);
struct line_piece *line_unit_pieces(const struct line_unit *unit);
struct line_node *line_unit_nodes(const struct line_unit *unit);
char *line_unit_texts(const struct line_unit *unit);

/*
 * Stores the frames at ADDRESS in RET: inlined functions, the innermost first,
 * and last the function that is not inlined. Returns the number of frames; 0:
 * unknown.
 */
size_t line_unit_frames(const struct line_unit *unit, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX]);
/*
 * Returns the end of the addresses with the same frames as ADDRESS; UINT64_MAX:
 * the end of the unit.
 */
uint64_t line_unit_until(const struct line_unit *unit, uint64_t address);

#endif
