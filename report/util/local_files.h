/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files of this machine safely. Perf maps and jitdumps are in folders in
 * which every user can create files, so only files of root and of this user are
 * used. Also opens files below the folder of --symfs, and checks whether a
 * recording was made on this machine.
 */
#ifndef DWELL_REPORT_UTIL_LOCAL_FILES_H
#define DWELL_REPORT_UTIL_LOCAL_FILES_H

#include <sys/stat.h>

#include "common/file/reader.h"

/*
 * Whether READER's recording was made on this host; true if the recording
 * contains no host name.
 */
bool local_files_match_host(const struct reader *reader);

/*
 * Opens the regular file at PATH and sets *RET to its status. Returns a
 * descriptor, which the caller closes, or -1. Files of other users and other
 * kinds of files are ignored with a message.
 */
int local_file_open(const char *path, struct stat *ret);
/*
 * Raises the limit of open files (RLIMIT_NOFILE) to the hard limit, but not above
 * 65536. Returns an error if the hard limit is so low that files would seem to be
 * missing.
 */
struct error *local_files_raise_limit(void) _must_check_;
/* Prints "PATH: PROBLEM", once for each PATH. Thread-safe. */
void local_file_report(const char *path, const char *problem);
/*
 * Reports, once for each PATH, that the file is not the recorded one, so that its
 * WHAT (such as "symbols") are not used. If HAS_CHANGED, the file was changed
 * since the recording.
 */
void local_file_report_other(
	const char *path, bool has_changed, const char *what);

/*
 * The folder of --symfs replaces "/": paths below the folder are resolved as by
 * a process whose root is the folder, and never lead out of the folder.
 */

/*
 * Returns PATH below the folder SYMFS (NULL: PATH is not changed). The caller
 * frees the result.
 */
char *local_symfs_path(const char *symfs, const char *path);
/*
 * Opens the regular file at PATH, a result of local_symfs_path(), for reading.
 * Never waits. Sets *RET to its status. Returns a descriptor, which the caller
 * closes, or -1.
 */
int local_symfs_open(const char *symfs, const char *path, struct stat *ret);

#endif
