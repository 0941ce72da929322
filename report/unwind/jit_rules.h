/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was asked of the unwinding rules that a jitdump tells, for those who keep
 * it (dso_rules.h).
 */
#ifndef DWELL_REPORT_UNWIND_JIT_RULES_H
#define DWELL_REPORT_UNWIND_JIT_RULES_H

#include "common/util/strbuf.h"
#include "report/survey/jitdumps.h"

/* OUT is empty before. */
void made_rules_put(const struct dump_code *made, struct strbuf *out);

#endif
