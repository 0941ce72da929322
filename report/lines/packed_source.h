/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The section "source": the source lines of sampled code, by the names of their
 * files (doc/format.md).
 */
#ifndef DWELL_REPORT_LINES_PACKED_SOURCE_H
#define DWELL_REPORT_LINES_PACKED_SOURCE_H

#include "common/file/reader.h"
#include "common/util/array.h"

#define PACKED_SOURCE_VERSION 1u
/* Limit of the lines of all files together; others are not read. */
#define PACKED_SOURCE_LINES_MAX 4000000u

struct packed_source;

/* Returns NULL if the recording has no such section. */
struct packed_source *packed_source_create(struct reader *reader);
/*
 * Reads the valid parts of SECTION. Takes the memory of SECTION, which is empty
 * afterwards.
 */
struct packed_source *packed_source_read(struct strbuf *section);
/* PACKED may be NULL. */
void packed_source_destroy(struct packed_source *packed);

/*
 * Returns LINE of FILE, counted from 1, without its line end; borrowed. Returns
 * NULL if it is not in the recording.
 */
const char *packed_source_find(const struct packed_source *packed,
	const char *file, uint32_t line, size_t *size_ret);

/* A range of consecutive lines. */
struct source_stretch {
	uint32_t first, n;
};
/* A file that is being written. Ranges ascend and do not touch. */
struct source_builder {
	ARRAY(struct source_stretch) stretches;
	struct strbuf text; /* lines, each with a newline */
};
/* Adds the next line: TEXT of SIZE bytes, without newlines. */
void source_builder_add(struct source_builder *builder, uint32_t line,
	const char *text, size_t size);
/*
 * Appends the head of a section with N files; packed_source_put() then appends
 * each file.
 */
void packed_source_begin(uint32_t n, struct strbuf *out);
/* Appends FILE with the lines of BUILDER, which is empty afterwards. */
void packed_source_put(
	const char *file, struct source_builder *builder, struct strbuf *out);

#endif
