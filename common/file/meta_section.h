/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the pairs of texts in the section "meta" (doc/format.md). */
#ifndef DWELL_COMMON_FILE_META_SECTION_H
#define DWELL_COMMON_FILE_META_SECTION_H

#include "common/file/reader.h"

/*
 * Reads the section of READER into RAW. Returns a cursor for meta_section_next(), which borrows
 * from RAW. Without the section, there are no pairs.
 */
struct bytes meta_section_read(struct reader *reader, struct strbuf *raw);
/*
 * Sets *KEY and *VALUE to the next pair, borrowed from the data. Returns false at the end. A
 * pair that is not complete is ignored.
 */
bool meta_section_next(
	struct bytes *meta, const char **key, const char **value);

#endif
