/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks the symbols in a recording into a folder: a small ELF file for each
 * program or library with a build ID, and kallsyms for the kernel and its
 * modules.
 */
#ifndef DWELL_REPORT_PACK_UNPACKED_H
#define DWELL_REPORT_PACK_UNPACKED_H

#include "common/file/reader.h"
#include "common/perf/record.h"
#include "common/util/error.h"
#include "report/survey/survey.h"

/*
 * A folder into which `dwell unpack` installs files. Reports with --debug-dir
 * find the files by build ID: FOLDER/.build-id/xx/rest/NAME, as in perf's
 * cache. Parts of the path are hex digits or fixed names of perf's cache.
 * Existing files are kept. Symbolic links in the folder are not followed. A
 * file gets its name when it is complete.
 */

struct unpacked;

/* Opens FOLDER, which is created if it does not exist. */
struct error *unpacked_open(
	const char *folder, struct unpacked **ret) _must_check_;
/* UNPACKED may be NULL. */
void unpacked_close(struct unpacked *unpacked);
const char *unpacked_path(const struct unpacked *unpacked);

/* The kind of a file in perf's cache. */
enum unpacked_name {
	UNPACKED_ELF,
	UNPACKED_VDSO,
	UNPACKED_KALLSYMS,
	UNPACKED_NAMES,
};

/*
 * unpacked_begin() creates an empty file for writing, one at a time; the
 * descriptor *FD_RET is borrowed. The caller then either removes the file with
 * unpacked_drop(), empties the file with another unpacked_begin(), or installs
 * it with unpacked_put(), under NAME and the build ID ID, of at least
 * UNPACKED_ID_MIN bytes. If a file is already installed there, that file is
 * kept and the new one is removed.
 */
#define UNPACKED_ID_MIN 2u
struct error *unpacked_begin(
	struct unpacked *unpacked, int *fd_ret) _must_check_;
void unpacked_drop(struct unpacked *unpacked);
struct error *unpacked_put(struct unpacked *unpacked, const struct build_id *id,
	enum unpacked_name name) _must_check_;

struct unpacked_counts {
	uint64_t placed, kept; /* installed files; files that existed before and
	                        * were kept */
	/* Files that were not installed: a link without a file has the name. */
	uint64_t blocked;
};
/*
 * Returns an error with the number of blocked files and the path of the first
 * one, or NULL if there are none.
 */
struct error *unpacked_blocked(const struct unpacked *unpacked) _must_check_;
struct unpacked_counts unpacked_counts(const struct unpacked *unpacked);

/*
 * Unpacks the symbols in READER's recording into the folder UNPACKED. Symbols
 * of files without a build ID are left out, which is reported.
 */
struct error *unpacked_put_all(struct reader *reader,
	const struct survey *survey, struct unpacked *unpacked) _must_check_;

#endif
