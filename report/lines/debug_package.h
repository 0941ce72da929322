/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A .dwp file: the debug information of many .dwo files (DWARF 5, 7.3.5, and
 * its GNU predecessor for DWARF 4). libdw 0.191 and later read .dwp files. For
 * older versions of libdw, each unit is written to a .dwo file in memory. Not
 * thread-safe.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_PACKAGE_H
#define DWELL_REPORT_LINES_DEBUG_PACKAGE_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"

struct debug_package;

/*
 * Opens the .dwp file beside FILE or DEBUG, one of which may be NULL. Returns
 * NULL if there is no .dwp file.
 */
struct debug_package *debug_package_open(
	struct elf_file *file, struct elf_file *debug);
/* PACKAGE may be NULL, also in the functions below. */
void debug_package_close(struct debug_package *package);

/*
 * Returns whether libdw, which opens .dwp files since version 0.191, can read
 * the .dwp file safely.
 */
bool debug_package_is_sound(const struct debug_package *package);
/*
 * Returns the path of the .dwp file, borrowed, if the file cannot be read
 * because it is damaged or has another byte order; otherwise NULL.
 */
const char *debug_package_unread(const struct debug_package *package);

/*
 * Finds the unit in the .dwp file to which SKELETON, a unit of FILE, refers,
 * and stores its DIE in RET. The DIE is valid until the next call. Returns
 * false if the .dwp file does not contain the unit.
 */
bool debug_package_find(struct debug_package *package, struct elf_file *file,
	Dwarf_Die *skeleton, Dwarf_Die *ret);

#endif
