/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "source" section: lines of source code that code was written in which
 * samples hit, by the names of their files (doc/format.md).
 */
#ifndef DWELL_REPORT_LINES_PACKED_SOURCE_H
#define DWELL_REPORT_LINES_PACKED_SOURCE_H

#include "common/file/reader.h"
#include "common/util/array.h"

#define PACKED_SOURCE_VERSION 1u
/* Of all files together; more isn't read. */
#define PACKED_SOURCE_LINES_MAX 4000000u

struct packed_source;

/* NULL if the recording has none. */
struct packed_source *packed_source_create(struct reader *reader);
/* What is sound of SECTION, which is taken: it is empty afterwards. */
struct packed_source *packed_source_read(struct strbuf *section);
/* NULL is fine. */
void packed_source_destroy(struct packed_source *packed);

/* LINE of FILE, from 1, without its end; borrowed. NULL: it isn't there. */
const char *packed_source_find(const struct packed_source *packed,
	const char *file, uint32_t line, size_t *size_ret);

/* Lines that follow each other. */
struct source_stretch {
	uint32_t first, n;
};
/* A file on its way: its stretches ascend, apart from each other. */
struct source_builder {
	ARRAY(struct source_stretch) stretches;
	struct strbuf text; /* lines, each ended by a newline */
};
/* The next line: TEXT of SIZE bytes, none of which is a newline. */
void source_builder_add(struct source_builder *builder, uint32_t line,
	const char *text, size_t size);
/* Appends what a section begins with, of N files, and each of these. */
void packed_source_begin(uint32_t n, struct strbuf *out);
/* BUILDER is empty again. */
void packed_source_put(const char *file, struct source_builder *builder,
	struct strbuf *out);

#endif
