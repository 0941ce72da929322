/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder that `dwell unpack` puts files into, so that they are found by build
 * ID: FOLDER/.build-id/xx/rest/NAME, as perf's cache has them. All names are made
 * here, of hex digits and of the few that perf knows. What is there already
 * stays, whoever made it; no link in the folder is followed. A file is there
 * whole, or not at all.
 */
#ifndef DWELL_REPORT_SYMBOLS_UNPACKED_H
#define DWELL_REPORT_SYMBOLS_UNPACKED_H

#include "common/perf/record.h"
#include "common/util/error.h"

struct unpacked;

/*
 * Where all reports look: $XDG_DATA_HOME/dwell/debug, or that of ~/.local/share.
 * Owned by the caller; NULL: the environment tells no home.
 */
char *unpacked_usual_folder(void);

/*
 * FOLDER is made if need be; NULL: the usual one, which must be this user's
 * alone (0700).
 */
struct error *unpacked_open(
	const char *folder, struct unpacked **ret) _must_check_;
/* NULL is fine. */
void unpacked_close(struct unpacked *unpacked);
const char *unpacked_path(const struct unpacked *unpacked);

/* What a file is to perf. */
enum unpacked_name {
	UNPACKED_ELF,
	UNPACKED_DEBUG,
	UNPACKED_VDSO,
	UNPACKED_KALLSYMS,
	UNPACKED_NAMES,
};
/* "elf", ... */
const char *unpacked_name(enum unpacked_name name);

/*
 * A new empty file to be written, one at a time; FD_RET is borrowed. Then it is
 * either dropped, or put where ID, of at least UNPACKED_ID_MIN bytes, and NAME
 * say, unless there is one already.
 */
#define UNPACKED_ID_MIN 2u
struct error *unpacked_begin(
	struct unpacked *unpacked, int *fd_ret) _must_check_;
void unpacked_drop(struct unpacked *unpacked);
struct error *unpacked_put(struct unpacked *unpacked,
	const struct build_id *id, enum unpacked_name name) _must_check_;

struct unpacked_counts {
	uint64_t placed, kept; /* files; kept: there was one already */
};
struct unpacked_counts unpacked_counts(const struct unpacked *unpacked);

#endif
