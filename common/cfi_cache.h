/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled rules of large files, kept in a folder of the user's own for the
 * next run. A file there is named after a build ID and a checksum of the bytes
 * that it was made from; whatever else may be in it, it can't lead a look-up
 * out of its table. Nothing that goes wrong here is an error: then rules are
 * made anew.
 */
#ifndef DWELL_CFI_CACHE_H
#define DWELL_CFI_CACHE_H

#include "common/cfi.h"

struct cfi_cache;

/*
 * FOLDER is made if need be; NULL: $XDG_CACHE_HOME/dwell/cfi, or that of
 * ~/.cache. NULL if it isn't there, or isn't this user's alone (0700).
 */
struct cfi_cache *cfi_cache_open(const char *folder);
void cfi_cache_close(struct cfi_cache *cache);

/* As cfi_create(); of any thread. CACHE may be NULL. */
struct error *cfi_cache_create(struct cfi_cache *cache, struct elf_file *file,
	struct elf_file *debug, struct cfi **ret) _must_check_;

#endif
