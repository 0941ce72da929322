/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tar file, also compressed once (bzip2, gzip, xz, zstd), read from its
 * beginning to its end, entry by entry. Nothing of it is believed: what entries
 * are called and how large they are is for the caller to judge. What it expands
 * to is bounded by its size, entries that nobody reads included. libarchive,
 * which brings other libraries along, is loaded when it is first needed.
 */
#ifndef DWELL_REPORT_PACK_TARBALL_H
#define DWELL_REPORT_PACK_TARBALL_H

#include "common/util/error.h"

struct tarball;

enum tarball_kind {
	TARBALL_FILE,
	TARBALL_FOLDER,
	TARBALL_LINK, /* symbolic, or a second name for an entry before it */
	TARBALL_OTHER, /* devices, FIFOs, what has no name */
};

struct tarball_entry {
	const char *path; /* borrowed until the next one is asked for */
	enum tarball_kind kind;
	uint64_t size; /* bytes, as the archive claims */
};

/* FD stays the caller's. NAME is for messages, and borrowed. */
struct error *tarball_open(
	int fd, const char *name, struct tarball **ret) _must_check_;
/* NULL is fine. */
void tarball_close(struct tarball *tarball);

/* Below 0: tarball_error() tells. Above 0: the end. */
int tarball_next(struct tarball *tarball, struct tarball_entry *ret);
/* Bytes of the last entry; those between pieces are 0. */
struct tarball_piece {
	const uint8_t *at; /* borrowed until the next one is asked for */
	size_t size;
	uint64_t offset; /* in the entry, as the archive claims */
};
/* As tarball_next(). */
int tarball_read(struct tarball *tarball, struct tarball_piece *ret);
/* What went wrong. */
struct error *tarball_error(struct tarball *tarball) _must_check_;

#endif
