/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies a file that only the user of a process may read, such as a program on
 * a FUSE mount of this user, which the kernel hides from root. A helper process
 * with the IDs of the user reads the file, so that the user can neither stop nor
 * trace the recorder, and root's rights are not used.
 *
 * The same file is copied once, and copies are kept until the program ends. All
 * copies together have at most 256 MiB.
 */
#ifndef DWELL_RECORD_SYS_USER_COPY_H
#define DWELL_RECORD_SYS_USER_COPY_H

#include <sys/stat.h>
#include <sys/types.h>

#include "common/util/base.h"

/*
 * Copies the regular file of FOUND, an O_PATH descriptor, with the user and group
 * IDs of PID, and sets *RET to the status of the file. Returns a descriptor of
 * the copy for reading, owned by the caller, which has the modification time of
 * the file. Returns -1 if the file cannot be copied, and reports this once.
 * A copy that takes longer than half a second is given up, and its user is refused
 * from then on. Thread-safe.
 */
int user_copy_open(int found, pid_t pid, struct stat *ret);

#endif
