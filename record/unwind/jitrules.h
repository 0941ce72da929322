/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinding rules of code that is made at run time, as jitdumps tell them:
 * by process, address and time. A jitdump is asked for when code of its process
 * is first met, and read on when samples come that are later than what is
 * known. For one thread at a time; several may walk by what they were given.
 */
#ifndef DWELL_RECORD_UNWIND_JITRULES_H
#define DWELL_RECORD_UNWIND_JITRULES_H

#include "common/jit/jitcodes.h"
#include "record/symbols/file_tracker.h"

struct jitrules;

/* KEEPER is borrowed; it holds the jitdumps. */
struct jitrules *jitrules_create(struct keeper *keeper);
void jitrules_destroy(struct jitrules *rules);

/*
 * A number for what PID's rules are at TIME (clocks_now()): as long as it
 * stays the same, so do all answers; it changes, too, where a process that had
 * answers makes room for others. Ask it before each walk: it looks for what is
 * new.
 */
uint64_t jitrules_state(struct jitrules *rules, uint32_t pid, uint64_t time);

/* How code of PID was at ADDRESS, at TIME; with nothing known, for all. */
struct jitrules_part {
	uint64_t start, end;
	struct cfi *cfi; /* borrowed until jitrules_settle(); or NULL */
};
struct jitrules_part jitrules_find(struct jitrules *rules, uint32_t pid,
	uint64_t address, uint64_t time);

/* Nobody walks by what was given before. */
void jitrules_settle(struct jitrules *rules);

#endif
