/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of --symfs, in place of "/": what is below it is looked up there
 * as a process would whose root it is, and never leads out of it.
 */
#ifndef DWELL_REPORT_UTIL_SYMFS_H
#define DWELL_REPORT_UTIL_SYMFS_H

#include <sys/stat.h>

/* PATH, which begins with "/", below SYMFS (NULL: /), as users see it; the caller's. */
char *symfs_path(const char *symfs, const char *path);
/*
 * Opens the regular file at PATH, as users see it, to read, and without waiting
 * for anything; what it is goes to RET. The caller's descriptor; -1: none.
 */
int symfs_open(const char *symfs, const char *path, struct stat *ret);

#endif
