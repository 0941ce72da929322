/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of source code, from the files of this machine that debug information
 * names. These names are not trusted: only regular files are read, and only
 * those whose text may be shown (public_file.h).
 */
#ifndef DWELL_REPORT_LINES_SOURCE_TEXTS_H
#define DWELL_REPORT_LINES_SOURCE_TEXTS_H

#include "common/util/base.h"

struct source_texts;

/* Files are looked for below SYMFS first, which is borrowed; NULL: nowhere. */
struct source_texts *source_texts_create(const char *symfs);
/* NULL is fine. */
void source_texts_destroy(struct source_texts *texts);

struct source_text {
	const char *at; /* borrowed; not terminated; NULL: it isn't there */
	size_t size;    /* without the line's end */
	uint64_t changed_ns; /* the file, by the wall clock */
};
/* LINE of FILE, from 1. */
struct source_text source_texts_find(
	struct source_texts *texts, const char *file, uint32_t line);

#endif
