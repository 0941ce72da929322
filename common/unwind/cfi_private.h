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
	struct cfi_lookups *lookups; /* NULL: lookups are not recorded */
	/*
	 * Rules for addresses that .table does not contain, see
	 * cfi_set_fallback(). .fallback is owned.
	 */
	struct cfi *(*find_fallback)(void *data); /* NULL: no fallback */
	void *fallback_data;
	struct cfi *fallback;
	_Atomic bool is_fallback_known;
	/* protects .fallback, .lookups->rows, and the loading of .source */
	pthread_mutex_t lock;
	bool is_loaded; /* .source is loaded, or cannot be loaded */
	struct cfi_source source;
	/*
	 * descriptors of the ELF file and of its debug file until .is_loaded;
	 * or -1
	 */
	int fd, debug_fd;
	/* Owners of the bytes in .source, after .source was loaded: */
	struct elf_file *file, *debug;
	uint8_t *bytes;
	ARRAY(struct cfi_row) rows; /* CFI rows of a subset, ascending */
};

/*
 * Creates a struct cfi with the compiled rules TABLE and an empty .source.
 * Takes ownership of TABLE.
 */
struct cfi *cfi_wrap(enum unwind_arch arch, struct cfi_table *table);

struct cfi_table *cfi_compile(const struct cfi_source *source);

/*
 * Record that the rule at ADDRESS, or the full row ROW, was looked up in CFI,
 * for which cfi_lookups_start() was called. Thread-safe.
 */
void cfi_lookups_add_rule(const struct cfi *cfi, uint64_t address);
void cfi_lookups_add_row(struct cfi *cfi, const struct cfi_row *row,
	const struct cfi_section *expressions);
void cfi_lookups_free(struct cfi_lookups *lookups);

/*
 * Returns the fallback rules of CFI, see cfi_set_fallback(), or NULL.
 * Thread-safe.
 */
struct cfi *cfi_find_fallback(struct cfi *cfi);

/*
 * Returns ROW as a rule of 32 bits (cfi_rule.h), or CFI_COMPLEX if ROW does not
 * fit. EXPRESSIONS is the section that contains the row's DWARF expressions.
 */
uint32_t cfi_pack(enum unwind_arch arch, const struct cfi_section *expressions,
	const struct cfi_row *row);

#endif
