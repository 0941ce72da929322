/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether the text of a file that debug information names may go into
 * an output. The author of a recorded program chooses these names, and root can
 * read every file, so that a page or a packed recording made by root could
 * contain the private files of other users.
 */
#ifndef DWELL_REPORT_LINES_PUBLIC_FILE_H
#define DWELL_REPORT_LINES_PUBLIC_FILE_H

#include <sys/stat.h>

#include "common/util/base.h"

/*
 * Returns whether the open file FD, of which STATUS is, may be shown. Other
 * users than root may show what they can open. Root may show a file that all
 * users can open by its path without symbolic links, and one that belongs to
 * SUDO_UID, the user who called sudo. The first file that may not be shown is
 * reported with its name PATH. Thread-safe.
 */
bool public_file_is_shown(int fd, const struct stat *status, const char *path);

#endif
