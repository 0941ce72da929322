/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file, for libdw, of sections that lie elsewhere: in a file in memory, of
 * this machine's byte order, and with nothing but sections.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_IMAGE_H
#define DWELL_REPORT_LINES_DEBUG_IMAGE_H

#include "common/util/array.h"
#include "common/util/strbuf.h"

struct debug_image {
	uint64_t base; /* .bytes lie there in the file, behind the ELF header */
	struct strbuf bytes, names;
	ARRAY(struct debug_image_section {
		uint32_t name;
		uint64_t offset, size; /* in the file */
	}) sections;
};

/* BASE is as above; what is before it is the caller's to write. */
void debug_image_init(struct debug_image *image, uint64_t base);
void debug_image_deinit(struct debug_image *image);

/* SIZE bytes, which are copied, as section NAME. */
void debug_image_add(struct debug_image *image, const char *name,
	const void *at, size_t size);
/* What lies at OFFSET of the file before .base. */
void debug_image_add_placed(struct debug_image *image, const char *name,
	uint64_t offset, uint64_t size);
/* All but what is placed, to FD, as a whole file; none is added any more. */
bool debug_image_write(struct debug_image *image, int fd);

#endif
