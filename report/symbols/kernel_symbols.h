/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the recorded kernel that aren't in the recording: of its vmlinux
 * (kernel_image.h), then of its kallsyms: the file that the user names, a copy
 * that perf has kept, or those of the kernel that runs here. Another kernel's, or
 * those of another boot, which has everything elsewhere, are refused.
 */
#ifndef DWELL_REPORT_SYMBOLS_KERNEL_SYMBOLS_H
#define DWELL_REPORT_SYMBOLS_KERNEL_SYMBOLS_H

#include "common/elf/kallsyms.h"
#include "common/maps/maps.h"
#include "report/symbols/dso_name.h"
#include "report/symbols/kernel_image.h"

/* All zero but for the first four at first. */
struct kernel_symbols {
	const struct reader *reader; /* these are borrowed */
	const struct maps *maps;
	struct files *files;
	const struct symtab *recorded; /* some that it had; NULL: none is known */
	struct symtab image;      /* of vmlinux */
	struct kallsyms kallsyms; /* both are read when they are first asked for */
	char *image_path, *kallsyms_path; /* where they are from */
	bool is_image_tried, has_image, is_tried, is_same, has_told;
};
void kernel_symbols_deinit(struct kernel_symbols *kernel);

/*
 * Those of the kernel, or of the module, that NAME is of; NULL: not known.
 * Borrowed until KERNEL ends. IS_IMAGE_RET: they are vmlinux's.
 */
const struct symtab *kernel_symbols_find(struct kernel_symbols *kernel,
	const struct dso_name *name, bool *is_image_ret);
/* The path of the file that these, as IS_IMAGE tells, were found in; borrowed. */
const char *kernel_symbols_path(
	const struct kernel_symbols *kernel, bool is_image);
/* The build ID of READER's kernel; size 0: nobody tells. */
struct build_id kernel_symbols_id(const struct reader *reader);
/* The address that a recording's kernel mapping gives for _text; 0: none. */
uint64_t kernel_symbols_text(const struct maps *maps);
/* Whose vmlinux would be READER's. */
struct kernel_wish kernel_symbols_wish(
	const struct reader *reader, const struct maps *maps);
/*
 * Reads what the user names, though the recording has what was hit, so that it is
 * said if that is another kernel's.
 */
void kernel_symbols_check_named(struct kernel_symbols *kernel);
/* Once, that there are none for the recorded kernel, and what would help. */
void kernel_symbols_tell_missing(struct kernel_symbols *kernel);

#endif
