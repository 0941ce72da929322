/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that drains the ring buffers. Each round loads the heads of all
 * sample ring buffers, drains all sideband ring buffers completely, and then
 * reads samples up to these heads. The sideband records that a sample depends
 * on are therefore read before the sample.
 */
#ifndef DWELL_RECORD_STREAM_DRAIN_H
#define DWELL_RECORD_STREAM_DRAIN_H

#include "common/util/error.h"
#include "common/util/strbuf.h"
#include "record/open/open.h"
#include "record/stream/intake.h"
#include "record/stream/unsampled_time.h"

struct drain;

/*
 * OPENED, INTAKE and CLOCKS are borrowed until drain_destroy(). With CLOCKS,
 * the counters of clock events are read in the last round of each file; NULL: no
 * counters.
 */
struct error *drain_create(struct event_fds *opened, struct intake *intake,
	struct unsampled_time *clocks, struct drain **ret) _must_check_;
void drain_destroy(struct drain *drain);

/*
 * Adds synthesized records (synth_procs, losses), which contain canonical event
 * IDs, to the sideband of the next round. Thread-safe.
 */
void drain_inject(struct drain *drain, const struct strbuf *records);

/*
 * Makes the next round the last round of the current file
 * (intake_switch_file()). This round includes all records that were injected
 * before. Thread-safe.
 */
void drain_switch_file(struct drain *drain);

/*
 * Requests reading all samples in overwritten ring buffers (ring.h), which are
 * only read on request. A file switch that is requested at the same time
 * happens after these samples. Thread-safe.
 */
void drain_snapshot(struct drain *drain);

/* Runs one round in the calling thread. The drain thread must not run. */
void drain_round(struct drain *drain);
/* Returns the number of rounds. The drain thread must not run. */
uint64_t drain_rounds(const struct drain *drain);
/*
 * Runs rounds in the calling thread until the ring buffers are empty and all
 * requests are done.
 */
void drain_empty(struct drain *drain);
/* Runs rounds as drain_empty() does, then flushes all blocks to the queue. */
void drain_finish(struct drain *drain);

/*
 * Starts the drain thread. REALTIME is the argument of priority_raise(); the
 * nice level is -20. drain_stop() ends the drain thread; the ring buffers can
 * still contain records.
 */
struct error *drain_start(struct drain *drain, int realtime) _must_check_;
void drain_stop(struct drain *drain);

#endif
