/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that debug information may take, over all files and threads of the
 * process. Sections can be compressed, and a file can be sparse: a few KiB on the
 * disk can expand to gigabytes.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_BUDGET_H
#define DWELL_REPORT_LINES_DEBUG_BUDGET_H

#include "common/elf/elf.h"

/*
 * Charges the budget with the SIZE bytes that sections of FILE take in memory, as
 * far as that is more than compilers' output expands to. The charge lasts until
 * the process ends, because libdw keeps files open that it found by itself. False:
 * the budget is spent, and a note names FILE.
 */
bool debug_budget_charge(struct elf_file *file, uint64_t size);

/* The path of FILE, owned by the caller; NULL: unknown. */
char *debug_budget_path(struct elf_file *file);

#endif
