/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row of CFI as a rule of 32 bits, wherever it fits. */
#ifndef DWELL_COMMON_UNWIND_CFI_PACK_H
#define DWELL_COMMON_UNWIND_CFI_PACK_H

#include "common/unwind/cfi_program.h"
#include "common/unwind/cfi_rule.h"

/* EXPRESSIONS is the section that ROW's expressions lie in. */
uint32_t cfi_pack(enum unwind_arch arch, const struct cfi_section *expressions,
	const struct cfi_row *row);

#endif
