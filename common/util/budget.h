/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A limit of the memory that data of one origin may take, for example the
 * content of one recording. It does not allocate: a module reserves what it is
 * about to allocate and leaves data out if that fails. Thread-safe. A NULL
 * budget has no limit.
 */
#ifndef DWELL_COMMON_UTIL_BUDGET_H
#define DWELL_COMMON_UTIL_BUDGET_H

#include "common/util/base.h"

/* BUDGET(LIMIT) initializes it. */
struct budget {
	_Atomic uint64_t limit, reserved; /* in bytes */
};
#define BUDGET(limit_bytes)            \
	{                              \
		.limit = (limit_bytes) \
	}

/* Changes the limit. It may be less than what is reserved. */
void budget_set_limit(struct budget *budget, uint64_t limit);
/* Reserves SIZE bytes. Returns false if they exceed the limit. */
bool budget_reserve(struct budget *budget, uint64_t size) _must_check_;
/* Releases SIZE bytes that budget_reserve() reserved. */
void budget_release(struct budget *budget, uint64_t size);

#endif
