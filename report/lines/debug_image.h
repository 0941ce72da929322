/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds an ELF file for libdw from sections of other files. The file has this
 * machine's byte order, and sections but no segments. Also reads the skeleton
 * unit of a program, which names the .dwo file with most of the unit's debug
 * information, and writes the skeleton unit with another .dwo path to a new
 * file, so that libdw joins the new file and that .dwo file.
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
		uint64_t offset, size; /* position in the ELF file */
	})
	sections;
};

/*
 * Initializes an empty image. BASE is the value of .base; the caller writes the
 * bytes between the ELF header and BASE.
 */
void debug_image_init(struct debug_image *image, uint64_t base);
void debug_image_deinit(struct debug_image *image);

/* Adds SIZE bytes at AT, which are copied, as section NAME. */
void debug_image_add(struct debug_image *image, const char *name,
	const void *at, size_t size);
/*
 * Adds the SIZE bytes at OFFSET of the ELF file as section NAME. OFFSET is
 * below .base; the caller writes the bytes.
 */
void debug_image_add_placed(struct debug_image *image, const char *name,
	uint64_t offset, uint64_t size);
/*
 * Writes the ELF file to FD, except the contents of sections that were added by
 * debug_image_add_placed(). No section may be added afterwards. Returns false
 * on an error.
 */
bool debug_image_write(struct debug_image *image, int fd);

/* --- skeleton units ------------------------------------------------------ */

struct debug_skeleton {
	uint16_t version;
	uint8_t address_size;
	uint64_t id, start;
	/*
	 * The parts of .debug_addr and (DWARF 4) .debug_ranges to which the
	 * .dwo file refers; borrowed from the program.
	 */
	struct elf_section addresses, ranges;
};

/*
 * Reads the skeleton DIE, which is of a unit of FILE. Returns false if DIE is
 * no skeleton.
 */
bool debug_skeleton_read(
	struct elf_file *file, Dwarf_Die *die, struct debug_skeleton *ret);
/*
 * Writes an ELF file with the skeleton unit OF to FD. SPLIT is the path of the
 * .dwo file that the unit names. Returns false on an error.
 */
bool debug_skeleton_write(
	const struct debug_skeleton *of, const char *split, int fd);

#endif
