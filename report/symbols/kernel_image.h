/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens vmlinux, the kernel as an ELF file with symbols: the file given by
 * --vmlinux, or the file with the recorded build ID.
 */
#ifndef DWELL_REPORT_SYMBOLS_KERNEL_IMAGE_H
#define DWELL_REPORT_SYMBOLS_KERNEL_IMAGE_H

#include "common/elf/symtab.h"
#include "report/symbols/files.h"

struct kernel_identity {
	struct build_id id;  /* of the recorded kernel; size 0: not known */
	const char *release; /* or NULL */
	uint64_t text;       /* address of its _text; 0: not known */
};

/*
 * Opens vmlinux. Returns NULL if there is none. A --vmlinux with a different
 * build ID is ignored with a message. The caller closes the file.
 */
struct elf_file *kernel_image_open(
	struct files *files, const struct kernel_identity *identity);
/*
 * Sets *MOVED_RET to the distance of run-time addresses from FILE's addresses.
 * Returns false if it is not known.
 */
bool kernel_image_distance(struct elf_file *file,
	const struct kernel_identity *identity, uint64_t *moved_ret);

/*
 * Adds the symbols of vmlinux to TABLE, with run-time addresses, and finishes
 * TABLE. Returns false if there is no vmlinux or it has no symbols. The caller
 * frees *PATH_RET, the path of the file.
 */
bool kernel_image_read(struct files *files,
	const struct kernel_identity *identity, struct symtab *table,
	char **path_ret);

#endif
