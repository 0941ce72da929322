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

/* Files below SYMFS, which is borrowed, are preferred; NULL: none. */
struct source_texts *source_texts_create(const char *symfs);
/* TEXTS may be NULL. */
void source_texts_destroy(struct source_texts *texts);

struct source_text {
	const char *at; /* borrowed; not NUL-terminated; NULL: the line is not
			   found */
	size_t size;	/* without the line end */
	uint64_t changed_ns; /* modification time of the file, wall clock */
};
/* Returns LINE of FILE, counted from 1. */
struct source_text source_texts_find(
	struct source_texts *texts, const char *file, uint32_t line);

#endif
