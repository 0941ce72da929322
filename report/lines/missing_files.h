/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of files that were missing or unusable, and a check whether they have
 * changed since. Units that were read without them must then be read again.
 */
#ifndef DWELL_REPORT_LINES_MISSING_FILES_H
#define DWELL_REPORT_LINES_MISSING_FILES_H

#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* A zero-initialized struct is empty. */
struct missing_files {
	ARRAY(struct missing_file {
		char *path;	/* owned */
		uint64_t state; /* checksum; 0: the file does not exist */
	})
	files;
};

/*
 * Adds PATH with its current state. Takes ownership of PATH, which may be NULL.
 */
void missing_files_add(struct missing_files *missing, char *path);
void missing_files_deinit(struct missing_files *missing);

/* Returns whether no file has changed. */
bool missing_files_are_unchanged(const struct missing_files *missing);

/* Appends the list to OUT for the cache, as a multiple of 8 bytes. */
void missing_files_write(
	const struct missing_files *missing, struct strbuf *out);
/* Appends a written list. Damage sets B->ok to false. */
void missing_files_read(struct missing_files *missing, struct bytes *b);

#endif
