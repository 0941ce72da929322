/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which other file debug information refers to that can't be had: what dwz made
 * of several files, or a .dwo file, for which elfutils 0.188 knows no .dwp.
 */
#ifndef DWELL_DEBUG_MISSING_H
#define DWELL_DEBUG_MISSING_H

#include "common/elf.h"

/*
 * Of FILE's, the name of the first, owned by the caller; NULL: nothing is missing,
 * as far as a look at some units tells. HAS_ALT: dwz's file is there.
 */
char *debug_missing(struct elf_file *file, bool has_alt);

#endif
