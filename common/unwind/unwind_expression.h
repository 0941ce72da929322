/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF expressions as CFI has them (DWARF 5, 2.5): a small machine with a
 * stack. For unwind_slow.c. Hostile: its stack and its steps are bounded.
 */
#ifndef DWELL_COMMON_UNWIND_UNWIND_EXPRESSION_H
#define DWELL_COMMON_UNWIND_UNWIND_EXPRESSION_H

#include "common/util/bytes.h"

struct unwind_registers;
struct unwind_walk;

/* Operations that one expression may take; compilers' need a dozen. */
#define EXPRESSION_STEPS_MAX 1000u

/*
 * With REGISTERS as they are in the frame; CFA, if not NULL, is what the stack
 * begins with. False: it is damaged, or needs what isn't known.
 */
bool unwind_expression(struct unwind_walk *walk,
	const struct unwind_registers *registers, struct bytes code,
	const uint64_t *cfa, uint64_t *ret);

#endif
