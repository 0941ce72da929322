/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines and inlined functions of one file, by unit of debug information:
 * units that an earlier run of dwell stored in the cache, and units that are
 * read when their code is first requested. Each struct line_source is for one
 * thread; several may be used at the same time.
 */
#ifndef DWELL_REPORT_LINES_LINE_SOURCE_H
#define DWELL_REPORT_LINES_LINE_SOURCE_H

#include "common/elf/cache.h"
#include "report/lines/dwarf_lines.h"
#include "report/survey/jitdumps.h"

/* The kind for cache_open(). */
#define LINE_CACHE "lines"

struct line_source;

/* Takes ownership of FILES. CACHE is borrowed; NULL: units are not stored. */
struct line_source *line_source_create(
	const struct dwarf_line_files *files, const struct cache *cache);
/* SOURCE may be NULL. Stores new units in the cache. */
void line_source_destroy(struct line_source *source);

/*
 * Returns the path of a missing .dwo or dwz file, without which inlined
 * functions of the code requested so far are unknown; borrowed; NULL: no file
 * is missing.
 */
const char *line_source_missing_file(const struct line_source *source);
/* Returns the address, as linked, at OFFSET of the file. */
uint64_t line_source_address(const struct line_source *source, uint64_t offset);
/*
 * Stores the frames at ADDRESS in RET, the innermost first. Returns the number
 * of frames; 0: unknown.
 */
size_t line_source_frames(struct line_source *source, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX]);
/*
 * Returns the end of the addresses with the same frames as ADDRESS; UINT64_MAX:
 * not known.
 */
uint64_t line_source_until(struct line_source *source, uint64_t address);

/*
 * The lines of JIT code without a file, from the jitdump of its process.
 * Jitdumps do not contain inlined functions.
 */
struct line_jit;

/* CODE is borrowed. Returns NULL if there is no jitdump. */
struct line_jit *line_jit_create(const struct jitdumps_code *code);
/* JIT may be NULL. */
void line_jit_destroy(struct line_jit *jit);

/*
 * Stores the source line of the JIT code at OFFSET in its DSO, minus BACK
 * bytes, in RET. Returns 1, or 0 if the line is unknown. RET->file is valid
 * until line_jit_destroy().
 */
size_t line_jit_frames(struct line_jit *jit, uint64_t offset, uint64_t back,
	struct line_frame *ret);

#endif
