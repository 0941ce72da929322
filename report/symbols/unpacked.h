/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder that `dwell unpack` installs files into. Files are found there by
 * build ID: FOLDER/.build-id/xx/rest/NAME, as in perf's cache. Names consist of
 * hex digits and of the fixed names of perf's cache. Existing files are kept.
 * Symbolic links in the folder are not followed. Files appear complete or not
 * at all.
 */
#ifndef DWELL_REPORT_SYMBOLS_UNPACKED_H
#define DWELL_REPORT_SYMBOLS_UNPACKED_H

#include "common/perf/record.h"
#include "common/util/error.h"

struct unpacked;

/*
 * Returns the folder where all reports search: $XDG_DATA_HOME/dwell/debug or
 * ~/.local/share/dwell/debug. The caller frees it. Returns NULL if the
 * environment defines no home.
 */
char *unpacked_default_folder(void);

/*
 * Opens FOLDER, and creates it if it does not exist. NULL: the default folder,
 * which only this user may access (mode 0700).
 */
struct error *unpacked_open(
	const char *folder, struct unpacked **ret) _must_check_;
/* UNPACKED may be NULL. */
void unpacked_close(struct unpacked *unpacked);
const char *unpacked_path(const struct unpacked *unpacked);

/* The kind of a file in perf's cache. */
enum unpacked_name {
	UNPACKED_ELF,
	UNPACKED_DEBUG,
	UNPACKED_VDSO,
	UNPACKED_KALLSYMS,
	UNPACKED_NAMES,
};
/* Returns "elf", "debug", ... */
const char *unpacked_name(enum unpacked_name name);

/*
 * Creates an empty file for writing, one at a time; *FD_RET is borrowed. The
 * caller then either drops the file or installs it under ID, of at least
 * UNPACKED_ID_MIN bytes, and NAME. An existing file there is kept.
 */
#define UNPACKED_ID_MIN 2u
struct error *unpacked_begin(
	struct unpacked *unpacked, int *fd_ret) _must_check_;
void unpacked_drop(struct unpacked *unpacked);
struct error *unpacked_put(struct unpacked *unpacked, const struct build_id *id,
	enum unpacked_name name) _must_check_;

struct unpacked_counts {
	uint64_t placed, kept; /* files; .kept: existed before */
};
struct unpacked_counts unpacked_counts(const struct unpacked *unpacked);

#endif
