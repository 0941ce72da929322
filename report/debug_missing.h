/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which other file debug information refers to that can't be had: what dwz made
 * of several files, or a .dwo file that no .dwp has, either.
 */
#ifndef DWELL_DEBUG_MISSING_H
#define DWELL_DEBUG_MISSING_H

#include "common/elf.h"

struct debug_package;

/*
 * Of FILE's, the name of the first, owned by the caller; NULL: nothing is missing,
 * as far as a look at some units tells. HAS_ALT: dwz's file is there. PACKAGE may
 * be NULL: there is no .dwp.
 */
char *debug_missing(struct elf_file *file, bool has_alt,
	struct debug_package *package);
/* Whether libdw finds a unit in FILE: 0.188 does not where zstd packed them. */
bool debug_is_readable(struct elf_file *file);

#endif
