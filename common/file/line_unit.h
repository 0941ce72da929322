/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source lines and inlined functions of one compiled unit, by address, in
 * one block of memory without pointers, which the cache stores as it is.
 * line_unit_is_sound() checks that all numbers in the block are valid.
 */
#ifndef DWELL_COMMON_FILE_LINE_UNIT_H
#define DWELL_COMMON_FILE_LINE_UNIT_H

#include "common/util/base.h"

/* Version of the section "lines", which has a unit for each DSO. */
#define LINE_UNIT_VERSION 2u
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
	uint32_t parent;   /* index of the enclosing inlined function, always
			      lower; LINE_NONE: none */
	uint32_t function; /* index of the function */
	uint32_t call_file, call_line; /* source line of the call; .call_file is
					  a text */
};

/* The flag of a line_function that is the call operator of a lambda. */
#define LINE_LAMBDA 1u

/*
 * A function of which inlined instances exist. It is described by its
 * declaration.
 */
struct line_function {
	uint32_t name; /* text: the linkage name, or else the name in source */
	/*
	 * text: the name in source with its scopes, if .name lacks them;
	 * LINE_NONE: .name is complete
	 */
	uint32_t qualified;
	uint32_t file, line, column; /* position of the declaration; .file is a
					text; 0: no line, no column */
	uint32_t flags;
};

struct line_unit {
	uint64_t base;
	uint32_t n_ranges, n_pieces, n_nodes, texts_size;
	uint32_t n_functions, reserved;
	/*
	 * This struct is followed by its ranges and pieces (both sorted), its
	 * nodes, its functions and its texts.
	 */
};

/*
 * The declaration of an inlined function. Texts are borrowed.
 */
struct line_declaration {
	const char *qualified; /* as in struct line_function; NULL: none */
	const char *file;      /* NULL: unknown */
	uint32_t line, column; /* 0: unknown */
	bool is_lambda;
};

/*
 * A frame of a call chain in which inlined functions have frames of their own.
 */
struct line_frame {
	const char *name; /* linkage name of the inlined function, or else its
			     name in source, borrowed; NULL: the function that
			     is not inlined */
	const char *file; /* borrowed; NULL: unknown */
	uint32_t line;
	struct line_declaration declared; /* of the inlined function */
};

/*
 * Returns the size in bytes of a unit with .n_ranges, .n_pieces, .n_nodes,
 * .n_functions and .texts_size of UNIT; 0 if the unit is too large.
 */
size_t line_unit_size(const struct line_unit *unit);
/* Returns whether the SIZE bytes at UNIT are a valid struct line_unit. */
bool line_unit_is_sound(const struct line_unit *unit, size_t size);

struct line_range *line_unit_ranges(const struct line_unit *unit);
struct line_piece *line_unit_pieces(const struct line_unit *unit);
struct line_node *line_unit_nodes(const struct line_unit *unit);
struct line_function *line_unit_functions(const struct line_unit *unit);
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
