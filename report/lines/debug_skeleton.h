/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A skeleton unit of a program, which only names the .dwo file with the rest.
 * Also writes such a unit to a file of its own with another .dwo path, so that
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
	/* The sections to which the rest refers; borrowed from the program. */
	struct elf_section addresses, ranges;
};

/*
 * Reads the skeleton DIE, which is of a unit of FILE. Returns false if DIE is
 * no skeleton.
 */
bool debug_skeleton_read(
	struct elf_file *file, Dwarf_Die *die, struct debug_skeleton *ret);
/*
 * Writes a file with the skeleton OF to FD. SPLIT is the path of the .dwo file.
 * Returns false on an error.
 */
bool debug_skeleton_write(
	const struct debug_skeleton *of, const char *split, int fd);

#endif
