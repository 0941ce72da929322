/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that other processes name. The paths of such files are hostile:
 * below the root folder of a process, a symbolic link can point to a file of
 * the host, and a path can be a FIFO or a device. Paths are looked up below the
 * root folder of the process and never leave this folder
 * (path_in_root.h). Only regular files are opened, without blocking.
 *
 * A file system can still respond late or never, see timed_worker.h.
 */
#ifndef DWELL_RECORD_SYS_SAFE_OPEN_H
#define DWELL_RECORD_SYS_SAFE_OPEN_H

#include <sys/stat.h>
#include <sys/types.h>

#include "common/elf/path_in_root.h"

/*
 * Returns an O_PATH descriptor of the folder /proc/PID, owned by the caller;
 * -1 if PID has ended or is hidden. Access below the descriptor fails after PID
 * has been reused.
 */
int safe_open_proc(pid_t pid);
/*
 * Returns an O_PATH descriptor of the root folder of a process, owned by the
 * caller; -1 if the process has ended or is hidden. PROC is the descriptor of
 * the process from safe_open_proc().
 */
int safe_open_root(int proc);

/*
 * Opens the regular file PATH below ROOT, a descriptor of safe_open_root(), for
 * reading. Returns -1 if PATH does not exist or is not a regular file.
 */
int safe_open_file(int root, const char *path, enum path_in_root_links links);
/*
 * Opens the regular file PATH below ROOT for reading, for kernels without
 * openat2(2) (before 5.6). Follows no symbolic links. Returns -1 if PATH cannot
 * be opened.
 */
int safe_open_walk(int root, const char *path);
/*
 * Returns why safe_open_file() refuses to open PATH when links are not
 * followed: "is a symbolic link" and so on. Returns NULL if PATH does not exist
 * or is a regular file.
 */
const char *safe_open_refusal(int root, const char *path);

/*
 * Opens the regular file that PID has mapped at [START, END), even if it was
 * deleted, and sets *RET to the status of the file. If only the user of PID may
 * read the file, the result is a copy (user_copy.h). Needs
 * CAP_CHECKPOINT_RESTORE (proc_pid_map_files(5)).
 */
int safe_open_mapping(
	pid_t pid, uint64_t start, uint64_t end, struct stat *ret);
/*
 * Opens the executable file of PID, also a deleted file, for reading. Sets *RET
 * as safe_open_mapping() does. Returns -1 if PID has ended or may not be traced. A
 * process can replace the link /proc/PID/exe (prctl(2), PR_SET_MM_EXE_FILE): the
 * caller checks the identity of the file.
 */
int safe_open_exe(pid_t pid, struct stat *ret);

#endif
