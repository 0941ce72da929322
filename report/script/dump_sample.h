/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that a sample carries, in one line. */
#ifndef DWELL_REPORT_SCRIPT_DUMP_SAMPLE_H
#define DWELL_REPORT_SCRIPT_DUMP_SAMPLE_H

#include "common/perf/attr.h"
#include "common/perf/sample.h"
#include "common/unwind/registers.h"

/* What stands behind the name of RECORD, a sample of EVENT. */
void dump_sample(const struct event *event, const struct registers *registers,
	const struct record *record, const struct sample *sample,
	struct strbuf *out);

#endif
