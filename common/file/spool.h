/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can't be read twice, made a file: in memory as long as it is small, then
 * in $TMPDIR (or /tmp), without a name. It doesn't know what it keeps.
 */
#ifndef DWELL_COMMON_FILE_SPOOL_H
#define DWELL_COMMON_FILE_SPOOL_H

#include "common/util/base.h"
#include "common/util/error.h"

/* Bytes of a stream that are kept in memory. */
#define SPOOL_MEMORY_MAX MIB(64)

/*
 * Reads FROM to its end; up to MEMORY_MAX bytes take no room on a disk. RET is
 * a descriptor of all of it, which the caller owns.
 */
struct error *spool_read(
	int from, uint64_t memory_max, int *ret) _must_check_;

/* An empty file without a name; RET is the caller's. */
struct error *spool_open(int *ret) _must_check_;
/* WHAT ("writing", "reading") of such a file failed: where, and what helps. */
struct error *spool_failed(int errnum, const char *what) _must_check_;

#endif
