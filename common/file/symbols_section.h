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
/*
 * The DSO's symbols come from its .dynsym, which has few of a file's symbols.
 */
#define SYMBOLS_DSO_DYNSYM_ONLY 1u
/* The DSO had no build ID; device and inode identify it. */
#define SYMBOLS_DSO_HAS_INODE 2u

struct symbols_dso {
	/*
	 * owned; the symbols of "[kernel.kallsyms]" and "[module]" have
	 * addresses
	 */
	char *path;
	struct build_id build_id;
	uint8_t flags;
	uint32_t major, minor, generation; /* if SYMBOLS_DSO_HAS_INODE */
	uint64_t inode;
	struct symtab symbols; /* by file offset, after symtab_finish() */
	/*
	 * functions of code without symbols (common/unwind/guessed_functions.h),
	 * after symtab_finish()
	 */
	struct symtab guesses;
	/* The next members are not written to the recording: */
	uint32_t pid; /* process, if the DSO is memory without a file; else 0 */
	bool is_by_path; /* .path alone identifies the DSO */
};

struct symbols_section {
	ARRAY(struct symbols_dso) dsos;
	struct hash_index by_path; /* set by symbols_section_index() */
};

void symbols_section_deinit(struct symbols_section *section);
void symbols_section_write(
	const struct symbols_section *section, struct strbuf *out);
/*
 * Reads B, the content of a "symbols" section, into RET. Returns false, with an
 * empty RET, if the section is damaged.
 */
bool symbols_section_read(struct bytes b, struct symbols_section *ret);

/*
 * Builds section->by_path. No DSO may be added to section->dsos or moved
 * afterwards.
 */
void symbols_section_index(struct symbols_section *section);
/*
 * Returns the first entry of SECTION for DSO with build ID ID, or NULL. Call
 * symbols_section_index() before: a hostile file may have too many entries for
 * a linear search.
 */
struct symbols_dso *symbols_section_find(const struct symbols_section *section,
	const struct dso *dso, const struct build_id *id);

/*
 * Appends the identity of DSO to OUT: its flags, and its build ID or its device
 * and inode. The identity is the first SYMBOLS_DSO_IDENTITY_SIZE bytes of a
 * DSO's entry, also in other sections.
 */
#define SYMBOLS_DSO_IDENTITY_SIZE 24u
void symbols_dso_put_identity(
	const struct symbols_dso *dso, struct strbuf *out);
/*
 * Reads the identity of a DSO (flags, and build ID or device and inode) from B
 * into RET. Other members of RET stay as they are. Check b->ok afterwards.
 */
void symbols_dso_take_identity(struct bytes *b, struct symbols_dso *ret);
/*
 * Sets .pid, .flags, and the build ID or device and inode of RET from DSO,
 * which has the build ID ID. Leaves .path and .symbols as they are.
 */
void symbols_dso_identify(const struct dso *dso, const struct build_id *id,
	struct symbols_dso *ret);

#endif
