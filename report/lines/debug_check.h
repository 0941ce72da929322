/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the debug information of a file before libdw reads it, because the
 * file can be hostile. In a valid file, the sections are inside the file and
 * fit into memory when they are decompressed; the units are consecutive and of
 * known versions; other files that libdw would open do not block.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_CHECK_H
#define DWELL_REPORT_LINES_DEBUG_CHECK_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"
#include "common/util/bytes.h"

/*
 * Limits the memory that debug information uses, over all files and threads of
 * the process. Sections can be compressed and files can be sparse, so that a
 * few KiB on the disk can expand to gigabytes.
 */

/*
 * Charges the budget with the SIZE bytes that sections of FILE use in memory,
 * minus the expansion that is normal for the output of compilers. The charge
 * lasts until the process ends, because libdw keeps files open that it opened
 * itself. Returns false, after a note with the path of FILE, if the budget is
 * used up. Thread-safe.
 */
bool debug_budget_charge(struct elf_file *file, uint64_t size);

/*
 * Prints a note that libdw cannot read the debug information of FILE, if there
 * was no note about FILE before. Thread-safe.
 */
void debug_check_note_unread(struct elf_file *file);

/* Returns the path of FILE, owned by the caller, or NULL if it is unknown. */
char *debug_budget_path(struct elf_file *file);

/*
 * Limit of the uncompressed size of all debug sections of one file.
 * debug_budget_charge() limits the expansion of compressed sections.
 */
#define DEBUG_SIZE_MAX GIB(8)

/*
 * Returns section NAME of FILE, uncompressed, borrowed; empty if there is none.
 */
struct bytes debug_check_section(struct elf_file *file, const char *name);
/*
 * Checks FILE, and decompresses its sections. Returns false if FILE is invalid
 * or has no DWARF.
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
 * Checks the .dwo or .dwp file at PATH. Returns true also if PATH does not
 * exist. Returns false for a file that is no valid ELF file: libdw would open
 * it nevertheless.
 */
bool debug_check_split_at(const char *path);
/*
 * The paths of the .dwo file to which SKELETON, a skeleton unit of FILE, can refer:
 * beside FILE, and in the folder of the build.
 */
struct debug_splits {
	char *beside, *built; /* owned; NULL: unknown */
};
struct debug_splits debug_check_splits(
	struct elf_file *file, Dwarf_Die *skeleton);
void debug_splits_deinit(struct debug_splits *splits);
/*
 * Checks the .dwo files at the paths of debug_check_splits(). Returns false if
 * a file is invalid, or if the path beside FILE is unknown.
 */
bool debug_check_split(struct elf_file *file, Dwarf_Die *skeleton);

#endif
