/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a tar file, optionally compressed once (bzip2, gzip, xz, zstd), entry
 * by entry. The caller must check names and sizes of entries, which may be
 * hostile. The uncompressed size is limited by the file's size. libarchive,
 * which depends on other libraries, is loaded when first needed.
 */
#ifndef DWELL_REPORT_PACK_TARBALL_H
#define DWELL_REPORT_PACK_TARBALL_H

#include "common/util/error.h"

struct tarball;

enum tarball_kind {
	TARBALL_FILE,
	TARBALL_FOLDER,
	TARBALL_LINK,  /* symbolic, or a hard link to an earlier entry */
	TARBALL_OTHER, /* devices, FIFOs, entries without a name */
};

struct tarball_entry {
	const char *path; /* borrowed until the next entry */
	enum tarball_kind kind;
	uint64_t size; /* bytes, as the archive claims */
};

/* The caller closes FD. NAME is for messages, and borrowed. */
struct error *tarball_open(
	int fd, const char *name, struct tarball **ret) _must_check_;
/* TARBALL may be NULL. */
void tarball_close(struct tarball *tarball);

/*
 * Returns 0, above 0 at the end, below 0 after an error: see tarball_error().
 */
int tarball_next(struct tarball *tarball, struct tarball_entry *ret);
/* Bytes of the current entry; bytes between pieces are 0. */
struct tarball_piece {
	const uint8_t *at; /* borrowed until the next piece */
	size_t size;
	uint64_t offset; /* in the entry, as the archive claims */
};
/* Returns the same as tarball_next(). */
int tarball_read(struct tarball *tarball, struct tarball_piece *ret);
/* Returns the error of the last call. */
struct error *tarball_error(struct tarball *tarball) _must_check_;

#endif
