/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The addresses of the code of each DSO, for formats that have one address for
 * each place of code. In: the mappings of all inputs, and the functions that are
 * used. Out: the addresses of each segment of a DSO: those of the file as linked
 * or, if the file is not found, those of the first process that mapped the
 * segment. Functions of different segments do not overlap.
 */
#ifndef DWELL_REPORT_EXPORT_CODE_SEGMENTS_H
#define DWELL_REPORT_EXPORT_CODE_SEGMENTS_H

#include "common/util/array.h"

struct inputs;

struct code_segment {
	uint32_t input, dso; /* as in struct location */
	uint32_t mapping;    /* number for maps_mapping() of the input */
	bool is_data;	     /* recorded as a data mapping */
	bool is_kernel;	     /* places are addresses, not file offsets */
	bool is_sought;	     /* the file was searched for */
	bool is_linked;	     /* .start is as linked, and was not moved */
	bool is_moved;	     /* no process has the addresses */
	uint64_t first, end; /* places: file offsets or kernel addresses; .end
	                      * is exclusive */
	uint64_t start;	 /* address of .first; may wrap around if .is_linked */
	uint64_t weight; /* of the functions that are used */
};

/* A function that is used. */
struct code_use {
	size_t segment;	     /* number of the segment */
	uint64_t first, end; /* places of the function; .end is exclusive */
	uint64_t place;	     /* a place in the function and in the segment */
};

/*
 * A zero-initialized struct is empty. Segments are sorted by .input, .dso,
 * .is_data and .first; for one DSO, .end increases, too.
 */
struct code_segments {
	ARRAY(struct code_segment) at;
	ARRAY(struct code_use) uses;
};

/* The number of no segment. */
#define CODE_SEGMENT_NONE SIZE_MAX

void code_segments_init(
	struct code_segments *segments, const struct inputs *inputs);
void code_segments_deinit(struct code_segments *segments);

/*
 * Returns the number of the segment that contains PLACE, a file offset or
 * kernel address of DSO, or CODE_SEGMENT_NONE. Segments of code are preferred.
 */
size_t code_segments_find(const struct code_segments *segments, uint32_t input,
	uint32_t dso, uint64_t place);
/* Returns the number of the first segment of DSO, or CODE_SEGMENT_NONE. */
size_t code_segments_first(
	const struct code_segments *segments, uint32_t input, uint32_t dso);

/*
 * code_segments_use() adds a function; call it once for each function or place.
 * code_segments_weigh() adds WEIGHT to SEGMENT, the number of a segment.
 */
void code_segments_use(
	struct code_segments *segments, const struct code_use *use);
void code_segments_weigh(
	struct code_segments *segments, size_t segment, uint64_t weight);
/*
 * Sets the addresses of the used segments, after all functions were added. If
 * functions of two segments overlap, such as those of two programs, the segment
 * with the lower weight is moved to addresses that no process uses. Kernel
 * segments keep their addresses. INPUTS is that of code_segments_init().
 */
void code_segments_place(
	struct code_segments *segments, const struct inputs *inputs);

/* Returns the address of PLACE, a place in SEGMENT. */
static inline uint64_t code_segment_address(
	const struct code_segment *segment, uint64_t place)
{
	return segment->start + (place - segment->first);
}

#endif
