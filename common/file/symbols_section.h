/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "symbols" section: for each DSO that samples hit, the symbols that were
 * hit. doc/format.md describes the layout.
 */
#ifndef DWELL_COMMON_FILE_SYMBOLS_SECTION_H
#define DWELL_COMMON_FILE_SYMBOLS_SECTION_H

#include "common/elf/symtab.h"
#include "common/maps/maps.h"
#include "common/perf/record.h"
#include "common/util/hash.h"

#define SYMBOLS_SECTION_VERSION 1u
/* The symbols come from a .dynsym, which has few of a file's symbols. */
#define SYMBOLS_DSO_DYNSYM_ONLY 1u
/* The file had no build ID; device and inode identify it. */
#define SYMBOLS_DSO_HAS_INODE 2u

struct symbols_dso {
	/* owned; "[kernel.kallsyms]" and "[module]" have addresses */
	char *path;
	struct build_id build_id;
	uint8_t flags;
	uint32_t major, minor, generation; /* if SYMBOLS_DSO_HAS_INODE */
	uint64_t inode;
	struct symtab symbols; /* by file offset, finished */
	/* These are not written: */
	uint32_t pid; /* process, if the DSO is memory without a file; else 0 */
	bool is_by_path; /* matches every build ID */
};

struct symbols_section {
	ARRAY(struct symbols_dso) dsos;
	struct hash_index by_path; /* after symbols_section_index() */
};

void symbols_section_deinit(struct symbols_section *section);
void symbols_section_write(
	const struct symbols_section *section, struct strbuf *out);
/* Returns false, and an empty RET, if the section is damaged. */
bool symbols_section_read(struct bytes b, struct symbols_section *ret);

/* Builds the index. No DSO may be added or moved afterwards. */
void symbols_section_index(struct symbols_section *section);
/*
 * Returns the first entry for DSO with build ID ID, or NULL. Needs the index,
 * because a hostile file may have any number of entries.
 */
struct symbols_dso *symbols_section_find(const struct symbols_section *section,
	const struct dso *dso, const struct build_id *id);

/*
 * The identity of a DSO besides its path: SYMBOLS_DSO_IDENTITY_SIZE bytes at
 * the start of each entry, also in other sections.
 */
#define SYMBOLS_DSO_IDENTITY_SIZE 24u
void symbols_dso_put_identity(
	const struct symbols_dso *dso, struct strbuf *out);
/* Sets only the identity of RET. Check b->ok afterwards. */
void symbols_dso_take_identity(struct bytes *b, struct symbols_dso *ret);
/*
 * Sets .pid and the identity of RET from DSO with build ID ID. Leaves .path and
 * .symbols as they are.
 */
void symbols_dso_identify(const struct dso *dso, const struct build_id *id,
	struct symbols_dso *ret);

#endif
