/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's records as text, as perf script shows them
 * (tools/perf/util/event.c); samples are no part of it.
 */
#ifndef DWELL_REPORT_SCRIPT_RECORD_TEXT_H
#define DWELL_REPORT_SCRIPT_RECORD_TEXT_H

#include "common/perf/sample.h"

/*
 * What stands behind the name of RECORD, which belongs to an event of LAYOUT:
 * " 7/7: [0x1000(0x2000) @ 0]: r-xp /bin/sh". Nothing for a type that has
 * nothing to tell; as far as it goes for one that is too short.
 */
void record_text(const struct record *record,
	const struct sample_layout *layout, struct strbuf *out);

/* "1:10/20/30 ": counters as N:VALUE/ID/LOST, as far as they are told. */
void record_text_counts(
	const struct sample_counts *counts, struct strbuf *out);

#endif
