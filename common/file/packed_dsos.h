/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the sections of a recording that contain one block of data,
 * the piece, for each DSO ("lines", "code" and "rules" in doc/format.md). The
 * callers define and check the contents of the pieces.
 */
#ifndef DWELL_COMMON_FILE_PACKED_DSOS_H
#define DWELL_COMMON_FILE_PACKED_DSOS_H

#include "common/file/reader.h"

struct dso;
struct packed_dsos;

/*
 * Whether the SIZE bytes at PIECE, the data of one DSO, are valid. PIECE is
 * aligned to 8 bytes.
 */
typedef bool packed_is_valid(const void *piece, size_t size);

/*
 * Reads the section NAME of READER's recording. Returns NULL if the recording
 * has no section NAME of VERSION.
 */
struct packed_dsos *packed_dsos_create(struct reader *reader, const char *name,
	uint32_t version, packed_is_valid *is_valid);
/*
 * Reads the data of each DSO in SECTION, up to the first invalid entry. Takes
 * the memory of SECTION, which is empty afterwards.
 */
struct packed_dsos *packed_dsos_read(
	struct strbuf *section, packed_is_valid *is_valid);
/* PACKED may be NULL. */
void packed_dsos_destroy(struct packed_dsos *packed);

/*
 * Returns the section's data of DSO, whose build ID is ID, borrowed until
 * packed_dsos_destroy(); NULL if the section has no data of DSO.
 */
const void *packed_dsos_find(const struct packed_dsos *packed,
	const struct dso *dso, const struct build_id *id);

/* Appends the header of a section with the data of N DSOs to OUT. */
void packed_dsos_begin(uint32_t n, struct strbuf *out);
/* Appends the entry of DSO, with the SIZE bytes of data at PIECE, to OUT. */
void packed_dsos_put(const struct dso *dso, const struct build_id *id,
	const void *piece, size_t size, struct strbuf *out);

/*
 * Reads the next DSO's entry of a section from B, for modification in place. B
 * begins behind the header of the section. Returns false at the end of B and if
 * the entry is damaged. RET->path ends with a NUL; the data at RET->piece may
 * be invalid.
 */
struct packed_entry {
	char *path;
	void *piece;
	uint32_t size;
};
bool packed_dsos_next(struct bytes *b, struct packed_entry *ret);

#endif
