/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which other file debug information refers to that can't be had: what dwz made
 * of several files, or a .dwo file that no .dwp has, either.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_MISSING_H
#define DWELL_REPORT_LINES_DEBUG_MISSING_H

#include "common/elf/elf.h"

struct debug_missing {
	bool is_readable; /* libdw finds units: 0.188 does not where zstd packed them */
	char *name;   /* of the first that is missing; NULL: none, */
		      /* as far as a look at some units tells */
	char *unread; /* the .dwp that may have it, and can't be read; or NULL */
};

/*
 * What FILE's debug information lacks, or that of DEBUG; one of them may be NULL.
 * HAS_ALT: dwz's file is there. RET is to be deinited.
 */
void debug_missing_find(struct elf_file *file, struct elf_file *debug,
	bool has_alt, struct debug_missing *ret);
void debug_missing_deinit(struct debug_missing *missing);

#endif
