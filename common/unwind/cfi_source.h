/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where rules come from: the sections of a file, or bytes that somebody has,
 * as one sorted list of FDEs. For the compiler of rules, and for whoever has
 * to interpret a single one.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_SOURCE_H
#define DWELL_COMMON_UNWIND_CFI_SOURCE_H

#include "common/unwind/cfi_program.h"

#define CFI_FDES_MAX (4u << 20)

struct cfi_source {
	enum unwind_arch arch;
	struct cfi_section eh_frame, debug_frame; /* borrowed bytes */
	uint64_t entry; /* where a process begins; 0: nowhere here */
	uint64_t start, end; /* other FDEs are of code that was dropped */
	/* Made by cfi_source_sort(); by start, none overlaps the next. */
	struct cfi_fde *fdes;
	size_t n_fdes, room;
};

/*
 * Lists all FDEs. Where two overlap the later start wins; what .eh_frame has
 * isn't looked for in .debug_frame.
 */
void cfi_source_sort(struct cfi_source *source);
void cfi_source_deinit(struct cfi_source *source);

/* CIEs that were read already; a zeroed one is empty. */
#define CFI_CIES 8u
struct cfi_cies {
	struct cfi_cie at[CFI_CIES * 2];
};
/*
 * Begins to walk FDE's rows. CIES must live as long as the walk, and not be
 * used for another one meanwhile. False if FDE or its CIE can't be read.
 */
bool cfi_source_walk(const struct cfi_source *source,
	const struct cfi_fde *fde, struct cfi_cies *cies,
	struct cfi_walk *ret);
/*
 * The row for ADDRESS as linked; false if there is none. IS_DEBUG_RET tells
 * which section its expressions lie in.
 */
bool cfi_source_row(const struct cfi_source *source, uint64_t address,
	struct cfi_row *ret, bool *is_debug_ret);

#endif
