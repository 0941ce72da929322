/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that were of no use, mostly as they aren't there, and whether that may have
 * changed since: then what was made without them is to be made anew.
 */
#ifndef DWELL_REPORT_LINES_MISSING_FILES_H
#define DWELL_REPORT_LINES_MISSING_FILES_H

#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* A zeroed one is empty. */
struct sought {
	ARRAY(struct sought_file {
		char *path;     /* owned */
		uint64_t state; /* a checksum; 0: it isn't there */
	}) files;
};

/* As it is now. PATH is the list's from then on; NULL is fine. */
void sought_add(struct sought *sought, char *path);
void sought_deinit(struct sought *sought);

/* Whether all are as they were. */
bool sought_holds(const struct sought *sought);

/* For another run, in a multiple of 8 bytes; each of these is read once. */
void sought_write(const struct sought *sought, struct strbuf *out);
/* Appends what was written; what is damaged fails the cursor. */
void sought_read(struct sought *sought, struct bytes *b);

#endif
