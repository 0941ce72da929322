/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of file descriptors of this process. */
#ifndef DWELL_RECORD_SYS_FD_LIMITS_H
#define DWELL_RECORD_SYS_FD_LIMITS_H

#include "common/util/error.h"

/*
 * Raises RLIMIT_NOFILE to the hard limit. If N more descriptors exceed the hard
 * limit, raises the hard limit, too, which needs root. Returns an error with a
 * remedy if N more descriptors exceed the resulting limit.
 */
struct error *fd_limits_raise(uint64_t n) _must_check_;

#endif
