/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths below a folder that stands for "/": a container's root, a copied tree.
 * Symbolic links lead where they would lead there, absolute ones too, and
 * nothing ever leaves the folder (openat2(2), RESOLVE_IN_ROOT and
 * RESOLVE_NO_MAGICLINKS). What is found may be anything, a FIFO or a device.
 */
#ifndef DWELL_COMMON_ELF_PATH_IN_ROOT_H
#define DWELL_COMMON_ELF_PATH_IN_ROOT_H

#include "common/util/base.h"

enum below_links {
	BELOW_LINKS_FOLLOWED,
	BELOW_LINKS_REFUSED,
};

/*
 * What PATH names below ROOT, a descriptor of the folder: the caller's own, as
 * of open(2) with FLAGS, which make nothing; -1 if there is nothing.
 */
int below_open(int root, const char *path, int flags, enum below_links links);
/* The same where the kernel has no openat2 (before 5.6): follows no link. */
int below_walk(int root, const char *path, int flags);

#endif
