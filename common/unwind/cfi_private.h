/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct cfi and internal functions, for cfi*.c only. Include after cfi.h. */
#ifndef DWELL_COMMON_UNWIND_CFI_PRIVATE_H
#define DWELL_COMMON_UNWIND_CFI_PRIVATE_H

#include <pthread.h>

#include "common/elf/elf.h"
#include "common/unwind/cfi_source.h"
#include "common/unwind/cfi_table.h"
#include "common/util/array.h"

struct cfi {
	uint32_t id;
	enum unwind_arch arch; /* UNWIND_NONE: created from a subset */
	struct cfi_table *table;
	struct cfi_watch *watch; /* NULL: lookups are not recorded */
	/* See cfi_set_fallback(). FALLBACK is owned. */
	struct cfi *(*find_fallback)(void *data); /* NULL: none */
	void *fallback_data;
	struct cfi *fallback;
	_Atomic bool is_fallback_known;
	pthread_mutex_t lock; /* protects .fallback and the loading of SOURCE */
	bool is_loaded; /* SOURCE is loaded, or cannot be loaded */
	struct cfi_source source;
	int fd, debug_fd; /* of the files, until loaded; or -1 */
	/* Owners of SOURCE's bytes after loading: */
	struct elf_file *file, *debug;
	uint8_t *bytes;
	ARRAY(struct cfi_row) rows; /* rows of a subset, ascending */
};

/* Takes ownership of TABLE. The result has no source. */
struct cfi *cfi_wrap(enum unwind_arch arch, struct cfi_table *table);

struct cfi_table *cfi_compile(const struct cfi_source *source);

/* Record a lookup of a watched CFI. Thread-safe. */
void cfi_watch_rule(const struct cfi *cfi, uint64_t address);
void cfi_watch_row(struct cfi *cfi, const struct cfi_row *row,
	const struct cfi_section *expressions);
void cfi_watch_free(struct cfi_watch *watch);

/* Returns the fallback rules, or NULL. Thread-safe. */
struct cfi *cfi_find_fallback(struct cfi *cfi);

/*
 * Returns the rule of ROW, or CFI_COMPLEX if it does not fit into 32 bits.
 * EXPRESSIONS is the section that contains the row's expressions.
 */
uint32_t cfi_pack(enum unwind_arch arch, const struct cfi_section *expressions,
	const struct cfi_row *row);

#endif
