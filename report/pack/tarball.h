/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a tar file, optionally compressed once (bzip2, gzip, xz, zstd), entry
 * by entry. The caller must check names and sizes of entries, which may be
 * hostile. The uncompressed size is limited to a multiple of the file's size.
 * libarchive, which depends on other libraries, is loaded when first needed.
 */
#ifndef DWELL_REPORT_PACK_TARBALL_H
#define DWELL_REPORT_PACK_TARBALL_H

#include "common/util/error.h"

struct tarball;

enum tarball_kind {
	TARBALL_FILE,
	TARBALL_FOLDER,
	TARBALL_LINK,  /* symbolic link, or hard link to an earlier entry */
	TARBALL_OTHER, /* devices, FIFOs, entries without a name */
};

struct tarball_entry {
	const char *path; /* borrowed until the next tarball_next() */
	enum tarball_kind kind;
	uint64_t size; /* size in bytes, as the archive claims */
};

/*
 * Opens the tar file FD, which the caller closes. NAME is the name of the file
 * in messages, borrowed until tarball_close().
 */
struct error *tarball_open(
	int fd, const char *name, struct tarball **ret) _must_check_;
/* TARBALL may be NULL. */
void tarball_close(struct tarball *tarball);

/*
 * Reads the next entry. Returns 0, above 0 at the end of the archive, or below
 * 0 after an error, which tarball_error() returns.
 */
int tarball_next(struct tarball *tarball, struct tarball_entry *ret);
/*
 * A part of the content of the current entry. Bytes of the content that are in
 * no piece are 0.
 */
struct tarball_piece {
	const uint8_t *at; /* borrowed until the next tarball_read() */
	size_t size;
	uint64_t offset; /* offset in the content, as the archive claims */
};
/*
 * Reads the next piece of the current entry. Returns 0, above 0 at the end of
 * the entry, or below 0 after an error, which tarball_error() returns.
 */
int tarball_read(struct tarball *tarball, struct tarball_piece *ret);
/* Returns the error of the last tarball_next() or tarball_read(). */
struct error *tarball_error(struct tarball *tarball) _must_check_;

#endif
