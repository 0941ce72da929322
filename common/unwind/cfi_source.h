/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of rules: the CFI sections of a file, or CFI bytes, as one sorted
 * list of FDEs. Used to compile rules, and to interpret a single row.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_SOURCE_H
#define DWELL_COMMON_UNWIND_CFI_SOURCE_H

#include "common/unwind/cfi_program.h"

struct elf_file;

#define CFI_FDES_MAX (4u << 20)

struct cfi_source {
	enum unwind_arch arch;
	struct cfi_section eh_frame, debug_frame; /* bytes are borrowed */
	uint64_t entry; /* entry point of the process; 0: none */
	/* code; FDEs outside are of code that the linker dropped */
	uint64_t start, end;
	/* Set by cfi_source_sort(): sorted by start, without overlaps. */
	struct cfi_fde *fdes;
	size_t n_fdes, room;
};

/*
 * Finds the CFI sections, borrowed from the files; RET may have none. DEBUG may
 * be NULL. Does not sort the FDEs.
 */
void cfi_source_load(struct elf_file *file, struct elf_file *debug,
	struct cfi_source *ret);
/*
 * Returns true if FILE has almost no rules for its code (outside of
 * .gnu_debugdata), so that its debug file may have them.
 */
bool cfi_source_is_sparse(struct elf_file *file);

/*
 * Lists and sorts all FDEs. If two overlap, the later start wins. FDEs of
 * .eh_frame win over FDEs of .debug_frame.
 */
void cfi_source_sort(struct cfi_source *source);
void cfi_source_deinit(struct cfi_source *source);

/* A cache of CIEs. Zero-initialize it. */
#define CFI_CIES 8u
struct cfi_cies {
	struct cfi_cie at[CFI_CIES * 2];
};
/*
 * Starts to walk the rows of FDE. CIES must live as long as the walk and serve
 * no other walk meanwhile. Returns false if FDE or its CIE is damaged.
 */
bool cfi_source_walk(const struct cfi_source *source,
	const struct cfi_fde *fde, struct cfi_cies *cies,
	struct cfi_walk *ret);
/*
 * Finds the row for the link-time address ADDRESS; returns false if there is
 * none. IS_DEBUG_RET: the row's expressions are in .debug_frame.
 */
bool cfi_source_row(const struct cfi_source *source, uint64_t address,
	struct cfi_row *ret, bool *is_debug_ret);

#endif
