/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of --symfs, which replaces "/": paths below it are resolved as by
 * a process with that root, and never lead out of it.
 */
#ifndef DWELL_REPORT_UTIL_SYMFS_H
#define DWELL_REPORT_UTIL_SYMFS_H

#include <sys/stat.h>

/*
 * Returns PATH, which begins with "/", below SYMFS (NULL: /). The caller frees
 * it.
 */
char *symfs_path(const char *symfs, const char *path);
/*
 * Opens the regular file at PATH, a result of symfs_path(), for reading. Never
 * waits. Sets *RET to its status. Returns a descriptor, which the caller
 * closes, or -1.
 */
int symfs_open(const char *symfs, const char *path, struct stat *ret);

#endif
