/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the recorded kernel that aren't in the recording: of its vmlinux
 * (kernel_image.h), then of its kallsyms: the file that the user names, a copy
 * that perf has kept, or those of the kernel that runs here. Another kernel's, or
 * those of another boot, which has everything elsewhere, are refused.
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
	struct symtab image;      /* of vmlinux */
	struct kallsyms kallsyms; /* both are read when they are first asked for */
	bool is_image_tried, has_image, is_tried, is_same, has_told;
};
void kernel_symbols_deinit(struct kernel_symbols *kernel);

/*
 * Those of the kernel, or of the module, that NAME is of; NULL: not known.
 * Borrowed until KERNEL ends. IS_IMAGE_RET: they are vmlinux's.
 */
const struct symtab *kernel_symbols_find(struct kernel_symbols *kernel,
	const struct dso_name *name, bool *is_image_ret);
/* The build ID of READER's kernel; size 0: nobody tells. */
struct build_id kernel_symbols_id(const struct reader *reader);
/* The address that a recording's kernel mapping gives for _text; 0: none. */
uint64_t kernel_symbols_text(const struct maps *maps);
/* Once, that there are none for the recorded kernel, and what would help. */
void kernel_symbols_tell_missing(struct kernel_symbols *kernel);

#endif
