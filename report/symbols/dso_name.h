/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Derives the displayed name and the path of a DSO from its recorded path. The
 * displayed name is the one that perf shows. Also finds paths at which several
 * files were recorded; the displayed names of these files get a mark such as
 * "[build 1a2b3c4d]".
 */
#ifndef DWELL_REPORT_SYMBOLS_DSO_NAME_H
#define DWELL_REPORT_SYMBOLS_DSO_NAME_H

#include "common/maps/maps.h"

struct dso_name {
	char *shown; /* displayed name: "libc.so.6", "[ext4]", "[JIT] tid 7";
	              * owned */
	char *path;  /* recorded path; for the kernel, without "_text"; for JIT
	              * code, the path of the perf map; owned */
};

void dso_name_find(const struct dso *dso, struct dso_name *ret);
void dso_name_deinit(struct dso_name *name);

/* Whether the recorded PATH is the kernel image; false for modules. */
bool dso_name_is_kernel(const char *path);

/*
 * The paths of a recording, to find paths at which several files were recorded:
 * a program that was replaced while it ran, or different files in several
 * containers. Files differ if their build IDs differ; without build IDs, if
 * device or inode differ. A file with a build ID and a file without one may be
 * the same file.
 */
struct dso_builds {
	ARRAY(struct dso_build) paths;
	struct hash_index by_path;
};

/*
 * Adds the files from which code was mapped in MAPS, which is borrowed. Build
 * IDs are compared between all added maps, inodes only within the same maps.
 */
void dso_builds_add(struct dso_builds *builds, const struct maps *maps);
void dso_builds_deinit(struct dso_builds *builds);

/* Whether DSO has no build ID, and several inodes were recorded at its path. */
bool dso_builds_have_inodes(
	const struct dso_builds *builds, const struct dso *dso);
/*
 * Returns the mark to be appended to the displayed name of DSO: a blank and
 * "[build 1a2b3c4d]", or "[inode 7]" without a build ID. Returns "" unless
 * several files were recorded at the path of DSO. The caller frees the text.
 */
char *dso_builds_mark(const struct dso_builds *builds, const struct dso *dso);

#endif
