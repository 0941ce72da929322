/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a struct cfi is, for cfi.c, cfi_load.c and cfi_cache.c, behind cfi.h. */
#ifndef DWELL_CFI_PRIVATE_H
#define DWELL_CFI_PRIVATE_H

#include <pthread.h>

#include "common/cfi_source.h"
#include "common/cfi_table.h"
#include "common/elf.h"

struct cfi {
	uint32_t id;
	enum unwind_arch arch;
	struct cfi_table *table;
	/* For cfi_row(): */
	pthread_mutex_t lock;
	bool is_loaded; /* SOURCE is there, or can't be had */
	struct cfi_source source;
	int fd, debug_fd; /* before that: of the files, or -1 */
	/* Afterwards, what SOURCE has its bytes of: */
	struct elf_file *file, *debug;
	uint8_t *bytes;
};

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

#endif
