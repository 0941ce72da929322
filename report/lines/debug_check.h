/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is looked at before libdw is given a file, which may be anybody's: its
 * sections are in the file, of sizes that fit this machine, also when they are
 * unpacked; its units lie one behind the other, of versions that there are; the
 * other files that it names, and that libdw would open, are nothing to wait for.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_CHECK_H
#define DWELL_REPORT_LINES_DEBUG_CHECK_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"
#include "common/util/bytes.h"

/* All sections of one file, uncompressed; debug_budget limits expansion. */
#define DEBUG_SIZE_MAX GIB(8)

/* That section of FILE, uncompressed; borrowed; none if there is none. */
struct bytes debug_check_section(struct elf_file *file, const char *name);
/* FILE's sections; it unpacks them. False also where there is no DWARF. */
bool debug_check_file(struct elf_file *file);
/* The .dwp beside one of them, which may be NULL; the caller's; NULL: none. */
char *debug_check_package(struct elf_file *file, struct elf_file *debug);
/* Where one of FILE would be; likewise; NULL: nobody knows. */
char *debug_check_package_path(struct elf_file *file);
/*
 * The .dwo or .dwp file at PATH. True also if there is none. False for a file that
 * is no valid ELF file: libdw would open it nevertheless.
 */
bool debug_check_split_at(const char *path);
/* The .dwo files that SKELETON, a unit of FILE's, may mean. */
struct debug_splits {
	char *beside, *built; /* owned; NULL: there is no such place */
};
struct debug_splits debug_check_splits(
	struct elf_file *file, Dwarf_Die *skeleton);
void debug_splits_deinit(struct debug_splits *splits);
/* All of these; false if there can be none. */
bool debug_check_split(struct elf_file *file, Dwarf_Die *skeleton);

#endif
