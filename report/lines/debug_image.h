/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds an ELF file for libdw from sections of other files. It has this
 * machine's byte order and only sections. Also reads a skeleton unit of a
 * program, which only names the .dwo file with the rest, and writes such a unit
 * to a file of its own with another .dwo path, so that libdw joins the two.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_IMAGE_H
#define DWELL_REPORT_LINES_DEBUG_IMAGE_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

struct debug_image {
	uint64_t base; /* offset of .bytes in the file, behind the ELF header */
	struct strbuf bytes, names;
	ARRAY(struct debug_image_section {
		uint32_t name;
		uint64_t offset, size; /* in the file */
	})
	sections;
};

/* BASE as in .base; the caller writes the bytes before it. */
void debug_image_init(struct debug_image *image, uint64_t base);
void debug_image_deinit(struct debug_image *image);

/* Adds SIZE bytes at AT, which are copied, as section NAME. */
void debug_image_add(struct debug_image *image, const char *name,
	const void *at, size_t size);
/* Adds the SIZE bytes at OFFSET of the file, before .base, as section NAME. */
void debug_image_add_placed(struct debug_image *image, const char *name,
	uint64_t offset, uint64_t size);
/*
 * Writes the file to FD, except the sections of debug_image_add_placed().
 * Nothing may be added afterwards. Returns false on an error.
 */
bool debug_image_write(struct debug_image *image, int fd);

/* --- skeleton units ------------------------------------------------------ */

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
