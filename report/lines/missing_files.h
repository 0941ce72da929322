/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files to which debug information refers and that are missing or unusable.
 * struct missing_files is a list of such files with their states: if a file
 * changes, units that were read without the file must be read again.
 * missing_debug_files_find() finds the first missing file, which is the common
 * file made by dwz, or a .dwo file that is in no .dwp file either.
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
		uint64_t state; /* checksum of inode, size and change time; 0:
				   the file does not exist */
	})
	files;
};

/*
 * Adds PATH with its current state. Takes ownership of PATH, which may be NULL.
 */
void missing_files_add(struct missing_files *missing, char *path);
void missing_files_deinit(struct missing_files *missing);

/* Returns whether all files still have the states in MISSING. */
bool missing_files_are_unchanged(const struct missing_files *missing);

/*
 * Appends the list MISSING to OUT for the cache, padded to a multiple of 8
 * bytes.
 */
void missing_files_write(
	const struct missing_files *missing, struct strbuf *out);
/*
 * Appends the list in B, from missing_files_write(), to MISSING. Sets B->ok to
 * false if the list is damaged.
 */
void missing_files_read(struct missing_files *missing, struct bytes *b);

struct missing_debug_files {
	bool is_readable; /* libdw finds units */
	char *name;   /* first missing file among the units that were checked;
		       owned; NULL: none */
	char *unread; /* unreadable .dwp file that can contain the missing .dwo
			 file; owned; or NULL */
};

/*
 * Finds the missing files of the debug information in FILE or DEBUG, one of
 * which may be NULL. HAS_ALT: the dwz file was found. The caller frees RET with
 * missing_debug_files_deinit().
 */
void missing_debug_files_find(struct elf_file *file, struct elf_file *debug,
	bool has_alt, struct missing_debug_files *ret);
void missing_debug_files_deinit(struct missing_debug_files *missing);

#endif
