/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the missing file that debug information refers to: the common file made
 * by dwz, or a .dwo file that is in no .dwp file either.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_MISSING_H
#define DWELL_REPORT_LINES_DEBUG_MISSING_H

#include "common/elf/elf.h"

struct debug_missing {
	bool is_readable; /* libdw finds units; 0.188 does not in sections that
			     are compressed with zstd */
	char *name; /* first missing file among some units; owned; NULL: none */
	char *unread; /* unreadable .dwp file that can contain it; owned; or
			 NULL */
};

/*
 * Finds the missing files of the debug information in FILE or DEBUG, one of
 * which may be NULL. HAS_ALT: the file of dwz is there. The caller frees RET
 * with debug_missing_deinit().
 */
void debug_missing_find(struct elf_file *file, struct elf_file *debug,
	bool has_alt, struct debug_missing *ret);
void debug_missing_deinit(struct debug_missing *missing);

#endif
