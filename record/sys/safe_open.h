/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only way to a file that another process names. Its paths are hostile:
 * below its root a symbolic link may lead to the host's files, a name may be a
 * FIFO or a device. So a name is looked up below that process's root and never
 * leaves it (path_in_root.h), it is opened only once it is known to be a regular file,
 * and without waiting.
 *
 * A file system may still answer late or never: see timed_worker.h.
 */
#ifndef DWELL_RECORD_SYS_SAFE_OPEN_H
#define DWELL_RECORD_SYS_SAFE_OPEN_H

#include <sys/types.h>

#include "common/elf/path_in_root.h"

/* O_PATH descriptors, the caller's to close; -1 if PID is gone or hidden. */
/* The folder /proc/PID: it answers nothing more once PID is another's. */
int inside_proc(pid_t pid);
/* What the process of PROC (as of inside_proc()) has for "/". */
int inside_root(int proc);

/*
 * Opens the regular file that PATH names below ROOT (as of inside_root()), to
 * read. -1 if there is none.
 */
int inside_open(int root, const char *path, enum below_links links);
/* The same where the kernel has no openat2 (before 5.6): follows no link. */
int inside_walk(int root, const char *path);
/*
 * Why inside_open(), which refuses links, has nothing: what PATH is ("is a
 * symbolic link"); NULL: there is nothing, or a regular file.
 */
const char *inside_refusal(int root, const char *path);

/*
 * The regular file that PID has mapped at exactly [START, END), though it was
 * deleted since. Needs CAP_CHECKPOINT_RESTORE (proc_pid_map_files(5)).
 */
int inside_open_mapping(pid_t pid, uint64_t start, uint64_t end);
/*
 * Opens the executable file of PID, also a deleted file, for reading. Returns
 * -1 if PID has ended or may not be traced. A process can replace this link
 * (prctl(2), PR_SET_MM_EXE_FILE): the caller checks the identity of the file.
 */
int inside_open_exe(pid_t pid);

#endif
