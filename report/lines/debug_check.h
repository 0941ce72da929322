/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a file before libdw reads it, because the file can be hostile.
 * The sections are in the file, with sizes that fit into memory also when they
 * are decompressed; the units are consecutive and of known versions; the other
 * files that it names, and that libdw would open, do not block.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_CHECK_H
#define DWELL_REPORT_LINES_DEBUG_CHECK_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"
#include "common/util/bytes.h"

/*
 * Limit of all sections of one file, uncompressed. debug_budget.h limits their
 * expansion.
 */
#define DEBUG_SIZE_MAX GIB(8)

/*
 * Returns section NAME of FILE, uncompressed, borrowed; empty if there is none.
 */
struct bytes debug_check_section(struct elf_file *file, const char *name);
/*
 * Checks FILE and decompresses its sections. Returns false also if it has no
 * DWARF.
 */
bool debug_check_file(struct elf_file *file);
/*
 * Returns the path of the .dwp file beside FILE or DEBUG, owned by the caller,
 * or NULL. DEBUG may be NULL.
 */
char *debug_check_package(struct elf_file *file, struct elf_file *debug);
/*
 * Returns the path that the .dwp file of FILE would have, owned by the caller;
 * NULL: unknown.
 */
char *debug_check_package_path(struct elf_file *file);
/*
 * Checks the .dwo or .dwp file at PATH. Returns true also if there is none.
 * Returns false for a file that is no valid ELF file: libdw would open it
 * nevertheless.
 */
bool debug_check_split_at(const char *path);
/*
 * The paths of the .dwo file to which SKELETON, a unit of FILE, can refer:
 * beside FILE, and in the folder of the build.
 */
struct debug_splits {
	char *beside, *built; /* owned; NULL: unknown */
};
struct debug_splits debug_check_splits(
	struct elf_file *file, Dwarf_Die *skeleton);
void debug_splits_deinit(struct debug_splits *splits);
/* Checks all of these files. Returns false if there can be none. */
bool debug_check_split(struct elf_file *file, Dwarf_Die *skeleton);

#endif
