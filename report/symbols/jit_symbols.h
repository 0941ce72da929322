/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of code that was made at run time: those in the recording, or else
 * those in this machine's /tmp/perf-PID.map, where perf looks for them.
 */
#ifndef DWELL_REPORT_SYMBOLS_JIT_SYMBOLS_H
#define DWELL_REPORT_SYMBOLS_JIT_SYMBOLS_H

#include "common/elf/symtab.h"
#include "common/file/reader.h"
#include "report/survey/survey.h"

/*
 * Adds to TABLE, by address, what an address alone tells of PID's code. Of
 * lines that overlap the later one counts, and a jitdump before a perf map.
 */
void made_names(const struct survey *survey, struct reader *reader,
	uint32_t pid, struct symtab *table);
/* And by place (common/file/jit_section.h) what needs a time, too. */
void made_timed_names(
	const struct survey *survey, uint32_t pid, struct symtab *table);

#endif
