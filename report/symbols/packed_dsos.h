/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections of a recording with one piece of memory per DSO (doc/format.md,
 * "lines" and "code"): whose each is. What is in a piece, and whether that is
 * sound, others know.
 */
#ifndef DWELL_REPORT_SYMBOLS_PACKED_DSOS_H
#define DWELL_REPORT_SYMBOLS_PACKED_DSOS_H

#include "common/file/reader.h"

struct dso;
struct packed_dsos;

/* Whether all SIZE bytes at PIECE, which is at a multiple of 8, are one. */
typedef bool packed_is_sound(const void *piece, size_t size);

/* NULL if the recording has no such section. */
struct packed_dsos *packed_dsos_create(struct reader *reader,
	const char *name, uint32_t version, packed_is_sound *is_sound);
/* What is sound of SECTION, which is taken: it is empty afterwards. */
struct packed_dsos *packed_dsos_read(
	struct strbuf *section, packed_is_sound *is_sound);
/* NULL is fine. */
void packed_dsos_destroy(struct packed_dsos *packed);

/* The piece of DSO, whose build ID is ID; borrowed. NULL: there is none. */
const void *packed_dsos_find(const struct packed_dsos *packed,
	const struct dso *dso, const struct build_id *id);

/* Appends what a section begins with, of N pieces, and each of these. */
void packed_dsos_begin(uint32_t n, struct strbuf *out);
void packed_dsos_put(const struct dso *dso, const struct build_id *id,
	const void *piece, size_t size, struct strbuf *out);

/*
 * For those who change a section where it stands: the next entry of B, which is
 * behind the beginning. False: there is none, or it is damaged. The path ends
 * with a NUL; the piece needn't be sound.
 */
struct packed_entry {
	char *path;
	void *piece;
	uint32_t size;
};
bool packed_dsos_next(struct bytes *b, struct packed_entry *ret);

#endif
