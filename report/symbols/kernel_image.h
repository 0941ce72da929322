/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel as a file with symbols, vmlinux: the one that the user names, or
 * else the one with the recorded build ID, where such files are.
 */
#ifndef DWELL_REPORT_SYMBOLS_KERNEL_IMAGE_H
#define DWELL_REPORT_SYMBOLS_KERNEL_IMAGE_H

#include "common/elf/symtab.h"
#include "report/symbols/files.h"

struct kernel_wish {
	struct build_id id;  /* of the recorded kernel; size 0: not known */
	const char *release; /* or NULL */
	uint64_t text;       /* address of its _text; 0: not known */
};

/*
 * The file, which the caller closes; NULL: there is none. One that the user names
 * and that is another kernel's is refused, which is said.
 */
struct elf_file *kernel_image_open(
	struct files *files, const struct kernel_wish *wish);
/* How far what ran is from what FILE tells of; false: that isn't known. */
bool kernel_image_moved(struct elf_file *file, const struct kernel_wish *wish,
	uint64_t *moved_ret);

/*
 * Adds its symbols to TABLE, by the addresses of the recording, and finishes it.
 * False if there is no such file, or it has none. PATH_RET is the file's, owned by
 * the caller.
 */
bool kernel_image_read(struct files *files, const struct kernel_wish *wish,
	struct symtab *table, char **path_ret);

#endif
