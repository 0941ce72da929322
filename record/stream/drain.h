/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that drains the ring buffers. Each round loads the heads of all
 * sample ring buffers, drains all sideband ring buffers completely, and then
 * reads samples up to these heads. Everything that a sample depends on is
 * therefore read before it.
 */
#ifndef DWELL_RECORD_STREAM_DRAIN_H
#define DWELL_RECORD_STREAM_DRAIN_H

#include "common/util/error.h"
#include "common/util/strbuf.h"
#include "record/open/open.h"
#include "record/stream/ring_intake.h"
#include "record/stream/unsampled_time.h"

struct drain;

/* OPENED and INTAKE are borrowed until drain_destroy(). */
struct error *drain_create(struct event_fds *opened, struct intake *intake,
	struct drain **ret) _must_check_;
void drain_destroy(struct drain *drain);

/*
 * Adds synthesized records (synth_procs, losses), which contain their event
 * IDs, to the sideband of the next round. Thread-safe.
 */
void drain_inject(struct drain *drain, const struct strbuf *records);

/*
 * Makes the next round the last one of the current file (intake_switch_file()).
 * It includes all records injected before. Thread-safe.
 */
void drain_switch_file(struct drain *drain);
/*
 * Sets CLOCKS, which is borrowed, and read at the start of the last round of
 * each file. Call it before drain_start(). Without this call, no counters are
 * read.
 */
void drain_read_clocks(struct drain *drain, struct unsampled_time *clocks);

/*
 * Reads all samples of overwritten ring buffers (ring.h), which are
 * not read otherwise. A file switch that is requested at the same time happens
 * after them. Thread-safe.
 */
void drain_snapshot(struct drain *drain);

/*
 * Runs one round in the calling thread. The thread of the drain must not run.
 */
void drain_round(struct drain *drain);
/* Returns the number of rounds. The thread of the drain must not run. */
uint64_t drain_rounds(const struct drain *drain);
/* Runs rounds until the ring buffers are empty and all requests are done. */
void drain_empty(struct drain *drain);
/* As drain_empty(); then flushes all blocks to the queue. */
void drain_finish(struct drain *drain);

/*
 * Starts the thread. REALTIME is the argument of priority_raise(); the nice
 * level is -20. drain_stop() ends the thread; the ring buffers can still
 * contain records.
 */
struct error *drain_start(struct drain *drain, int realtime) _must_check_;
void drain_stop(struct drain *drain);

#endif
