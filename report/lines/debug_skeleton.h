/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A unit of a program that tells little by itself but which .dwo file has the
 * rest; and the same in a file of its own that says so of another one, so that
 * libdw joins the two.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_SKELETON_H
#define DWELL_REPORT_LINES_DEBUG_SKELETON_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"

struct debug_skeleton {
	uint16_t version;
	uint8_t address_size;
	uint64_t id, start;
	/* What the rest refers to; borrowed from the program. */
	struct elf_section addresses, ranges;
};

/* False: DIE, of a unit of FILE's, is none. */
bool debug_skeleton_read(
	struct elf_file *file, Dwarf_Die *die, struct debug_skeleton *ret);
/* As a whole file to FD; SPLIT is the path that it tells. */
bool debug_skeleton_write(
	const struct debug_skeleton *of, const char *split, int fd);

#endif
