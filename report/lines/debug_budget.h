/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the memory that debug information uses, over all files and threads of
 * the process. Sections can be compressed and files can be sparse, so that a
 * few KiB on the disk can expand to gigabytes.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_BUDGET_H
#define DWELL_REPORT_LINES_DEBUG_BUDGET_H

#include "common/elf/elf.h"

/*
 * Charges the budget with the SIZE bytes that sections of FILE use in memory,
 * minus the expansion that is normal for the output of compilers. The charge
 * lasts until the process ends, because libdw keeps files open that it opened
 * itself. Returns false, after a note with the path of FILE, if the budget is
 * used up. Thread-safe.
 */
bool debug_budget_charge(struct elf_file *file, uint64_t size);

/* Returns the path of FILE, owned by the caller, or NULL if it is unknown. */
char *debug_budget_path(struct elf_file *file);

#endif
