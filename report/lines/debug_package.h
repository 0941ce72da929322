/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A .dwp file: the debug information of many .dwo files, which a program's own
 * refers to (DWARF 5, 7.3.5, and its GNU ancestor for DWARF 4). libdw knows it
 * from 0.191 on; an older one is given each unit as if it was in a .dwo file.
 * For one thread.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_PACKAGE_H
#define DWELL_REPORT_LINES_DEBUG_PACKAGE_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"

struct debug_package;

/* The one beside FILE or DEBUG, one of which may be NULL; NULL: there is none. */
struct debug_package *debug_package_open(
	struct elf_file *file, struct elf_file *debug);
/* NULL is fine, as in the next ones. */
void debug_package_close(struct debug_package *package);

/* False: it is nothing to be opened by libdw, which does that since 0.191. */
bool debug_package_is_sound(const struct debug_package *package);
/*
 * Where it is, borrowed, if nothing in it can be found: it is damaged, or of a
 * machine with another byte order. Else NULL.
 */
const char *debug_package_unread(const struct debug_package *package);

/*
 * The DIE of the unit for which SKELETON, of FILE, stands; what it refers to
 * stays until another one is found. False: it isn't there.
 */
bool debug_package_find(struct debug_package *package, struct elf_file *file,
	Dwarf_Die *skeleton, Dwarf_Die *ret);

#endif
