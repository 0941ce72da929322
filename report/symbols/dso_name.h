/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Derives the displayed name and the path of a DSO from its recorded path. The
 * displayed name is the one that perf shows. Also finds paths that had several
 * files, which are marked in the name.
 */
#ifndef DWELL_REPORT_SYMBOLS_DSO_NAME_H
#define DWELL_REPORT_SYMBOLS_DSO_NAME_H

#include "common/maps/maps.h"

struct dso_name {
	char *shown; /* "libc.so.6", "[ext4]", "[JIT] tid 7"; owned */
	char *path;  /* "[kernel.kallsyms]" without "_text"; owned */
};

void dso_name_find(const struct dso *dso, struct dso_name *ret);
void dso_name_deinit(struct dso_name *name);

/* Whether the recorded PATH is the kernel image; false for modules. */
bool dso_name_is_kernel(const char *path);

/*
 * The paths of a recording that had several files: a program that was replaced
 * while it ran, or different files in several containers. Files differ if their
 * build IDs differ; without build IDs, if device or inode differ. A file with a
 * build ID and one without may be the same file.
 */
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
