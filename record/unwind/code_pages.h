/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache of pages of files, for code without unwind rules: each step through such
 * code reads some bytes before and behind an address, mostly the same bytes as the
 * steps of earlier stacks. The memory is limited. Files are not mapped, because a file
 * that becomes shorter would end the recorder.
 *
 * Thread-safe.
 */
#ifndef DWELL_RECORD_UNWIND_CODE_PAGES_H
#define DWELL_RECORD_UNWIND_CODE_PAGES_H

#include "common/util/base.h"

struct code_pages;

struct code_pages *code_pages_create(void);
void code_pages_destroy(struct code_pages *pages);

/* A file: a number that the caller assigns, and a descriptor, borrowed. */
struct code_pages_file {
	uint32_t number;
	int fd;
};
/*
 * Copies SIZE bytes at OFFSET of FILE to BYTES. Returns the number of bytes, which is
 * smaller at the end of the file and after an error.
 */
size_t code_pages_read(struct code_pages *pages,
	const struct code_pages_file *file, uint64_t offset, uint8_t *bytes,
	size_t size);

#endif
