/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a struct cfi is, for cfi.c, cfi_load.c, cfi_cache.c and cfi_watch.c, behind
 * cfi.h.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_PRIVATE_H
#define DWELL_COMMON_UNWIND_CFI_PRIVATE_H

#include <pthread.h>

#include "common/elf/elf.h"
#include "common/unwind/cfi_source.h"
#include "common/unwind/cfi_table.h"
#include "common/util/array.h"

struct cfi {
	uint32_t id;
	enum unwind_arch arch; /* UNWIND_NONE: made of answers */
	struct cfi_table *table;
	struct cfi_watch *watch; /* NULL: nobody wants to know what is asked */
	/* What cfi_set_rest() was told, and what came of it, which is owned. */
	struct cfi *(*find_rest)(void *data); /* NULL: nobody else is asked */
	void *find_data;
	struct cfi *rest;
	_Atomic bool is_rest_known;
	pthread_mutex_t lock; /* of .rest, and for cfi_row(): */
	bool is_loaded; /* SOURCE is there, or can't be had */
	struct cfi_source source;
	int fd, debug_fd; /* before that: of the files, or -1 */
	/* Afterwards, what SOURCE has its bytes of: */
	struct elf_file *file, *debug;
	uint8_t *bytes;
	ARRAY(struct cfi_row) rows; /* or rows that are known, ascending */
};

/* With TABLE, which it owns from now on; without a source. */
struct cfi *cfi_wrap(enum unwind_arch arch, struct cfi_table *table);

/*
 * Finds the sections, borrowed from the files; none is fine. DEBUG may be
 * NULL. Does not sort them.
 */
void cfi_load(struct elf_file *file, struct elf_file *debug,
	struct cfi_source *ret);
struct cfi_table *cfi_compile(const struct cfi_source *source);
/* With TABLE, which it owns from now on; bytes are read when they are needed. */
struct cfi *cfi_wrap_files(struct elf_file *file, struct elf_file *debug,
	struct cfi_table *table);

/* What is asked of a watched one; of any thread. */
void cfi_watch_rule(const struct cfi *cfi, uint64_t address);
void cfi_watch_row(struct cfi *cfi, const struct cfi_row *row,
	const struct cfi_section *expressions);
void cfi_watch_free(struct cfi_watch *watch);

/* Whom to ask where CFI has no answer, or NULL; of any thread. */
struct cfi *cfi_ask_rest(struct cfi *cfi);

#endif
