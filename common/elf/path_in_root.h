/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens paths below a folder that is treated as "/", for example the root of a
 * container. Symbolic links, also absolute ones, are resolved within the
 * folder; the result is never outside the folder (openat2(2), RESOLVE_IN_ROOT
 * and RESOLVE_NO_MAGICLINKS). The result can be any file type, for example a
 * FIFO or a device.
 */
#ifndef DWELL_COMMON_ELF_PATH_IN_ROOT_H
#define DWELL_COMMON_ELF_PATH_IN_ROOT_H

#include "common/util/base.h"

enum path_in_root_links {
	PATH_LINKS_FOLLOWED,
	PATH_LINKS_REFUSED,
};

/*
 * Opens PATH below ROOT, a descriptor of the folder, with FLAGS of open(2),
 * which must not create files. Returns a descriptor owned by the caller, or -1.
 */
int path_in_root_open(
	int root, const char *path, int flags, enum path_in_root_links links);
/*
 * Opens PATH below ROOT like path_in_root_open(), for kernels without openat2
 * (before 5.6). Follows no symbolic links.
 */
int path_in_root_walk(int root, const char *path, int flags);

#endif
