/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of one compiled unit was written, and what was inlined in it:
 * a ready-made index in one piece of memory, which is kept for the next run as
 * it is. It has no pointers: a number of it leads to another place of it, or
 * line_unit_is_sound() says no.
 */
#ifndef DWELL_REPORT_LINES_LINE_UNIT_H
#define DWELL_REPORT_LINES_LINE_UNIT_H

#include "common/util/base.h"

#define LINE_NONE UINT32_MAX
/* Inlined one in the other at one address; what is further out is left out. */
#define LINE_DEPTH_MAX 128u

/* Addresses are as linked, from the unit's base; texts are places in .texts. */
struct line_range {
	uint32_t start, end; /* code of the unit */
};

struct line_piece {
	uint32_t start; /* up to the next piece's */
	uint32_t file;  /* a text; LINE_NONE: nobody tells */
	uint32_t line;
	uint32_t node;  /* the innermost inlined function; LINE_NONE: none */
};

/* A function as it was inlined in one place. */
struct line_node {
	uint32_t parent; /* a lower number: it was inlined in that; or NONE */
	uint32_t name;   /* a text, as the linker would know it */
	uint32_t call_file, call_line; /* where it was called */
};

struct line_unit {
	uint64_t base;
	uint32_t n_ranges, n_pieces, n_nodes, texts_size;
	/* Then ranges, pieces (both sorted), nodes, texts. */
};

/* What one frame of a callchain is when inlined functions have their own. */
struct line_frame {
	const char *name; /* borrowed; NULL: the function that isn't inlined */
	const char *file; /* borrowed; NULL: nobody tells */
	uint32_t line;
};

/* Of a unit with these counts; 0 if it is too large. */
size_t line_unit_size(const struct line_unit *unit);
/* Whether all SIZE bytes at UNIT are one. */
bool line_unit_is_sound(const struct line_unit *unit, size_t size);

struct line_range *line_unit_ranges(const struct line_unit *unit);
struct line_piece *line_unit_pieces(const struct line_unit *unit);
struct line_node *line_unit_nodes(const struct line_unit *unit);
char *line_unit_texts(const struct line_unit *unit);

/*
 * What stands at ADDRESS, the innermost frame first, the function itself last;
 * how many these are, 0: nobody tells.
 */
size_t line_unit_frames(const struct line_unit *unit, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX]);
/* Up to where what stands at ADDRESS is the same; UINT64_MAX: to the end. */
uint64_t line_unit_until(const struct line_unit *unit, uint64_t address);

#endif
