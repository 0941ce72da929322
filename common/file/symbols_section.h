/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "symbols" section: for each DSO that samples hit, the symbols that were
 * hit. Layout in doc/format.md.
 */
#ifndef DWELL_COMMON_FILE_SYMBOLS_SECTION_H
#define DWELL_COMMON_FILE_SYMBOLS_SECTION_H

#include "common/elf/symtab.h"
#include "common/maps/mapping.h"
#include "common/perf/record.h"
#include "common/util/hash.h"

#define BUNDLE_VERSION 1u
/* What the symbols came from: a .dynsym alone knows few of them. */
#define BUNDLE_DYNSYM_ONLY 1u
/* The file had no build ID; what tells it from others at its path is known. */
#define BUNDLE_HAS_INODE 2u

struct bundle_dso {
	char *path; /* owned; "[kernel.kallsyms]" and "[module]" by address */
	struct build_id build_id;
	uint8_t flags;
	uint32_t major, minor, generation; /* if BUNDLE_HAS_INODE */
	uint64_t inode;
	struct symtab symbols; /* by file offset, finished */
	/* Not written: */
	uint32_t pid;    /* of memory without a file, each process's own; or 0 */
	bool is_by_path; /* its build ID isn't told */
};

struct bundle {
	ARRAY(struct bundle_dso) dsos;
	struct hash_index by_path; /* once there is one */
};

void bundle_deinit(struct bundle *bundle);
void bundle_write(const struct bundle *bundle, struct strbuf *out);
/* False on damage; RET is then empty. */
bool bundle_read(struct bytes b, struct bundle *ret);

/* After that none is added, or moved. */
void bundle_index(struct bundle *bundle);
/*
 * The first of BUNDLE, which has an index, that is of DSO, whose build ID is ID;
 * NULL: none. A hostile file may name as many as it likes: each is found at once.
 */
struct bundle_dso *bundle_find(const struct bundle *bundle,
	const struct dso *dso, const struct build_id *id);

/*
 * Who a DSO is, beside its path: what the entries of other sections begin with,
 * too, BUNDLE_IDENTITY_SIZE bytes.
 */
#define BUNDLE_IDENTITY_SIZE 24u
void bundle_put_identity(const struct bundle_dso *dso, struct strbuf *out);
/* Nothing but the identity of RET is written; .ok of B tells of its end. */
void bundle_take_identity(struct bytes *b, struct bundle_dso *ret);
/* The identity of DSO, whose build ID is ID, and .pid; .path and .symbols stay. */
void bundle_identify(const struct dso *dso, const struct build_id *id,
	struct bundle_dso *ret);

#endif
