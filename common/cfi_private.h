/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a struct cfi is, for cfi.c, cfi_load.c and cfi_cache.c, behind cfi.h. */
#ifndef DWELL_CFI_PRIVATE_H
#define DWELL_CFI_PRIVATE_H

#include <pthread.h>

#include "common/cfi_source.h"
#include "common/cfi_table.h"
#include "common/elf.h"

/* The sections of a file with CFI. */
struct cfi_sections {
	struct cfi_source source; /* its bytes are one of these: */
	uint8_t *eh_frame, *debug_frame;
};

struct cfi {
	unsigned n_owners;
	enum unwind_arch arch;
	struct cfi_table *table;
	/* For cfi_row(): */
	pthread_mutex_t lock;
	bool is_loaded; /* SECTIONS is there, or can't be had */
	struct cfi_sections sections;
	int fd, debug_fd; /* of the files, or -1 */
};

/* Reads the sections; none is fine. DEBUG may be NULL. */
void cfi_load(struct elf_file *file, struct elf_file *debug,
	struct cfi_sections *ret);
void cfi_sections_deinit(struct cfi_sections *sections);
struct cfi_table *cfi_compile(const struct cfi_source *source);
/* With TABLE, which it owns from now on. */
struct cfi *cfi_wrap(enum unwind_arch arch, struct cfi_table *table);

#endif
