/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a recording was made on this machine, and files of this machine that
 * anybody may have put there: only root's and our own are believed.
 */
#ifndef DWELL_REPORT_UTIL_LOCAL_FILES_H
#define DWELL_REPORT_UTIL_LOCAL_FILES_H

#include <sys/stat.h>

#include "common/file/reader.h"

/* True also if the recording doesn't tell. */
bool here_was_recorded(const struct reader *reader);

/*
 * A descriptor of the regular file at PATH, which is the caller's, and what it
 * is; -1 if there is none. One of somebody else is refused, and so is what is no
 * regular file; that is said.
 */
int here_open(const char *path, struct stat *ret);
/* Says, once for PATH, WHY some of what it tells isn't taken. By any thread. */
void here_tell(const char *path, const char *why);
/* The same: a recorded program's PATH is another file's now, and gives WHAT. */
void here_tell_changed(const char *path, const char *what);

#endif
