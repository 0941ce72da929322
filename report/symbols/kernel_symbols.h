/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the recorded kernel that are not in the recording: from vmlinux,
 * the kernel as an ELF file, which is the file given by --vmlinux or the file
 * with the recorded build ID; or from kallsyms: the file given by --kallsyms,
 * the copy in perf's cache, or /proc/kallsyms. Symbols of another kernel or of
 * another boot, which has other addresses, are not used.
 */
#ifndef DWELL_REPORT_SYMBOLS_KERNEL_SYMBOLS_H
#define DWELL_REPORT_SYMBOLS_KERNEL_SYMBOLS_H

#include "common/elf/kallsyms.h"
#include "common/elf/symtab.h"
#include "common/maps/maps.h"
#include "report/symbols/dso_name.h"
#include "report/symbols/files.h"

struct kernel_identity {
	struct build_id id;  /* build ID of the recorded kernel; size 0: not
	                      * known */
	const char *release; /* release of the recorded kernel, or NULL */
	uint64_t text;	     /* run-time address of the kernel's _text; 0: not
	                      * known */
};

/* The caller sets the first four members and zeroes the others. */
struct kernel_symbols {
	const struct reader *reader; /* borrowed, like .maps, .files and
	                              * .recorded */
	const struct maps *maps;
	struct files *files;
	const struct symtab *recorded;	  /* symbols in the recording; NULL:
	                                   * none */
	struct symtab image;		  /* symbols of vmlinux; read when first
	                                   * needed */
	struct kallsyms kallsyms;	  /* read when first needed */
	char *image_path, *kallsyms_path; /* paths of vmlinux and kallsyms;
	                                   * owned */
	bool is_image_tried, has_image, is_tried, is_same, is_missing_reported;
};
void kernel_symbols_deinit(struct kernel_symbols *kernel);

/*
 * Returns the symbols of the kernel or module NAME, or NULL if not known. The
 * symbols are borrowed until kernel_symbols_deinit(). *IS_IMAGE_RET is whether
 * the symbols come from vmlinux.
 */
const struct symtab *kernel_symbols_find(struct kernel_symbols *kernel,
	const struct dso_name *name, bool *is_image_ret);
/* Returns the path of vmlinux if IS_IMAGE, else that of kallsyms; borrowed. */
const char *kernel_symbols_path(
	const struct kernel_symbols *kernel, bool is_image);
/* Returns the build ID of the recorded kernel; size 0: not known. */
struct build_id kernel_symbols_id(const struct reader *reader);
/* Returns the address of _text in the recording's kernel mapping; 0: none. */
uint64_t kernel_symbols_text(const struct maps *maps);
/* Returns the identity of the recorded kernel. */
struct kernel_identity kernel_symbols_identity(
	const struct reader *reader, const struct maps *maps);
/*
 * Reads the files of --vmlinux and --kallsyms even if the recording has the
 * symbols, so that a message reports files of another kernel.
 */
void kernel_symbols_check_named(struct kernel_symbols *kernel);
/* Reports once that the recorded kernel has no symbols. */
void kernel_symbols_report_missing(struct kernel_symbols *kernel);

/*
 * Opens vmlinux. Returns NULL if there is none. A --vmlinux with a different
 * build ID is ignored with a message. The caller closes the file.
 */
struct elf_file *kernel_image_open(
	struct files *files, const struct kernel_identity *identity);
/*
 * Sets *MOVED_RET to the run-time address of kernel code minus its linked
 * address in FILE, a vmlinux. Returns false if the distance is not known.
 */
bool kernel_image_distance(struct elf_file *file,
	const struct kernel_identity *identity, uint64_t *moved_ret);

#endif
