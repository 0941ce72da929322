/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the section "source" of a recording: the source lines of
 * sampled code, by file name (doc/format.md).
 */
#ifndef DWELL_REPORT_LINES_PACKED_SOURCE_H
#define DWELL_REPORT_LINES_PACKED_SOURCE_H

#include "common/file/reader.h"
#include "common/util/array.h"

#define PACKED_SOURCE_VERSION 1u
/*
 * Limit of the lines of all files together; files beyond the limit are not
 * read.
 */
#define PACKED_SOURCE_LINES_MAX 4000000u

struct packed_source;

/*
 * Reads the section "source". Returns NULL if the recording has no such
 * section.
 */
struct packed_source *packed_source_create(struct reader *reader);
/*
 * Reads the files of SECTION up to the first damaged one. Takes the memory of
 * SECTION, which is empty afterwards.
 */
struct packed_source *packed_source_read(struct strbuf *section);
/* PACKED may be NULL. */
void packed_source_destroy(struct packed_source *packed);

/*
 * Returns the text of LINE, counted from 1, of the source file FILE; borrowed.
 * *SIZE_RET is the size of the text without the line end. Returns NULL if the
 * line is not in the recording.
 */
const char *packed_source_find(const struct packed_source *packed,
	const char *file, uint32_t line, size_t *size_ret);

/* A range of consecutive lines. */
struct packed_stretch {
	uint32_t first, n;
};
/*
 * The lines of a source file that is being written. The ranges in .stretches
 * ascend and do not touch.
 */
struct packed_source_builder {
	ARRAY(struct packed_stretch) stretches;
	struct strbuf text; /* lines, each with a newline */
};
/*
 * Adds line number LINE, behind the lines that were added before: TEXT of SIZE
 * bytes, without newlines.
 */
void packed_source_builder_add(struct packed_source_builder *builder,
	uint32_t line, const char *text, size_t size);
/*
 * Appends the header of a section with N source files; packed_source_put() then
 * appends each file.
 */
void packed_source_begin(uint32_t n, struct strbuf *out);
/* Appends FILE with the lines of BUILDER, which is empty afterwards. */
void packed_source_put(const char *file, struct packed_source_builder *builder,
	struct strbuf *out);

#endif
