/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that another user could have created under a name that this user gave,
 * for example in /tmp. A user trusts root, itself and, as root under sudo, the
 * user who called sudo.
 */
#ifndef DWELL_COMMON_UTIL_TRUSTED_FILE_H
#define DWELL_COMMON_UTIL_TRUSTED_FILE_H

#include <sys/types.h>

#include "common/util/error.h"

/*
 * Sets *RET to the number in the environment variable NAME, SUDO_UID or
 * SUDO_GID. Returns false if this process was not started by sudo as root.
 */
bool trusted_file_sudo_id(const char *name, unsigned *ret);

/* Returns whether this user trusts a file that belongs to user UID. */
bool trusted_file_owner(uid_t uid);

/*
 * Opens PATH for writing text into it: a file, which is created if there is
 * none and else truncated or, if APPENDS, continued, a device, or a FIFO. Never
 * waits for the reader of a FIFO: a FIFO that no program reads is an error, and
 * so is a FIFO of a user who is not trusted. In a folder with the sticky bit,
 * files and symbolic links of a user who is neither trusted nor the owner of
 * the folder are errors, whatever the sysctls fs.protected_* say. Descriptors
 * below /proc, such as /dev/stderr and /dev/fd/3, are opened in any case: the
 * caller of this process opened them. The caller closes *FD_RET.
 */
struct error *trusted_file_open_output(
	const char *path, bool appends, int *fd_ret) _must_check_;

#endif
