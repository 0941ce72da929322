/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the recorder's summary that is about unwound stacks. */
#ifndef DWELL_RECORD_UNWIND_STACK_COUNTS_LOG_H
#define DWELL_RECORD_UNWIND_STACK_COUNTS_LOG_H

#include "common/unwind/stack_counts.h"
#include "record/event/selection.h"

/*
 * Prints the percentage of complete stacks, and where the stacks of SELECTION
 * were unwound. If there are many cut stacks, prints the most frequent reason
 * and its remedy. Prints all reasons with -v.
 */
void stack_counts_log(
	const struct stack_counts *counts, const struct selection *selection);

#endif
