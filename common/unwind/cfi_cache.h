/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled rules of large files, kept for the next run. Whatever may be in the
 * cache, it can't lead a look-up out of its table.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_CACHE_H
#define DWELL_COMMON_UNWIND_CFI_CACHE_H

#include "common/elf/cache.h"
#include "common/unwind/cfi.h"

/* The kind, for cache_open(). */
#define CFI_CACHE "cfi"

/* As cfi_create(); of any thread. CACHE may be NULL. */
struct error *cfi_cache_create(struct cache *cache, struct elf_file *file,
	struct elf_file *debug, struct cfi **ret) _must_check_;

#endif
