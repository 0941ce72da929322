/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "rules" section: unwind rules of the code on the stack copies of a
 * recording, by DSO (doc/format.md).
 */
#ifndef DWELL_REPORT_UNWIND_PACKED_RULES_H
#define DWELL_REPORT_UNWIND_PACKED_RULES_H

#include "report/symbols/packed_dsos.h"
#include "report/unwind/dso_rules.h"

#define PACKED_RULES_VERSION 1u

/* dso_rules_take() reads each piece. Returns NULL if there is no section. */
static inline struct packed_dsos *packed_rules_create(struct reader *reader)
{
	return packed_dsos_create(reader, SECTION_RULES, PACKED_RULES_VERSION,
		dso_rules_have_valid_size);
}

#endif
