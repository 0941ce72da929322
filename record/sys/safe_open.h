/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that other processes name. Their paths are hostile: below the
 * root of a process, a symbolic link can point to a file of the host, and a
 * name can be a FIFO or a device. Names are looked up below the root of that
 * process and never leave it (path_in_root.h). Only regular files are opened,
 * without blocking.
 *
 * A file system can still respond late or never, see timed_worker.h.
 */
#ifndef DWELL_RECORD_SYS_SAFE_OPEN_H
#define DWELL_RECORD_SYS_SAFE_OPEN_H

#include <sys/types.h>

#include "common/elf/path_in_root.h"

/*
 * Return O_PATH descriptors, owned by the caller; -1 if PID has ended or is
 * hidden.
 */
/* The directory /proc/PID. Access fails after PID has been reused. */
int safe_open_proc(pid_t pid);
/*
 * The root directory of the process of PROC, a descriptor of safe_open_proc().
 */
int safe_open_root(int proc);

/*
 * Opens the regular file PATH below ROOT, a descriptor of safe_open_root(), for
 * reading. Returns -1 if there is none.
 */
int safe_open_file(int root, const char *path, enum path_in_root_links links);
/*
 * As safe_open_file() for kernels without openat2 (before 5.6); follows no
 * links.
 */
int safe_open_walk(int root, const char *path);
/*
 * Returns why safe_open_file(), which refuses links, failed: "is a symbolic
 * link" and so on. Returns NULL if PATH does not exist or is a regular file.
 */
const char *safe_open_refusal(int root, const char *path);

/*
 * Opens the regular file that PID has mapped at [START, END), even if it was
 * deleted. Needs CAP_CHECKPOINT_RESTORE (proc_pid_map_files(5)).
 */
int safe_open_mapping(pid_t pid, uint64_t start, uint64_t end);
/*
 * Opens the executable file of PID, also a deleted file, for reading. Returns
 * -1 if PID has ended or may not be traced. A process can replace this link
 * (prctl(2), PR_SET_MM_EXE_FILE): the caller checks the identity of the file.
 */
int safe_open_exe(pid_t pid);

#endif
