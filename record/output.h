/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that is written: created new, never through a link, an older one
 * kept as NAME.old.
 */
#ifndef DWELL_RECORD_OUTPUT_H
#define DWELL_RECORD_OUTPUT_H

#include "common/error.h"

struct output {
	int fd;
	const char *path; /* borrowed */
	bool has_old;     /* an older file was renamed */
};

struct error *output_create(
	const char *path, struct output *ret) _must_check_;
/* Takes it back: removes the file, gives the older one its name again. */
void output_discard(struct output *output);
/* Errors of writing that only show up now. */
struct error *output_close(struct output *output) _must_check_;

#endif
