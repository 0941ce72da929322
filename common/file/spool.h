/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies input that cannot be read twice, such as a pipe, to a file. Up to a
 * limit the file is in memory, else it is an unnamed file in $TMPDIR (or /tmp).
 */
#ifndef DWELL_COMMON_FILE_SPOOL_H
#define DWELL_COMMON_FILE_SPOOL_H

#include "common/util/base.h"
#include "common/util/error.h"

/* Limit of a copy in memory, in bytes. Longer input is copied to disk. */
#define SPOOL_MEMORY_MAX MIB(64)

/*
 * Copies all input of the file descriptor FROM. A copy of up to MEMORY_MAX
 * bytes stays in memory. *RET is a file descriptor of the copy, owned by the
 * caller.
 */
struct error *spool_read(int from, uint64_t memory_max, int *ret) _must_check_;

/*
 * Creates an empty temporary file without a name. *RET is its file descriptor,
 * owned by the caller.
 */
struct error *spool_open(int *ret) _must_check_;
/*
 * Returns the error for a failure to WHAT ("create", "write", "read") a
 * temporary file, with the folder and a hint to set TMPDIR.
 */
struct error *spool_error(int errnum, const char *what) _must_check_;

#endif
