/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks an archive of files by build ID, as made by `perf archive` from
 * perf's cache, into a folder: programs, libraries, debug files and kallsyms.
 * An archive is hostile: of its names, only the build ID's hex digits and the
 * fixed names of perf's cache are used. A program is skipped unless it has the
 * build ID of its name. Links and devices are never created.
 */
#ifndef DWELL_REPORT_PACK_UNPACK_ARCHIVE_H
#define DWELL_REPORT_PACK_UNPACK_ARCHIVE_H

#include "report/symbols/unpacked.h"

/*
 * The caller closes FD, the archive; NAME is for messages. Skipped entries are
 * reported. Returns an error if the archive is incomplete or the folder is not
 * writable; files unpacked before stay.
 */
struct error *unpack_archive(
	int fd, const char *name, struct unpacked *unpacked) _must_check_;

#endif
