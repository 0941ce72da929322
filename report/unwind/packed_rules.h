/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "rules" section: how to unwind the code that copies of stacks lead
 * through, of each DSO that they lead through (doc/format.md).
 */
#ifndef DWELL_REPORT_UNWIND_PACKED_RULES_H
#define DWELL_REPORT_UNWIND_PACKED_RULES_H

#include "report/symbols/packed_dsos.h"
#include "report/unwind/dso_rules.h"

#define PACKED_RULES_VERSION 1u

/* Each piece is for dso_rules_take(). NULL if the recording has none. */
static inline struct packed_dsos *packed_rules_create(struct reader *reader)
{
	return packed_dsos_create(reader, SECTION_RULES, PACKED_RULES_VERSION,
		dso_rules_are_whole);
}

#endif
