/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the source line of an instruction in the line table of a code object.
 * The formats: Objects/lnotab_notes.txt of CPython 3.6 to 3.10,
 * Objects/locations.md of 3.11 and later.
 */
#ifndef DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_LINES_H
#define DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_LINES_H

#include "record/runtimes/cpython/cpython_layout.h"

struct cpython_lines {
	const uint8_t *table; /* N bytes */
	size_t n;
	uint32_t first_line;
};

/*
 * Returns the line of the instruction AT, an offset in bytes from the first
 * instruction; negative: the function has not begun. Returns 0 if the
 * instruction has no line, or the table is damaged.
 */
uint32_t cpython_lines_find(const struct cpython_layout *layout,
	const struct cpython_lines *lines, int64_t at);

#endif
