/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the kernel that runs here, for a recording of the same one since
 * it was booted: of any other kernel's there are none.
 */
#ifndef DWELL_REPORT_KERNEL_SYMBOLS_H
#define DWELL_REPORT_KERNEL_SYMBOLS_H

#include "common/kallsyms.h"
#include "common/maps.h"
#include "report/dso_name.h"
#include "report/files.h"

/* All zero but for the first three at first. */
struct kernel_symbols {
	const struct reader *reader; /* these are borrowed */
	const struct maps *maps;
	struct files *files;
	struct kallsyms kallsyms; /* read when it is first asked for */
	bool is_tried, is_same;
};
void kernel_symbols_deinit(struct kernel_symbols *kernel);

/*
 * Those of the kernel, or of the module, that NAME is of; NULL: not known.
 * Borrowed until KERNEL ends.
 */
const struct symtab *kernel_symbols_find(
	struct kernel_symbols *kernel, const struct dso_name *name);

#endif
