/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that empties the rings. Each round: load the heads of all sample
 * rings, drain all sideband rings to their end, then take samples up to those
 * heads; so whatever a sample needs has been taken before it.
 */
#ifndef DWELL_RECORD_STREAM_DRAIN_H
#define DWELL_RECORD_STREAM_DRAIN_H

#include "common/util/error.h"
#include "common/util/strbuf.h"
#include "record/open/open.h"
#include "record/stream/ring_intake.h"

struct drain;

/* OPENED and INTAKE are borrowed until drain_destroy(). */
struct error *drain_create(struct opened *opened, struct intake *intake,
	struct drain **ret) _must_check_;
void drain_destroy(struct drain *drain);

/*
 * Puts records of our own (procs, losses) among the sideband of the next
 * round. They have their ids already. Callable from any thread.
 */
void drain_inject(struct drain *drain, const struct strbuf *records);

/*
 * The next round is the last one of the file (intake_turn()): with it goes
 * what was injected before. Callable from any thread.
 */
void drain_turn(struct drain *drain);

/*
 * With rings that are overwritten (ring_backward.h) samples are taken only
 * when this asks for it; a turn that is asked for comes after them. Callable
 * from any thread.
 */
void drain_snapshot(struct drain *drain);

/* One round, by a caller who knows that the thread doesn't run. */
void drain_round(struct drain *drain);
/* How many there were; to be asked when the thread doesn't run. */
uint64_t drain_rounds(const struct drain *drain);
/* Rounds until the rings are empty, and what was asked for is done. */
void drain_empty(struct drain *drain);
/* The same, then puts what is left into the queue. */
void drain_finish(struct drain *drain);

/*
 * Starts the thread; REALTIME is for priority_raise(), or else nice -20.
 * drain_stop() ends it; the rings may hold something still.
 */
struct error *drain_start(struct drain *drain, int realtime) _must_check_;
void drain_stop(struct drain *drain);

#endif
