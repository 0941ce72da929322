/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JIT code of running processes: its unwind rules, and its bytes.
 *
 * The unwind rules come from jitdumps, by process, address and time. The
 * jitdump of a process is searched for when code of the process is first
 * unwound, and read again when a sample is later than the last reading. Only
 * one thread at a time may call jitrules_*(); several threads may use the
 * returned unwind rules.
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
 * Returns a number that identifies the unwind rules of PID at TIME
 * (clocks_now()). While the number is the same, all results of jitrules_find()
 * are the same. The number also changes if PID is removed from the table of
 * processes. Call jitrules_version() before each unwinding: it reads new rules.
 */
uint64_t jitrules_version(struct jitrules *rules, uint32_t pid, uint64_t time);

/*
 * Unwind rules that are valid from START to END. Without rules, START and END
 * are those of the whole address space.
 */
struct jitrules_part {
	uint64_t start, end;
	struct cfi *cfi; /* borrowed until jitrules_settle(); NULL: no rules */
};
struct jitrules_part jitrules_find(
	struct jitrules *rules, uint32_t pid, uint64_t address, uint64_t time);

/* Returns whether PID has a jitdump at TIME. */
bool jitrules_has_dump(struct jitrules *rules, uint32_t pid, uint64_t time);

/* Frees dropped rules. No thread may use rules that were returned before. */
void jitrules_settle(struct jitrules *rules);

/*
 * Reads JIT code from the memory of a running process. The code is read in
 * blocks, which are cached for a short time. A separate thread reads, because
 * reading the memory of another process can block for ever (userfaultfd(2)).
 */
struct jitrules_live;

struct jitrules_live *jitrules_live_create(void);
void jitrules_live_destroy(struct jitrules_live *live_code);

/*
 * Copies up to SIZE bytes (at most JITRULES_LIVE_MAX) at ADDRESS of PID to
 * BYTES. Returns the number of bytes; 0 if PID has ended or is not readable.
 */
#define JITRULES_LIVE_MAX 4096u
size_t jitrules_live_read(struct jitrules_live *live_code, uint32_t pid,
	uint64_t address, uint8_t *bytes, size_t size);

#endif
