/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds an ELF file for libdw from sections of other files. It has this
 * machine's byte order and only sections.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_IMAGE_H
#define DWELL_REPORT_LINES_DEBUG_IMAGE_H

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

#endif
