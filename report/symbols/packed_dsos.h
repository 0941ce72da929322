/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections of a recording with one piece of memory per DSO ("lines" and "code"
 * in doc/format.md). This module finds the piece of a DSO; its users define and
 * check the contents.
 */
#ifndef DWELL_REPORT_SYMBOLS_PACKED_DSOS_H
#define DWELL_REPORT_SYMBOLS_PACKED_DSOS_H

#include "common/file/reader.h"

struct dso;
struct packed_dsos;

/* Whether the SIZE bytes at PIECE, which is aligned to 8 bytes, are valid. */
typedef bool packed_is_valid(const void *piece, size_t size);

/* Returns NULL if the recording has no such section. */
struct packed_dsos *packed_dsos_create(struct reader *reader, const char *name,
	uint32_t version, packed_is_valid *is_valid);
/* Reads the valid pieces of SECTION, which is empty afterwards. */
struct packed_dsos *packed_dsos_read(
	struct strbuf *section, packed_is_valid *is_valid);
/* PACKED may be NULL. */
void packed_dsos_destroy(struct packed_dsos *packed);

/* Returns the piece of DSO, whose build ID is ID; borrowed. NULL: none. */
const void *packed_dsos_find(const struct packed_dsos *packed,
	const struct dso *dso, const struct build_id *id);

/* Appends the start of a section of N pieces. */
void packed_dsos_begin(uint32_t n, struct strbuf *out);
/* Appends one piece. */
void packed_dsos_put(const struct dso *dso, const struct build_id *id,
	const void *piece, size_t size, struct strbuf *out);

/*
 * Reads the next entry of B, which is behind the start of the section,
 * for modification in place. Returns false at the end and if the entry
 * is damaged. The path ends with a NUL; the piece may be invalid.
 */
struct packed_entry {
	char *path;
	void *piece;
	uint32_t size;
};
bool packed_dsos_next(struct bytes *b, struct packed_entry *ret);

#endif
