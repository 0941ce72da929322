/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that debug information refers to and that are missing or unusable: a
 * list of them, with a check whether they have changed since, so that units
 * that were read without them must be read again; and a search for the first
 * one, which is the common file made by dwz, or a .dwo file that is in no .dwp
 * file either.
 */
#ifndef DWELL_REPORT_LINES_MISSING_FILES_H
#define DWELL_REPORT_LINES_MISSING_FILES_H

#include "common/elf/elf.h"
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

struct debug_missing {
	bool is_readable; /* libdw finds units; 0.188 does not in sections that
			     are compressed with zstd */
	char *name; /* first missing file among some units; owned; NULL: none */
	char *unread; /* unreadable .dwp file that can contain it; owned; or
			 NULL */
};

/*
 * Finds the missing files of the debug information in FILE or DEBUG, one of
 * which may be NULL. HAS_ALT: the file of dwz is there. The caller frees RET
 * with debug_missing_deinit().
 */
void debug_missing_find(struct elf_file *file, struct elf_file *debug,
	bool has_alt, struct debug_missing *ret);
void debug_missing_deinit(struct debug_missing *missing);

#endif
