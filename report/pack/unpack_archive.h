/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks an archive that `perf archive` made from perf's build-ID cache into a
 * folder: programs, libraries, debug files and kallsyms. The archive may be
 * hostile: of each path, only the hex digits of the build ID and the fixed file
 * names of perf's cache are used. An ELF file is skipped unless it contains the
 * build ID of its path. Links and devices are never created.
 */
#ifndef DWELL_REPORT_PACK_UNPACK_ARCHIVE_H
#define DWELL_REPORT_PACK_UNPACK_ARCHIVE_H

#include "report/symbols/unpacked.h"

/*
 * Unpacks the archive FD, which the caller closes, into the folder UNPACKED.
 * NAME is the name of the archive in messages. Skipped entries are reported.
 * Returns an error if the archive is incomplete or the folder is not writable;
 * files that were unpacked before the error stay.
 */
struct error *unpack_archive(
	int fd, const char *name, struct unpacked *unpacked) _must_check_;

#endif
