/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rules of JIT code from jitdumps, by process, address and time. The
 * jitdump of a process is searched for when code of the process is first
 * unwound, and read again when a sample is later than the last reading. One
 * thread at a time may call these functions; several threads may use the
 * returned rules.
 */
#ifndef DWELL_RECORD_UNWIND_JITRULES_H
#define DWELL_RECORD_UNWIND_JITRULES_H

#include "common/jit/jitcodes.h"
#include "record/symbols/file_tracker.h"

struct jitrules;

/* TRACKER, which holds the jitdumps open, is borrowed. */
struct jitrules *jitrules_create(struct file_tracker *tracker);
void jitrules_destroy(struct jitrules *rules);

/*
 * Returns a number that identifies the rules of PID at TIME (clocks_now()).
 * While it is the same, all results of jitrules_find() are the same. It also
 * changes if another process replaces PID. Call it before each unwinding: it
 * reads new rules.
 */
uint64_t jitrules_version(struct jitrules *rules, uint32_t pid, uint64_t time);

/*
 * The rules of PID at ADDRESS and TIME, valid from START to END. Without rules,
 * the whole address space.
 */
struct jitrules_part {
	uint64_t start, end;
	struct cfi *cfi; /* borrowed until jitrules_settle(); NULL: none */
};
struct jitrules_part jitrules_find(
	struct jitrules *rules, uint32_t pid, uint64_t address, uint64_t time);

/* No thread uses rules that were returned before. */
void jitrules_settle(struct jitrules *rules);

#endif
