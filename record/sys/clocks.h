/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of all records: CLOCK_MONOTONIC, or that of -k. It is one per
 * process and chosen before anything is recorded. Timeouts use
 * common/util/clock.h.
 */
#ifndef DWELL_RECORD_SYS_CLOCKS_H
#define DWELL_RECORD_SYS_CLOCKS_H

#include <time.h>

#include "common/jit/jitdump.h"
#include "common/util/error.h"

/*
 * Parses a clock of perf_event_open(2): perf's name with or without "CLOCK_",
 * ignoring case, or the number.
 */
struct error *clocks_parse(const char *text, clockid_t *ret) _must_check_;

void clocks_choose(clockid_t clock);
clockid_t clocks_chosen(void);
/* Returns the time in ns. */
uint64_t clocks_now(void);
/*
 * Returns how times of jitdumps are converted to this clock, from the time that
 * has passed since the choice.
 */
struct jitdump_clock clocks_of_jitdumps(void);

#endif
