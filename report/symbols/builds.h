/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds paths of a recording that had several files: a program that was
 * replaced while it ran, or different files in several containers. Files differ
 * if their build IDs differ; without build IDs, if device or inode differ. A
 * file with a build ID and one without may be the same file.
 */
#ifndef DWELL_REPORT_SYMBOLS_BUILDS_H
#define DWELL_REPORT_SYMBOLS_BUILDS_H

#include "common/maps/maps.h"

struct builds {
	ARRAY(struct build) paths;
	struct hash_index by_path;
};

/*
 * Adds the files that code of MAPS was mapped from; MAPS is borrowed. Build IDs
 * are compared between all maps, inodes within one.
 */
void builds_add(struct builds *builds, const struct maps *maps);
void builds_deinit(struct builds *builds);

/* Whether the path of DSO, which has no build ID, has several inodes. */
bool builds_have_inodes(const struct builds *builds, const struct dso *dso);
/*
 * " [build 1a2b3c4d]", or " [inode 7]" without a build ID, if the path of DSO
 * has several files; else "". The caller frees it.
 */
char *builds_mark(const struct builds *builds, const struct dso *dso);

#endif
