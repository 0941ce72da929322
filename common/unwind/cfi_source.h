/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of unwind rules: the CFI sections of a file, or CFI bytes in
 * memory, as one sorted list of FDEs. Used to compile rules, and to interpret a
 * single row.
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
	/*
	 * address range of the code; FDEs outside belong to code that the
	 * linker dropped
	 */
	uint64_t start, end;
	/*
	 * FDEs of both sections, owned. Set by cfi_source_sort(): sorted by
	 * start, without overlaps.
	 */
	struct cfi_fde *fdes;
	size_t n_fdes, room;
};

/*
 * Finds the CFI sections of FILE and of its debug file DEBUG, borrowed from the
 * files. RET may have no section. DEBUG may be NULL. Does not list the FDEs.
 */
void cfi_source_load(
	struct elf_file *file, struct elf_file *debug, struct cfi_source *ret);
/*
 * Returns true if FILE has almost no rules for its code (outside of
 * .gnu_debugdata), so that its debug file may have them.
 */
bool cfi_source_is_sparse(struct elf_file *file);

/*
 * Sets source->fdes to all FDEs, sorted by start. If two FDEs overlap, the FDE
 * with the later start is used for the common addresses. FDEs of .eh_frame are
 * preferred to FDEs of .debug_frame.
 */
void cfi_source_sort(struct cfi_source *source);
void cfi_source_deinit(struct cfi_source *source);

/* A cache of CIEs. Zero-initialize the struct. */
#define CFI_CIES 8u
struct cfi_cies {
	struct cfi_cie at[CFI_CIES * 2];
};
/*
 * Initializes RET to iterate over the rows of FDE. CIES must stay valid as long
 * as RET is used, and no other iteration may use CIES meanwhile. Returns false
 * if FDE or its CIE is damaged.
 */
bool cfi_source_walk(const struct cfi_source *source, const struct cfi_fde *fde,
	struct cfi_cies *cies, struct cfi_walk *ret);
/*
 * Sets RET to the CFI row for the link-time address ADDRESS. Returns false if
 * there is no row. *IS_DEBUG_RET is true if the row's expressions are in
 * .debug_frame.
 */
bool cfi_source_row(const struct cfi_source *source, uint64_t address,
	struct cfi_row *ret, bool *is_debug_ret);

#endif
