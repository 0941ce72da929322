/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of all records, the kernel's and our own: CLOCK_MONOTONIC, or what
 * -k names. There is one for the whole process, chosen before anything else.
 * What has to be waited for is told by common/util/clock.h.
 */
#ifndef DWELL_RECORD_SYS_CLOCKS_H
#define DWELL_RECORD_SYS_CLOCKS_H

#include <time.h>

#include "common/jit/jitdump.h"
#include "common/util/error.h"

/*
 * perf's names, with or without "CLOCK_", in any case, or their numbers: of
 * the clocks that perf_event_open(2) knows.
 */
struct error *clocks_parse(const char *text, clockid_t *ret) _must_check_;

void clocks_choose(clockid_t clock);
clockid_t clocks_chosen(void);
/* The time on it, ns. */
uint64_t clocks_now(void);
/* How the times of jitdumps are told on it: by what went by since the choice. */
struct jitdump_clock clocks_of_jitdumps(void);

#endif
