/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an archive of files by build ID, as `perf archive` makes it of perf's
 * cache, to a folder: the programs, libraries, debug files and kallsyms that are
 * in it. An archive is hostile: of its names only the hex digits of a build ID
 * and what perf calls such a file count, and a program is what it is called, or
 * it is left out. Neither links nor devices are made.
 */
#ifndef DWELL_REPORT_PACK_UNPACK_ARCHIVE_H
#define DWELL_REPORT_PACK_UNPACK_ARCHIVE_H

#include "report/symbols/unpacked.h"

/*
 * FD is of the archive and stays the caller's; NAME is for messages. What is
 * left out is told. An error: it isn't a whole archive, or nothing can be
 * written; what came before stays.
 */
struct error *unpack_archive(
	int fd, const char *name, struct unpacked *unpacked) _must_check_;

#endif
