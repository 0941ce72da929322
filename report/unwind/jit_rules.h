/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the used unwind rules of a jitdump's code as bytes (dso_rules.h). */
#ifndef DWELL_REPORT_UNWIND_JIT_RULES_H
#define DWELL_REPORT_UNWIND_JIT_RULES_H

#include "common/util/strbuf.h"
#include "report/survey/jitdumps.h"

/* OUT is empty before. */
void jit_rules_put(const struct dump_code *code, struct strbuf *out);

#endif
