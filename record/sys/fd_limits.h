/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many descriptors this process may have. */
#ifndef DWELL_RECORD_SYS_FD_LIMITS_H
#define DWELL_RECORD_SYS_FD_LIMITS_H

#include "common/util/error.h"

/*
 * Raises RLIMIT_NOFILE to what is allowed, for root beyond the hard limit if N
 * more descriptors need it. Fails if they don't fit then, and says what would
 * let them.
 */
struct error *limits_descriptors(uint64_t n) _must_check_;

#endif
