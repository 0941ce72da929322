/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source lines and inlined functions of one compiled unit: an index in one
 * block of memory, which the cache stores as it is. It has no pointers.
 * line_unit_is_sound() checks that all numbers in it are valid.
 */
#ifndef DWELL_REPORT_LINES_LINE_UNIT_H
#define DWELL_REPORT_LINES_LINE_UNIT_H

#include "common/util/base.h"

#define LINE_NONE UINT32_MAX
/* Limit of nested inlined functions at one address; outer ones are left out. */
#define LINE_DEPTH_MAX 128u

/*
 * Addresses are as linked, relative to .base. Texts are offsets in the texts.
 */
struct line_range {
	uint32_t start, end; /* code of the unit */
};

struct line_piece {
	uint32_t start; /* the piece ends at the next one */
	uint32_t file;	/* text; LINE_NONE: unknown */
	uint32_t line;
	uint32_t node; /* innermost inlined function; LINE_NONE: none */
};

/* A function that is inlined at one place. */
struct line_node {
	uint32_t parent; /* function it is inlined into, a lower number; or
			    LINE_NONE */
	uint32_t name;	 /* text: the linkage name */
	uint32_t call_file, call_line; /* place of the call */
};

struct line_unit {
	uint64_t base;
	uint32_t n_ranges, n_pieces, n_nodes, texts_size;
	/* Followed by ranges, pieces (both sorted), nodes and texts. */
};

/*
 * A frame of a call chain in which inlined functions have frames of their own.
 */
struct line_frame {
	const char *name; /* borrowed; NULL: the function that is not inlined */
	const char *file; /* borrowed; NULL: unknown */
	uint32_t line;
};

/*
 * Returns the size of a unit with these counts in bytes; 0 if it is too large.
 */
size_t line_unit_size(const struct line_unit *unit);
/* Returns whether the SIZE bytes at UNIT are a valid unit. */
bool line_unit_is_sound(const struct line_unit *unit, size_t size);

struct line_range *line_unit_ranges(const struct line_unit *unit);
struct line_piece *line_unit_pieces(const struct line_unit *unit);
struct line_node *line_unit_nodes(const struct line_unit *unit);
char *line_unit_texts(const struct line_unit *unit);

/*
 * Stores the frames at ADDRESS, the innermost first, the function itself last.
 * Returns their number; 0: unknown.
 */
size_t line_unit_frames(const struct line_unit *unit, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX]);
/*
 * Returns the end of the addresses with the same frames as ADDRESS; UINT64_MAX:
 * the end of the unit.
 */
uint64_t line_unit_until(const struct line_unit *unit, uint64_t address);

#endif
