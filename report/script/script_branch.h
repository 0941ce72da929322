/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The branches of a sample as `dwell script` prints them. */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_BRANCH_H
#define DWELL_REPORT_SCRIPT_SCRIPT_BRANCH_H

#include "report/script/script_code.h"

/*
 * brstack, brstacksym or brstackoff, whichever comes first among FIELDS: for
 * each branch FROM/TO/PREDICTED/TRANSACTION/ABORT/CYCLES/TYPE.
 */
void script_branch_put(struct script_code *code, uint32_t fields,
	const struct sample *sample, uint32_t space, struct strbuf *out);

#endif
