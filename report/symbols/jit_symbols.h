/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects symbols of JIT code: from the recording, or else from this machine's
 * /tmp/perf-PID.map, which perf reads as well.
 */
#ifndef DWELL_REPORT_SYMBOLS_JIT_SYMBOLS_H
#define DWELL_REPORT_SYMBOLS_JIT_SYMBOLS_H

#include "common/elf/symtab.h"
#include "common/file/reader.h"
#include "report/survey/survey.h"

/*
 * Adds to TABLE, by address, the symbols of PID's code that need no time. Of
 * overlapping symbols the later one is used, and a jitdump before a perf map.
 */
void jit_symbols_add(const struct survey *survey, struct reader *reader,
	uint32_t pid, struct symtab *table);
/*
 * Adds to TABLE, by place (common/file/jit_section.h), the symbols of PID's
 * code whose addresses held different code at different times.
 */
void jit_symbols_add_timed(
	const struct survey *survey, uint32_t pid, struct symtab *table);

#endif
