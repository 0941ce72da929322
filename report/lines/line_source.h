/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that is known of the lines of one file: units that an earlier run kept, and
 * those that are made when their code is first asked for. For one thread; several
 * sources may work at once.
 */
#ifndef DWELL_REPORT_LINES_LINE_SOURCE_H
#define DWELL_REPORT_LINES_LINE_SOURCE_H

#include "common/elf/cache.h"
#include "report/lines/dwarf_lines.h"

/* The kind, for cache_open(). */
#define LINE_CACHE "lines"

struct line_source;

/*
 * Takes ownership of the files. CACHE is borrowed; NULL: nothing is kept.
 */
struct line_source *line_source_create(
	const struct line_files *files, const struct cache *cache);
/* NULL is fine. What was made is kept for the next run. */
void line_source_destroy(struct line_source *source);

/*
 * Which file inlined functions of code that was asked for, now or before, are
 * unknown without; borrowed; NULL: none.
 */
const char *line_source_lacks(const struct line_source *source);
/* What is at OFFSET of the file, as linked. */
uint64_t line_source_address(
	const struct line_source *source, uint64_t offset);
/* As line_unit_frames(). */
size_t line_source_frames(struct line_source *source, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX]);
/* Up to which address that is the same; UINT64_MAX: nobody tells of it. */
uint64_t line_source_until(struct line_source *source, uint64_t address);

#endif
