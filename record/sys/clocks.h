/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of the times in all records: CLOCK_MONOTONIC, or the clock of -k. A
 * process has one such clock, which is chosen before anything is recorded.
 * Timeouts use common/util/clock.h instead.
 */
#ifndef DWELL_RECORD_SYS_CLOCKS_H
#define DWELL_RECORD_SYS_CLOCKS_H

#include <time.h>

#include "common/jit/jitdump.h"
#include "common/util/completion.h"
#include "common/util/error.h"

/*
 * Parses a clock of perf_event_open(2): perf's name with or without "CLOCK_",
 * ignoring case, or the number.
 */
struct error *clocks_parse(const char *text, clockid_t *ret) _must_check_;

COMPLETER(clocks_complete);

void clocks_choose(clockid_t clock);
clockid_t clocks_chosen(void);
/* Returns the time of the chosen clock in ns. */
uint64_t clocks_now(void);
/*
 * Returns how the times in jitdump files are converted to the chosen clock,
 * computed from the time that has passed since clocks_choose().
 */
struct jitdump_clock clocks_of_jitdumps(void);

#endif
